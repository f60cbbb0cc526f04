#include "api/shell_state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace talaria {
namespace {

Result<> keep_all(const Environment&) { return ok; }
Result<> keep_none(const Environment&) { return invalid("no"); }

// Runs it as the keeper would; the exit code beside the report.
std::pair<int, std::optional<ShellReport>> run(const std::string& command, const Environment& environment = {}) {
  const UniqueFd file = *make_report_file();
  const std::vector<std::string> argv = reporting_shell("/bin/bash", command);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(file.get(), 0);
    std::vector<std::string> variables = to_envp(environment);
    std::vector<char*> words, envp;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& word : variables) envp.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    envp.push_back(nullptr);
    if (::chdir("/tmp") == 0) ::execve(words[0], words.data(), envp.data());
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_report(file.get())};
}

TEST(ShellStateTest, ReportsWhereTheCommandWentAndWhatItExported) {
  const auto [code, report] = run("cd /usr; export A=b; export LONG=\"two\nlines \\\"q\\\" \\$x é\"; C=not; false");
  EXPECT_EQ(code, 1);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cwd, "/usr");
  EXPECT_EQ(report->exported.at("A"), "b");
  EXPECT_EQ(report->exported.at("LONG"), "two\nlines \"q\" $x é");
  EXPECT_FALSE(report->exported.contains("C"));
}

TEST(ShellStateTest, ReportsAlsoWhenTheCommandExits) {
  const auto [code, report] = run("export A=b; exit 7; echo never");
  EXPECT_EQ(code, 7);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->exported.at("A"), "b");
}

TEST(ShellStateTest, ReadsBackEveryByteAVariableMayHold) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  const auto [code, report] = run("declare -x E", {{"ALL", all}, {"EMPTY", ""}});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->exported.at("ALL"), all);
  EXPECT_EQ(report->exported.at("EMPTY"), "");
  EXPECT_FALSE(report->exported.contains("E"));
}

TEST(ShellStateTest, SeesAttributesBesideTheExport) {
  const auto [code, report] = run("declare -xi NUMBER=5; declare -xr airy=x; declare -xu ix=abc");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->exported.at("NUMBER"), "5");
  EXPECT_EQ(report->exported.at("airy"), "x");
  EXPECT_EQ(report->exported.at("ix"), "ABC");
}

TEST(ShellStateTest, GivesTheCommandAnEmptyInputAndNoArguments) {
  EXPECT_EQ(run("[ -z \"$(cat)\" ] && [ $# = 0 ] && [ -c /dev/stdin ]").first, 0);
}

TEST(ShellStateTest, HasNoReportWhenTheShellIsReplaced) { EXPECT_FALSE(run("exec true").second); }

TEST(ShellStateTest, RefusesWhatIsNoReport) {
  for (const std::string_view text :
       {std::string_view("", 0), std::string_view("/x", 2), std::string_view("/x\0", 3), std::string_view("x\0\0", 3),
        std::string_view("/x\0declare -x A\0", 16), std::string_view("/x\0declare -x A=b\n\0", 19),
        std::string_view("/x\0junk\n\0", 9)}) {
    EXPECT_FALSE(parse_report(text)) << text;
  }
  EXPECT_EQ(parse_report(std::string_view("/x\0declare -x A=\"b\"\n\0", 21)), (ShellReport{"/x", {{"A", "b"}}}));
}

TEST(ShellStateTest, TakesOnlyWhatTheCommandChanged) {
  ShellState state;
  state.exported = {{"OTHER", "from a call meanwhile"}};
  const Environment environment = {{"HOME", "/h"}, {"GONE", "x"}, {"PWD", "/a"}};
  const ShellReport report{"/b", {{"HOME", "/h"}, {"NEW", "1"}, {"PWD", "/b"}, {"SHLVL", "1"}, {"_", "x"}}};
  EXPECT_TRUE(take_changes(state, {}, environment, "/a", report, keep_all).empty());
  EXPECT_EQ(state, (ShellState{"/b", {{"NEW", "1"}, {"OTHER", "from a call meanwhile"}}, {"GONE"}}));
  Environment next = {{"HOME", "/h"}, {"GONE", "x"}};
  apply_state(state, next);
  EXPECT_EQ(next, (Environment{{"HOME", "/h"}, {"NEW", "1"}, {"OTHER", "from a call meanwhile"}}));
}

TEST(ShellStateTest, ForgetsWhatIsUnsetAgain) {
  ShellState given{"", {{"A", "1"}}, {}};
  ShellState state = given;
  take_changes(state, given, {{"A", "1"}}, "/a", {"/a", {}}, keep_all);
  EXPECT_EQ(state, ShellState());
}

TEST(ShellStateTest, SaysWhatItDoesNotKeep) {
  ShellState state;
  EXPECT_EQ(take_changes(state, {}, {}, "/a", {"/a", {{"A", "1"}}}, keep_none),
            std::vector<std::string>{"A was not kept for the next command: no"});
  EXPECT_EQ(state, ShellState());
}

}  // namespace
}  // namespace talaria
