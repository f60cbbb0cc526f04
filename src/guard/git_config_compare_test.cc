#include <gtest/gtest.h>

#include "guard/git_config.h"
#include "guard/git_test_workspace.h"

namespace talaria {
namespace {

using namespace std::string_literals;

// What git may be asked to read, from ordinary to odd. Either we refuse a text or we read the same as git.
const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> texts{
      "",
      "\n\n",
      "# only a comment",
      "[core]\n\tbare = false\n",
      "[core]\r\n\tbare = false\r\n",
      "[CORE]\nBare=TRUE",
      "[core]bare=1",
      "[core] bare = 1 ; x\n",
      "[core][user]name=x\n",
      "[core]\n[user]\n[core]\nbare\n",
      "[core] # c\nbare\n",
      "[core] ; c\nbare = # c\n",
      "[core]\nbare =\n",
      "[core]\nbare = \"\"\n",
      "[core]\nbare = \"\" \"\"\n",
      "[core]\nbare = \" x \"\n",
      "[core]\nbare = x   y  \n",
      "[core]\nbare =    x\\\n   y\n",
      "[core]\nbare = x \\\n y\n",
      "[core]\nbare = x\\\r\ny\r\n",
      "[core]\nbare = x\\",
      "[core]\nbare = \"x\\\ny\"\n",
      "[core]\nbare = a\"b c\"d\n",
      "[core]\nbare = a\\\"b\\\\c\\td\\ne\\bf\n",
      "[core]\nbare = a;b\n",
      "[core]\nbare = \"a;b#c\" ;d\n",
      "[core]\nbare = a # b \\\nfilemode = c\n",
      "[core]\nbare = a ; \"b\nfilemode = c\n",
      "[core]\nbare\t=\tx\t\n",
      "[core]\nbare = x\ty\n",
      "[core]\nbare = x \t # y\n",
      "[core]\nbare = x\ry\n",
      "[core]\nbare = x\r",
      "[core]\n\rbare = x\n",
      "[core]\nbare \r= x\n",
      "[core]\nbare\r\nfilemode\r\n",
      "[core]\nbare x\n",
      "[core]\nbare # x\n",
      "[core]\n1bare = x\n",
      "[core]\nb-1 = x\n",
      "[core]\nb_1 = x\n",
      "[core]\n-b = x\n",
      "[core]\n= x\n",
      "[a \"b\"]\nc = d\n",
      "[a \"B.C\"]\nc = d\n",
      "[a.B]\nc = d\n",
      "[a.b \"C\"]\nc = d\n",
      "[a.b.C]\nc = d\n",
      "[a   \"b\"]\nc = d\n",
      "[a\t\"b\"]\nc = d\n",
      "[a \"b\" ]\nc = d\n",
      "[ a]\nc = d\n",
      "[a ]\nc = d\n",
      "[a\n\"b\"]\nc = d\n",
      "[a \"b\\\"c\\\\d\\e\"]\nc = d\n",
      "[a \"b]c[d\"]\nc = d\n",
      "[a \"b\nc\"]\nc = d\n",
      "[a \"b\\\nc\"]\nc = d\n",
      "[a \"b\rc\"]\nc = d\n",
      "[a \"\"]\nc = d\n",
      "[a.]\nc = d\n",
      "[.a]\nc = d\n",
      "[]\nc = d\n",
      "[a-1]\nc = d\n",
      "[a_1]\nc = d\n",
      "[1]\nc = d\n",
      "c = d\n",
      "\xEF\xBB\xBF[core]\nbare\n",
      "\xEF\xBB\xBF",
      "\xEF\xBB[core]\nbare\n",
      "\n\xEF\xBB\xBF[core]\nbare\n",
      "[core]\nbare = \xFF\xFE\n",
      "[c\xC3\xB6re]\nbare\n",
      "[core]\nbare = \"x\n",
      "[core]\nbare = \\x\n",
      "[core\nbare = x\n",
      "[core]]\nbare = x\n",
      "[core]\x0B\nbare = x\n",
      "[core]\nbare\x0C= x\n",
      "[core]\nbare = \x0Bx\x0B\n",
      "[core]\nbare = x\0y\nfilemode\n"s,
      "[core]\nbare = a\\\n\\\n\\\nb\n[user]name=c",
      "[core]\nbare = a\\\n[user]name=c\n",
      "[core]\nbare = a\\\n# b\nfilemode = c\n",
      "[alias]\nst = \"!f() { echo \\\"x\\\"; }; f\" # y\n[include] path = z\n",
  };
  return texts;
}

// What we read, as `git config -z --list` prints it.
std::string listed_entries(const std::vector<GitConfigEntry>& entries) {
  std::string text;
  for (const GitConfigEntry& entry : entries) text += entry.key() + (entry.value ? "\n" + *entry.value : "") + '\0';
  return text;
}

using GitConfigCompareTest = GitTestWorkspace;

TEST_F(GitConfigCompareTest, EveryTextIsReadAsGitReadsItOrRefused) {
  size_t taken = 0;
  for (const std::string& text : odd_texts()) {
    ASSERT_TRUE(write_file_atomically(path("text"), text, 0600, Durable::no));
    const std::string said = run("git config -z --list --no-includes -f text || printf refused");
    const Result<std::vector<GitConfigEntry>> entries = read_git_config(text);
    if (!entries) continue;
    ++taken;
    EXPECT_EQ(listed_entries(*entries), said) << text;
    // Without any one of its entries it is still a text that both read.
    for (size_t index = 0; index < entries->size(); ++index) {
      ASSERT_TRUE(write_file_atomically(path("text"), without_entries(text, {(*entries)[index]}), 0600, Durable::no));
      std::vector<GitConfigEntry> rest = *entries;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
      EXPECT_EQ(listed_entries(rest), run("git config -z --list --no-includes -f text")) << text;
    }
  }
  // Refusing all would be no reading.
  EXPECT_GE(taken, 45U);
  EXPECT_GE(odd_texts().size(), 60U);
}

}  // namespace
}  // namespace talaria
