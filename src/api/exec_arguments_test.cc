#include "api/exec_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

Result<ExecArguments> parsed(JsonObject object) {
  if (!object.contains("command")) object["command"] = "true";
  return parse_exec_arguments(object);
}

std::string error_of(const JsonObject& object) {
  Result<ExecArguments> arguments = parsed(object);
  return arguments ? "no error" : arguments.error().message();
}

TEST(ExecArgumentsTest, ReadsEveryParameter) {
  ExecArguments expected;
  expected.command = "make test";
  expected.workdir = "src";
  expected.env = {{"A", "1"}, {"B", ""}};
  expected.yield_ms = 500;
  expected.background = true;
  expected.timeout_seconds = 2.5;
  expected.pty = true;
  expected.size = {24, 80};
  expected.elevated = true;
  expected.host = Host::node;
  expected.security = Security::deny;
  expected.ask = Ask::on_miss;
  expected.node = "build-1";
  expected.stdin_text = "y\n";
  expected.label = "tests";
  expected.persist = true;
  expected.notify = {true, {"FAIL|PASS"}};
  Result<ExecArguments> arguments = parse_exec_arguments({{"command", "make test"},
                                                          {"workdir", " src "},
                                                          {"env", {{"A", "1"}, {"B", ""}}},
                                                          {"yieldMs", 500},
                                                          {"background", true},
                                                          {"timeout", 2.5},
                                                          {"pty", true},
                                                          {"rows", 24},
                                                          {"cols", 80},
                                                          {"elevated", true},
                                                          {"host", "node"},
                                                          {"security", "deny"},
                                                          {"ask", "on-miss"},
                                                          {"node", "build-1"},
                                                          {"stdin", "y\n"},
                                                          {"label", "tests"},
                                                          {"persist", true},
                                                          {"notify", {"exit", "pattern:FAIL|PASS"}}});
  ASSERT_TRUE(arguments) << arguments.error().message();
  EXPECT_EQ(*arguments, expected);
}

TEST(ExecArgumentsTest, AsksForACommand) {
  for (const Json& command : {Json(nullptr), Json(""), Json(" \n\t")}) {
    EXPECT_EQ(error_of({{"command", command}}), "Provide a command to start.");
  }
  EXPECT_EQ(parse_exec_arguments({}).error().message(), "Provide a command to start.");
}

TEST(ExecArgumentsTest, NamesTheParameterOfTheWrongKind) {
  EXPECT_THAT(error_of({{"command", 7}}), HasSubstr("\"command\" must be a string"));
  EXPECT_THAT(error_of({{"background", "yes"}}), HasSubstr("\"background\" must be true or false"));
  EXPECT_THAT(error_of({{"env", {{"PORT", 80}}}}), HasSubstr("\"env.PORT\" must be a string"));
  EXPECT_THAT(error_of({{"timeout", "30"}}), HasSubstr("\"timeout\" must be a number"));
}

TEST(ExecArgumentsTest, ListsTheKnownParametersForAnUnknownOne) {
  const std::string message = error_of({{"timout", 3}});
  EXPECT_THAT(message, HasSubstr("unknown exec parameter \"timout\" (did you mean \"timeout\"?)"));
  for (const char* name : {"command", "workdir", "yieldMs", "persist", "notify"}) EXPECT_THAT(message, HasSubstr(name));
}

TEST(ExecArgumentsTest, ACommandUnderAnotherNameIsNamedAndNotMissed) {
  const std::string message = parse_exec_arguments({{"cmd", "ls"}}).error().message();
  EXPECT_THAT(message, HasSubstr("unknown exec parameter \"cmd\" (did you mean \"command\"?); known: command, "));
  EXPECT_THAT(parse_exec_arguments({{"bogus", 1}}).error().message(), HasSubstr("unknown exec parameter \"bogus\"; "));
}

TEST(ExecArgumentsTest, AcceptsTheAliasesUnlessTheyDisagree) {
  EXPECT_EQ(parsed({{"cwd", "/tmp"}})->workdir, "/tmp");
  EXPECT_EQ(parsed({{"timeoutSeconds", 3}})->timeout_seconds, 3);
  EXPECT_EQ(parsed({{"timeoutSeconds", 3}, {"timeout", 3}})->timeout_seconds, 3);
  EXPECT_THAT(error_of({{"cwd", "/a"}, {"workdir", "/b"}}), HasSubstr("mean the same and differ"));
}

TEST(ExecArgumentsTest, ABlankWorkdirIsNone) { EXPECT_EQ(parsed({{"workdir", "  "}})->workdir, std::nullopt); }

TEST(ExecArgumentsTest, ClampsTheYieldWindow) {
  EXPECT_EQ(parsed({{"yieldMs", -5}})->yield_ms, 10);
  EXPECT_EQ(parsed({{"yieldMs", 0}})->yield_ms, 10);
  EXPECT_EQ(parsed({{"yieldMs", 1e300}})->yield_ms, 120'000);
  EXPECT_EQ(parsed({{"yieldMs", 99.9}})->yield_ms, 99);
}

TEST(ExecArgumentsTest, TakesFractionsAndZeroAsTimeoutButNothingNegative) {
  EXPECT_EQ(parsed({{"timeout", 0}})->timeout_seconds, 0);
  EXPECT_EQ(parsed({{"timeout", 0.25}})->timeout_seconds, 0.25);
  EXPECT_THAT(error_of({{"timeout", -1}}), HasSubstr("from 0 (no limit)"));
  EXPECT_THAT(error_of({{"timeout", 1e300}}), HasSubstr("from 0 (no limit)"));
}

TEST(ExecArgumentsTest, RefusesNulCharacters) {
  const std::string nul("a\0b", 3);
  EXPECT_THAT(error_of({{"command", nul}}), HasSubstr("\"command\" holds a NUL"));
  EXPECT_THAT(error_of({{"workdir", nul}}), HasSubstr("\"workdir\" holds a NUL"));
  EXPECT_THAT(error_of({{"env", {{"A", nul}}}}), HasSubstr("\"env.A\" holds a NUL"));
}

TEST(ExecArgumentsTest, RefusesACommandTheKernelWouldNotTakeAndSaysWhatToDo) {
  EXPECT_TRUE(parsed({{"command", std::string(longest_command, 'x')}}));
  const std::string message = error_of({{"command", std::string(longest_command + 1, 'x')}});
  EXPECT_THAT(message, HasSubstr("131,000"));
  EXPECT_THAT(message, HasSubstr("write the text to a file"));
}

TEST(ExecArgumentsTest, KeepsTheTerminalsSizeInRange) {
  EXPECT_EQ(parsed({})->size, (WindowSize{40, 120}));
  EXPECT_THAT(error_of({{"rows", 0}}), HasSubstr("\"rows\" must be a whole number from 1 to 1000"));
  EXPECT_THAT(error_of({{"cols", 1001}}), HasSubstr("\"cols\" must be a whole number from 1 to 1000"));
}

TEST(ExecArgumentsTest, WantsANodeOnlyWithHostNode) {
  EXPECT_THAT(error_of({{"node", "n1"}}), HasSubstr("needs host=node"));
  EXPECT_THAT(error_of({{"node", "n1"}, {"host", "gateway"}}), HasSubstr("needs host=node"));
  EXPECT_EQ(parsed({{"node", " "}})->node, std::nullopt);
}

TEST(ExecArgumentsTest, ReadsWhichEventsAreWanted) {
  EXPECT_EQ(parsed({})->notify, (Notify{std::nullopt, {}}));
  EXPECT_EQ(parsed({{"notify", true}})->notify, (Notify{true, {}}));
  EXPECT_EQ(parsed({{"notify", false}})->notify, (Notify{false, {}}));
  EXPECT_EQ(parsed({{"notify", {"pattern:a+"}}})->notify, (Notify{false, {"a+"}}));
  EXPECT_THAT(error_of({{"notify", {"start"}}}), HasSubstr("\"notify\" must be true, false, or a list"));
  EXPECT_THAT(error_of({{"notify", 3}}), HasSubstr("\"notify\" must be"));
  EXPECT_THAT(error_of({{"notify", {"pattern:("}}}), HasSubstr("not a regular expression"));
}

TEST(ExecArgumentsTest, NotifySurvivesItsJson) {
  for (const Notify& notify : {Notify{}, Notify{true, {}}, Notify{false, {"a", "b.*"}}}) {
    EXPECT_EQ(notify_from(to_json(notify)), notify);
  }
}

TEST(ExecArgumentsTest, TheYieldWindowComesFromCallThenConfigThenEnvironmentThenDefault) {
  const std::map<std::string, std::string> both = {{"TALARIA_EXEC_YIELD_MS", "300"}, {"PI_BASH_YIELD_MS", "400"}};
  EXPECT_EQ(yield_window(100, 200, both), 100);
  EXPECT_EQ(yield_window(std::nullopt, 200, both), 200);
  EXPECT_EQ(yield_window(std::nullopt, std::nullopt, both), 300);
  EXPECT_EQ(yield_window(std::nullopt, std::nullopt, {{"PI_BASH_YIELD_MS", "400"}}), 400);
  EXPECT_EQ(yield_window(std::nullopt, std::nullopt, {{"PI_BASH_YIELD_MS", "soon"}}), 10'000);
  EXPECT_EQ(yield_window(std::nullopt, std::nullopt, {{"PI_BASH_YIELD_MS", "-3"}}), 10);
  EXPECT_EQ(yield_window(std::nullopt, std::nullopt, {}), 10'000);
}

}  // namespace
}  // namespace talaria
