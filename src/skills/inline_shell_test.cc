#include "skills/inline_shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>

#include "base/utf8.h"

namespace talaria {
namespace {

using End = SnippetResult::End;

std::vector<std::string> commands_in(const std::string& body) {
  std::vector<std::string> commands;
  for (const InlineSnippet& snippet : find_snippets(body)) {
    EXPECT_EQ(body.substr(snippet.offset, snippet.length), "!`" + snippet.command + "`");
    commands.push_back(snippet.command);
  }
  return commands;
}

struct Case {
  std::string body;
  std::vector<std::string> commands;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) EXPECT_EQ(commands_in(one.body), one.commands) << one.body;
}

TEST(InlineShellTest, FindsSnippetsInText) {
  expect_all({
      {"", {}},
      {"Date: !`date -u +%Y-%m-%d`\nBranch: !`git rev-parse HEAD`\n", {"date -u +%Y-%m-%d", "git rev-parse HEAD"}},
      {"!`a`!`b`", {"a", "b"}},
      {"Wow!`a`", {"a"}},
      {"- item !`a`\n  - deeper !`b`\n", {"a", "b"}},
      {"> quoted !`a`", {"a"}},
      {"| table | !`a` |", {"a"}},
      {"# !`a`", {"a"}},
      {"!` a `", {" a "}},
      {"crlf !`a`\r\n!`b`\r\n", {"a", "b"}},
      {"!`printf 'äö'`", {"printf 'äö'"}},
      {"!`echo \\!`", {"echo \\!"}},
      // A line that is only indented is no code here.
      {"    !`a`", {"a"}},
      {"\t!`a`", {"a"}},
  });
}

TEST(InlineShellTest, TheFirstBackTickEndsASnippet) {
  expect_all({
      {"!`a `b` c`", {"a "}},
      {"!`a``b`", {"a"}},
      {"!`a\nb`", {}},
      {"!`a", {}},
      {"!``", {}},
      {"!`   `", {}},
      {"!` `x !`y`", {"y"}},
      {"! `a`", {}},
      {"!``a``", {}},
  });
}

TEST(InlineShellTest, LeavesWhatMarkdownShowsAsItStands) {
  expect_all({
      {"Write `` !`date` `` to run date.", {}},
      {"```!`date` ```", {}},
      {"the `!` operator and `x`", {}},
      {"`a` then !`b`", {"b"}},
      {"`` a ` `` then !`b`", {"b"}},
      {"``unclosed !`b`", {"b"}},
      {"\\!`date`", {}},
      {"\\`!`date`", {"date"}},
      {"it`s !`date`", {}},  // Markdown's own reading: `s !` is code
  });
}

TEST(InlineShellTest, LeavesFencedCode) {
  expect_all({
      {"```\n!`a`\n```\n!`b`", {"b"}},
      {"~~~\n!`a`\n~~~\n!`b`", {"b"}},
      {"```bash title=\"x\"\n!`a`\n```\n!`b`", {"b"}},
      {"~~~ ```\n!`a`\n~~~\n!`b`", {"b"}},
      {"   ```\n   !`a`\n   ```\n!`b`", {"b"}},
      {"    ```\n!`a`\n    ```\n", {"a"}},          // four blanks: no fence
      {"````\n```\n!`a`\n```\n````\n!`b`", {"b"}},  // only one as long closes
      {"```\n!`a`\n`````\n!`b`", {"b"}},
      {"```\n~~~\n!`a`\n```\n!`b`", {"b"}},
      {"```\n``` x\n!`a`\n```\n!`b`", {"b"}},  // a closing fence has no info string
      {"```\n    ```\n!`a`\n```\n!`b`", {"b"}},
      {"```\n!`a`\n", {}},
      {"```\n!`a`\n\n\n!`b`", {}},
      {"``` a`b\n!`a`", {"a"}},  // an info string has no back-tick
      {"```\r\n!`a`\r\n```\r\n!`b`\r\n", {"b"}},
      {"``\n!`a`\n``", {"a"}},
      {"text\n```\n!`a`\n```   \n!`b`", {"b"}},
  });
}

TEST(InlineShellTest, LeavesFencedCodeInListsAndQuotations) {
  expect_all({
      {"1. x\n   ```sh\n   !`a`\n   ```\n2. !`b`", {"b"}},
      {"10. x\n    ```sh\n    !`a`\n    ```\n11. !`b`", {"b"}},
      {"- a\n  - b\n    - c\n      ```\n      !`a`\n      ```\n!`b`", {"b"}},
      {"- ```\n  !`a`\n  ```\n- !`b`", {"b"}},
      {"> ```\n> !`a`\n> ```\n> !`b`", {"b"}},
      {"> - ```\n>   !`a`\n>   ```\n>   !`b`", {"b"}},
      {"```md\n> ```\n!`a`\n```\n!`b`", {"b"}},
      {"```md\n1. x\n    ```bash\n    !`a`\n    ```\n!`b`\n```\n!`c`", {"c"}},
      {"-\tx\n\n\t```\n\t!`a`\n\t```\n!`b`", {"b"}},
      // What may be code is taken for code: nothing closed this one.
      {"- ```\n  !`a`\n\ntext !`b`\n", {}},
  });
}

TEST(InlineShellTest, SaysHowASnippetEnded) {
  struct Shown {
    SnippetResult result;
    std::string text;
  };
  const std::vector<Shown> cases = {
      {{End::exited, 0, "2026-08-01\n", ""}, "2026-08-01"},
      {{End::exited, 0, "a\n\n\n", ""}, "a"},
      {{End::exited, 0, "a\r\n", ""}, "a"},
      {{End::exited, 0, "\n a \nb ", ""}, "\n a \nb "},
      {{End::exited, 0, "", "only a warning\n"}, ""},
      {{End::exited, 0, "\n", ""}, ""},
      {{End::exited, 0, "a\tb", ""}, "a\tb"},
      {{End::exited, 0, "\xff\xc3", ""}, "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {{End::exited, 0, std::string("\0\x1b[1m", 5), ""}, "\\x00\\x1b[1m"},
      {{End::exited, 3, "lost", ""}, "[inline-shell error: exit code 3]"},
      {{End::exited, 3, "", "  \n"}, "[inline-shell error: exit code 3]"},
      {{End::exited, 127, "", "\nbash: line 1: x: command not found\nmore\n"},
       "[inline-shell error: exit code 127: bash: line 1: x: command not found]"},
      {{End::exited, 1, "", std::string(300, 'x')},
       "[inline-shell error: exit code 1: " + std::string(200, 'x') + "...[truncated]]"},
      {{End::exited, 1, "", "a\x07\xe2\x80\xae"}, "[inline-shell error: exit code 1: a\\x07\\u{202e}]"},
      {{End::timed_out, 10, "so far", "x"}, "[inline-shell error: timed out after 10s]"},
      {{End::signalled, SIGKILL, "so far", ""}, "[inline-shell error: killed by signal 9 (SIGKILL)]"},
      {{End::signalled, 63, "", ""}, "[inline-shell error: killed by signal 63]"},
      {{End::not_started, 0, "", "bash not found"}, "[inline-shell error: could not start: bash not found]"},
      {{End::not_started, 0, "", ""}, "[inline-shell error: could not start]"},
  };
  for (const Shown& one : cases) EXPECT_EQ(snippet_text(one.result), one.text);
}

TEST(InlineShellTest, CutsOutputAtFourThousandCharacters) {
  const auto text = [](const std::string& output) { return snippet_text({End::exited, 0, output, ""}); };
  EXPECT_EQ(text(std::string(4000, 'x') + "\n"), std::string(4000, 'x'));
  EXPECT_EQ(text(std::string(4001, 'x')), std::string(4000, 'x') + "...[truncated]");
  std::string umlauts;
  for (int i = 0; i < 4001; ++i) umlauts += "ä";
  EXPECT_EQ(text(umlauts), umlauts.substr(0, 8000) + "...[truncated]");
}

TEST(InlineShellTest, PutsResultsInPlaceAndExpandsNothingAgain) {
  const std::string body = "a !`one` b !`two`\n```\n!`three`\n```\n";
  const std::vector<SnippetResult> results = {{End::exited, 0, "!`evil` ${HERMES_SKILL_DIR} ```\n", ""},
                                              {End::exited, 2, "", ""}};
  EXPECT_EQ(with_results(body, find_snippets(body), results),
            "a !`evil` ${HERMES_SKILL_DIR} ``` b [inline-shell error: exit code 2]\n```\n!`three`\n```\n");
  EXPECT_EQ(with_results("plain", {}, {}), "plain");
}

TEST(InlineShellTest, RunsSixtyFourSnippetsAndSaysSoOfTheOthers) {
  std::string body;
  std::string expected;
  for (int i = 0; i < 66; ++i) {
    body += "!`x`\n";
    expected += i < 64 ? "y\n" : "[inline-shell error: only the first 64 snippets of a skill are run]\n";
  }
  const std::vector<InlineSnippet> snippets = find_snippets(body);
  EXPECT_EQ(snippets.size(), 66u);
  EXPECT_EQ(with_results(body, snippets, std::vector<SnippetResult>(most_snippets, {End::exited, 0, "y\n", ""})),
            expected);
}

TEST(InlineShellTest, RunsOnlyForThoseWhoMay) {
  const InlineShellRules off{false, {"community", "agent-created"}};
  const InlineShellRules on{true, {}};
  for (const Trust trust : {Trust::local, Trust::builtin, Trust::official, Trust::trusted}) {
    EXPECT_FALSE(may_run_snippets(trust, off));
    EXPECT_TRUE(may_run_snippets(trust, on));
  }
  for (const Trust trust : {Trust::community, Trust::agent_created}) {
    EXPECT_FALSE(may_run_snippets(trust, off));
    EXPECT_FALSE(may_run_snippets(trust, on));
    EXPECT_TRUE(may_run_snippets(trust, {true, {"x", std::string(name_of(trust))}}));
  }
  EXPECT_FALSE(may_run_snippets(Trust::agent_created, {true, {"community"}}));
}

// Whatever a body is made of: snippets lie in order, one after the other, on one line each, and what is put in their
// places is all that changes.
TEST(InlineShellTest, AnyBodyKeepsAllThatIsNoSnippet) {
  const std::vector<std::string> pieces = {"!",    "`",  "``", "```", "~~~", "\n",  " ",
                                           "    ", "\\", "a",  "- ",  "> ",  "1. ", "\r\n"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string body;
    for (int i = 0; i < 40; ++i) body += pieces[random() % pieces.size()];
    std::string rest;
    size_t done = 0;
    const std::vector<InlineSnippet> snippets = find_snippets(body);
    std::vector<SnippetResult> results(snippets.size(), {End::exited, 0, "!`a`", ""});
    for (const InlineSnippet& snippet : snippets) {
      ASSERT_GE(snippet.offset, done) << body;
      ASSERT_EQ(snippet.command.find_first_of("`\n"), std::string::npos) << body;
      rest += body.substr(done, snippet.offset - done) + "!`a`";
      done = snippet.offset + snippet.length;
    }
    EXPECT_EQ(with_results(body, snippets, results), rest + body.substr(done));
  }
}

TEST(InlineShellTest, ALineOfEverLongerRunsOfBackTicksHoldsNone) {
  std::string body;
  for (size_t length = 1; body.size() < (1u << 20); ++length) body += std::string(length, '`') + " ";
  EXPECT_EQ(find_snippets(body).size(), 0u);
}

}  // namespace
}  // namespace talaria
