#include "code/run_result.h"

#include <gtest/gtest.h>

#include "process/limit_words.h"

namespace talaria {
namespace {

const std::string traceback =
    "Traceback (most recent call last):\n  File \"<program>\", line 2, in <module>\nValueError: bad\n";

RunOutcome printed(std::string text) {
  RunOutcome outcome;
  outcome.exit_code = 0;
  outcome.printed = {.text = text, .total_bytes = text.size()};
  outcome.how = "ok";
  return outcome;
}

RunOutcome failed(int code, std::string how, std::string errors) {
  RunOutcome outcome = printed("some\n");
  outcome.status = RunStatus::error;
  outcome.exit_code = code;
  outcome.how = std::move(how);
  outcome.stderr_text = std::move(errors);
  return outcome;
}

std::string error_of(const RunOutcome& outcome) { return text_or(run_result(outcome).details, "error", "none"); }

TEST(RunResultTest, ASuccessIsWhatItPrinted) {
  RunOutcome outcome = printed("42\n");
  outcome.duration_seconds = 0.123456;
  outcome.tally = {.calls = 3, .refused = 1, .result_bytes = 1003};
  outcome.sandbox = {{"tier", 2}};
  outcome.interpreter = "/usr/bin/python3";
  outcome.stderr_text = "a warning\n";
  const ToolResult result = run_result(outcome);
  EXPECT_EQ(result.text, "42\n");
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(result.details, (JsonObject{{"status", "success"},
                                        {"output", "42\n"},
                                        {"tool_calls_made", 3},
                                        {"duration_seconds", 0.123},
                                        {"exit_code", 0},
                                        {"stdout_bytes_total", 3u},
                                        {"stdout_truncated", false},
                                        {"sandbox", {{"tier", 2}}},
                                        {"context_bytes_saved", 1000},
                                        {"stderr", "a warning\n"},
                                        {"python", "/usr/bin/python3"}}));
}

TEST(RunResultTest, AnExceptionIsItsTraceback) {
  const ToolResult result = run_result(failed(1, "error", traceback));
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(result.text, "some\n--- stderr ---\n" + traceback);
  EXPECT_EQ(result.details, (JsonObject{{"status", "error"},
                                        {"output", "some\n--- stderr ---\n" + traceback},
                                        {"tool_calls_made", 0},
                                        {"duration_seconds", 0.0},
                                        {"exit_code", 1},
                                        {"error", "ValueError: bad"},
                                        {"stdout_bytes_total", 5u},
                                        {"stdout_truncated", false},
                                        {"sandbox", JsonObject()},
                                        {"context_bytes_saved", 0},
                                        {"stderr", traceback}}));
}

TEST(RunResultTest, ASyntaxErrorNamesItsLine) {
  EXPECT_EQ(error_of(failed(1, "syntax",
                            "  File \"<program>\", line 3\n    x = =\n        ^\nSyntaxError: invalid syntax\n")),
            "SyntaxError: invalid syntax (line 3)");
}

TEST(RunResultTest, AnExitSaysItsCode) {
  const ToolResult result = run_result(failed(3, "exit", "no luck\n"));
  EXPECT_EQ(result.text, "some\n--- stderr ---\nno luck\nScript exited with code 3.");
  EXPECT_EQ(text_or(result.details, "error"), "Script exited with code 3.");
}

TEST(RunResultTest, AnExitAfterACaughtExceptionIsAnExit) {
  EXPECT_EQ(error_of(failed(3, "exit", traceback)), "Script exited with code 3.");
  EXPECT_EQ(error_of(failed(1, "error", "")), "Script exited with code 1.");
}

TEST(RunResultTest, WhoCouldNotSayHowItEndedStillHasItsException) {
  EXPECT_EQ(error_of(failed(1, "", traceback)), "ValueError: bad");
  EXPECT_EQ(error_of(failed(1, "", "no report\n")), "Script exited with code 1.");
  EXPECT_EQ(error_of(failed(4, "", traceback)), "Script exited with code 4.");
}

TEST(RunResultTest, ASignalIsNamed) {
  RunOutcome outcome = failed(0, "", "");
  outcome.exit_code.reset();
  outcome.exit_signal = 11;
  const ToolResult result = run_result(outcome);
  EXPECT_EQ(result.text, "some\nScript was killed by signal 11 (SIGSEGV).");
  EXPECT_EQ(integer_or(result.details, "exit_code"), -11);
  outcome.exit_signal.reset();
  EXPECT_EQ(run_result(outcome).details.at("exit_code"), Json(nullptr));
  EXPECT_EQ(error_of(outcome), "Script ended, and how is not known.");
}

TEST(RunResultTest, ATimeoutKeepsWhatWasPrinted) {
  RunOutcome outcome = failed(0, "", "KeyboardInterrupt\n");
  outcome.status = RunStatus::timeout;
  outcome.exit_signal = 15;
  outcome.timeout_seconds = 300;
  const ToolResult result = run_result(outcome);
  EXPECT_EQ(result.text, "some\nScript timed out after 300s and was killed.");
  EXPECT_EQ(text_or(result.details, "status"), "timeout");
  EXPECT_EQ(text_or(result.details, "output"), result.text);
  EXPECT_EQ(text_or(result.details, "error"), "Script timed out after 300s and was killed.");
  outcome.timeout_seconds = 0.5;
  EXPECT_EQ(error_of(outcome), "Script timed out after 0.5s and was killed.");
}

TEST(RunResultTest, AnInterruptionKeepsWhatWasPrinted) {
  RunOutcome outcome = failed(0, "interrupted", "");
  outcome.status = RunStatus::interrupted;
  outcome.printed = {};
  outcome.session = "data";
  outcome.session_lost = true;
  const ToolResult result = run_result(outcome);
  EXPECT_EQ(
      result.text,
      "[execution interrupted — user sent a new message]\n\n(The interpreter of session \"data\" is gone, and its "
      "variables with it; the next call with that name starts a new one.)");
  EXPECT_EQ(text_or(result.details, "session"), "data");
  EXPECT_TRUE(boolean_or(result.details, "session_lost"));
}

TEST(RunResultTest, ALimitOfTheSandboxIsNamed) {
  RunOutcome outcome = failed(0, "", "");
  outcome.exit_signal = 9;
  for (const char* limit : {"memory", "processes", "disk", "disk_floor", "guarded_files", "time"}) {
    outcome.stopped_by = {{"limit", limit}, {"max", 1}, {"peak", 2}};
    EXPECT_EQ(error_of(outcome), "Script was stopped: " + limit_words(limit, 1, 2));
  }
  EXPECT_EQ(run_result(outcome).details.at("stopped_by"), Json({{"limit", "time"}, {"max", 1}, {"peak", 2}}));
}

TEST(RunResultTest, WhatWeEndedSaysWhy) {
  RunOutcome outcome = failed(0, "", "");
  outcome.exit_signal = 9;
  outcome.broken = "the script sent a malformed frame (…): \"[]\"";
  EXPECT_EQ(error_of(outcome), "Script was stopped: the script sent a malformed frame (…): \"[]\".");
}

TEST(RunResultTest, IsNeverEmpty) {
  EXPECT_EQ(run_result(printed("")).text, "(no output)");
  EXPECT_EQ(run_result(printed("\n")).text, "(no output)");
  EXPECT_EQ(text_or(run_result(printed("")).details, "output", "none"), "");
}

TEST(RunResultTest, SaysWhereTheRestOfTheOutputIsAndWhatElseIsToBeKnown) {
  RunOutcome outcome = printed("head\n[output truncated at 50KB] 5 bytes left out\ntail\n");
  outcome.printed.truncated = true;
  outcome.printed.total_bytes = 50'005;
  outcome.output_file = "/home/x/output";
  outcome.rest = "The rest is in the log.";
  outcome.notes = {"MY_KEY is not passed on"};
  outcome.session = "data";
  const ToolResult result = run_result(outcome);
  EXPECT_EQ(result.text,
            "head\n[output truncated at 50KB] 5 bytes left out\ntail\n\n(MY_KEY is not passed on)\n\n"
            "(The rest is in the log.)");
  EXPECT_EQ(text_or(result.details, "output_file"), "/home/x/output");
  EXPECT_EQ(integer_or(result.details, "stdout_bytes_total"), 50'005);
  EXPECT_TRUE(boolean_or(result.details, "stdout_truncated"));
  EXPECT_EQ(result.details.at("notes"), Json(JsonArray{"MY_KEY is not passed on"}));
  EXPECT_FALSE(result.details.contains("session_lost"));
}

TEST(RunResultTest, ACommonMistakeGetsAHint) {
  const ToolResult result =
      run_result(failed(1, "error",
                        "Traceback (most recent call last):\n  File \"<program>\", line 1, in <module>\n"
                        "NameError: name 'retry' is not defined\n"));
  EXPECT_EQ(text_or(result.details, "hint"), "Import it first: from hermes_tools import retry");
  EXPECT_TRUE(result.text.ends_with("\n\n(Hint: Import it first: from hermes_tools import retry)"));
}

}  // namespace
}  // namespace talaria
