// Patterns written for rg, where there is only grep.
#include <gtest/gtest.h>

#include "base/text.h"
#include "files/search_trial.h"

namespace talaria {
namespace {

class SearchGrepTest : public testing::Test {
 protected:
  // The lines that match, or the error.
  std::string lines(const std::string& pattern, const SearchPrograms& programs) {
    const JsonObject result = trial_.search({.pattern = pattern}, programs);
    if (result.contains("error")) return "error: " + error_of(result);
    std::vector<std::string> lines;
    for (const Json& match : result.at("matches").as_array()) {
      const JsonObject& object = match.as_object();
      lines.push_back(std::to_string(integer_or(object, "line")) + ":" + std::to_string(integer_or(object, "column")));
    }
    return join(lines, " ");
  }
  SearchTrial trial_;
};

TEST_F(SearchGrepTest, FindsWhatRgFinds) {
  trial_.put("f",
             "Hello World\nhello 42\na-b]c\n\ttab\nx^y\\z\nword_1 [q]\nfoo{2}\nfoofoo\na.b/c'd`e\nü Ü\n"
             "class Foo(Bar):\n  indented = \"text\"\n#define X(a) \\\n<tag>~100%&@!</tag>\n");
  for (const char* pattern : {"(?i)HELLO",
                              "(?i)w[O]RLD",
                              "\\d+",
                              "\\bfoo",
                              "\\w+_\\d",
                              "^\\s",
                              "[\\d\\]]",
                              "[^\\s\\w]",
                              "[a\\-z]b?",
                              "[]a]",
                              "[^]a-z]",
                              "\\t",
                              "[\\t]",
                              "x\\^y\\\\z",
                              "foo\\{2\\}",
                              "(foo){2}",
                              "\\D\\d",
                              "(Hello|class)\\s\\S+",
                              "[[:upper:]]\\w",
                              "\\[q\\]",
                              "\\#define",
                              "\\(a\\)|\\(Bar\\)",
                              "()foo",
                              "[\\[\\]]",
                              "[\\^\\\\]",
                              "[.*+?]",
                              "o{2}",
                              "}",
                              "a|",
                              "[\\w.]+/c",
                              "ü",
                              "(?i)hello|42$"}) {
    EXPECT_EQ(lines(pattern, only_grep), lines(pattern, both_programs)) << pattern;
    EXPECT_NE(lines(pattern, only_grep), "") << pattern;
  }
}

// Escapes that only a newer rg knows.
TEST_F(SearchGrepTest, FindsWhatIsEscapedWithoutNeed) {
  trial_.put("f", "a.b/c'd`e\n \"text\"\n~100%&@!\nword\n");
  EXPECT_EQ(lines("a\\.b\\/c\\'d\\`e", only_grep), "1:1");
  EXPECT_EQ(lines("\\\"text\\\"", only_grep), "2:2");
  EXPECT_EQ(lines("~\\d{2,3}%\\&@\\!", only_grep), "3:1");
  EXPECT_EQ(lines("\\<word\\>", only_grep), "4:1");
}

TEST_F(SearchGrepTest, SaysWhereAPatternIsWrongAsRgDoes) {
  for (const char* pattern : {"a(b", "foo(", "a)b", "x[ab", "((a)", "(a(b", "*a", "(+a)", "a|*", "[", "ü(x", "a\\",
                              "(?i)a(b", "[^]", "x[[:alpha:]", "a(b[c)d"}) {
    const JsonObject expected = trial_.search({.pattern = pattern}, both_programs);
    ASSERT_TRUE(expected.contains("position")) << pattern;
    EXPECT_EQ(trial_.search({.pattern = pattern}, only_grep), expected) << pattern;
    EXPECT_EQ(trial_.runs, 0);
  }
}

TEST_F(SearchGrepTest, RefusesWhatGrepCannotDo) {
  trial_.put("f", "abc\n");
  const auto refused = [](const std::string& what, uint64_t position) {
    return JsonObject{{"error", "search: " + what + " at character " + std::to_string(position) +
                                    " of the pattern needs rg (ripgrep), which is not installed"},
                      {"path", "."},
                      {"position", position}};
  };
  const auto search = [&](const std::string& pattern) { return trial_.search({.pattern = pattern}, only_grep); };
  EXPECT_EQ(search("(?:a|b)c"), refused("(?:", 1));
  EXPECT_EQ(search("a(?=b)"), refused("(?=", 2));
  EXPECT_EQ(search("a(?!b)"), refused("(?!", 2));
  EXPECT_EQ(search("(?<=a)b"), refused("(?<", 1));
  EXPECT_EQ(search("(?s)a.b"), refused("(?s", 1));
  EXPECT_EQ(search("(?im)a"), refused("(?i", 1));
  EXPECT_EQ(search("a(?i)b"), refused("(?i", 2));
  EXPECT_EQ(search("(?P<n>a)"), refused("(?P", 1));
  EXPECT_EQ(search("a.*?c"), refused("*?", 3));
  EXPECT_EQ(search("a+?"), refused("+?", 2));
  EXPECT_EQ(search("a??"), refused("??", 2));
  EXPECT_EQ(search("a{1,2}?"), refused("}?", 6));
  EXPECT_EQ(search("ü\\p{L}"), refused("\\p", 2));
  EXPECT_EQ(search("\\x41"), refused("\\x", 1));
  EXPECT_EQ(search("(a)\\1"), refused("\\1", 4));
  EXPECT_EQ(search("[a\\D]"), refused("\\D", 3));
  EXPECT_EQ(search("[a[b]]"), refused("[", 3));
  EXPECT_EQ(search("[a-z&&b]"), refused("&&", 5));
}

}  // namespace
}  // namespace talaria
