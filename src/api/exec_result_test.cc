#include "api/exec_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace talaria {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

JobRow ended_with(int code) {
  JobRow row;
  row.id = "ab2c3d4e";
  row.command = "./verify";
  row.cwd = "/project";
  row.state = JobState::ended;
  row.pid = 12345;
  row.started_ms = 1000;
  row.ended_ms = 1250;
  row.exit_code = code;
  return row;
}

ShownOutput shown(std::string text) {
  return {.text = std::move(text), .truncated = false, .file = "", .file_bytes = 0, .file_error = ""};
}

JobRow ended_by(int signal, const std::string& reason = "") {
  JobRow row = ended_with(0);
  row.exit_code.reset();
  row.exit_signal = signal;
  row.reason = reason;
  return row;
}

TEST(ExecResultTest, ASuccessIsItsOutput) {
  const ToolResult result = finished_result(ended_with(0), {}, shown("hi\n"), {});
  EXPECT_EQ(result.text, "hi\n");
  EXPECT_FALSE(result.is_error);
  const JsonObject expected = {
      {"status", "completed"},
      {"sessionId", "ab2c3d4e"},
      {"exitCode", 0},
      {"cwd", "/project"},
      {"startedAt", 1000},
      {"durationMs", 250},
      {"outputBytes", 0},
      {"sandbox", JsonObject{{"tier", 0},
                             {"profile", nullptr},
                             {"network", "on"},
                             {"missing", JsonArray()},
                             {"reason", "host=gateway runs on the plain host, outside any sandbox"}}},
      {"truncated", false}};
  EXPECT_EQ(result.details, expected) << write_json(result.details);
}

TEST(ExecResultTest, SaysSoWhenThereWasNoOutput) {
  EXPECT_EQ(finished_result(ended_with(0), {}, {}, {}).text, "(no output)");
}

TEST(ExecResultTest, AFailingExitCodeIsStillCompleted) {
  const ToolResult result = finished_result(ended_with(2), {}, shown("partial\n"), {});
  EXPECT_EQ(result.text, "partial\n\n(Command exited with code 2)");
  EXPECT_EQ(result.details.at("status"), "completed");
  EXPECT_EQ(result.details.at("exitCode"), 2);
}

TEST(ExecResultTest, AKnownExitCodeIsExplained) {
  JobRow row = ended_with(1);
  row.command = "grep foo bar.txt";
  const ToolResult result = finished_result(row, {}, {}, {});
  EXPECT_THAT(result.text, StartsWith("(no output)\n\n(Command exited with code 1)\n"));
  EXPECT_THAT(result.text, HasSubstr("grep"));
  EXPECT_TRUE(result.details.contains("note"));
}

TEST(ExecResultTest, ATimeoutSaysHowLongAndWhatToDo) {
  JobDetails details;
  details.timeout_seconds = 30;
  const ToolResult result = finished_result(ended_by(SIGTERM, "timeout"), details, shown("so far\n"), {});
  EXPECT_THAT(result.text, StartsWith("so far\n\nCommand timed out after 30 seconds. "));
  EXPECT_THAT(result.text, HasSubstr("larger timeout"));
  EXPECT_EQ(result.details.at("status"), "failed");
  EXPECT_EQ(result.details.at("reason"), "timeout");
  EXPECT_EQ(result.details.at("exitCode"), nullptr);
  EXPECT_EQ(result.details.at("exitSignal"), "SIGTERM");
}

TEST(ExecResultTest, WritesTimesAsPeopleDo) {
  EXPECT_THAT(ending_sentence(ended_by(SIGTERM, "timeout"), {.timeout_seconds = 1}), HasSubstr("after 1 second."));
  EXPECT_THAT(ending_sentence(ended_by(SIGTERM, "timeout"), {.timeout_seconds = 0.5}), HasSubstr("after 0.5 seconds."));
  EXPECT_THAT(ending_sentence(ended_by(SIGTERM, "timeout"), {.timeout_seconds = 1800}),
              HasSubstr("after 1,800 seconds."));
}

TEST(ExecResultTest, ASignalIsNamed) {
  const ToolResult result = finished_result(ended_by(SIGKILL), {}, {}, {});
  EXPECT_THAT(result.text, StartsWith("Command aborted by signal SIGKILL."));
  EXPECT_EQ(result.details.at("reason"), "signal");
  EXPECT_EQ(finished_result(ended_by(SIGTERM, "killed"), {}, {}, {}).text, "Command stopped by request (SIGTERM).");
}

TEST(ExecResultTest, MissingAndUnusableProgramsAreFailures) {
  const ToolResult missing = finished_result(ended_with(127), {}, shown("bash: nope: command not found\n"), {});
  EXPECT_EQ(missing.details.at("status"), "failed");
  EXPECT_EQ(missing.details.at("reason"), "not-found");
  EXPECT_EQ(missing.details.at("exitCode"), 127);
  EXPECT_THAT(missing.text, HasSubstr("\n\nCommand not found"));
  EXPECT_EQ(finished_result(ended_with(126), {}, {}, {}).details.at("reason"), "not-executable");
}

TEST(ExecResultTest, ALostJobIsNeverFinished) {
  JobRow row = ended_with(0);
  row.state = JobState::lost;
  row.exit_code.reset();
  const ToolResult result = finished_result(row, {}, shown("before\n"), {});
  EXPECT_EQ(result.details.at("status"), "lost");
  EXPECT_THAT(result.text, StartsWith("before\n\nCommand lost"));
}

TEST(ExecResultTest, TellsOfChildrenThatStillRun) {
  JobRow row = ended_with(0);
  row.leftovers = 2;
  const ToolResult result = finished_result(row, {}, shown("started\n"), {});
  EXPECT_EQ(result.details.at("childrenStillRunning"), 2);
  EXPECT_THAT(result.text, HasSubstr("2 processes started by the command still run"));
}

TEST(ExecResultTest, NamesTheFileOfAShortenedOutput) {
  const ToolResult result = finished_result(ended_with(3), {}, {"a…b\n", true, "/h/jobs/x/output", 0, ""}, {});
  EXPECT_EQ(result.details.at("truncated"), true);
  EXPECT_EQ(result.details.at("outputFile"), "/h/jobs/x/output");
  EXPECT_THAT(result.text, EndsWith("(Command exited with code 3)"));
  EXPECT_THAT(result.text, Not(HasSubstr("/h/jobs")));  // no command could open it
}

TEST(ExecResultTest, SaysWhatOfAShortenedOutputIsWhere) {
  JobRow row = ended_with(0);
  row.output_bytes = 5'000;
  const auto said = [&](uint64_t file_bytes, const std::string& error = "") {
    return finished_result(row, {}, {"a…b\n", true, error.empty() ? "/h/output" : "", file_bytes, error}, {}).text;
  };
  const std::string way =
      "The rest is in the log: process log with sessionId ab2c3d4e, by lines (offset, limit) or with grep.";
  EXPECT_EQ(said(5'000), "a…b\n\n(" + way + ")");
  EXPECT_THAT(said(0, "No space left on device"),
              HasSubstr("(The whole output could not be kept: No space left on device. " + way + ")"));
  EXPECT_FALSE(finished_result(row, {}, {}, {}).details.contains("lostBytes"));
  row.lost_bytes = 1'000;
  EXPECT_EQ(finished_result(row, {}, {}, {}).details.at("lostBytes"), 1'000);
  EXPECT_THAT(said(2'000), HasSubstr(way + " 1,000 bytes of it are not kept (exec.max_log_bytes).)"));
  row.note = "part of the output was lost: No space left on device";
  EXPECT_THAT(said(2'000), HasSubstr(way + " 1,000 bytes of it are not kept (see the warning).)"));
}

TEST(ExecResultTest, ARefusalIsDenied) {
  const ToolResult result = error_result(Error(ErrorCode::denied, "elevated is not available right now"));
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.details.at("status"), "denied");
  EXPECT_EQ(result.details.at("reason"), "elevated is not available right now");
}

TEST(ExecResultTest, ARunningCommandIsDescribedInTheAgreedWords) {
  JobRow row = ended_with(0);
  row.state = JobState::running;
  const ToolResult result = running_result(row, "last line", {});
  EXPECT_EQ(
      result.text,
      "Command still running (session ab2c3d4e, pid 12345). Use process (list/poll/log/write/kill/clear/remove) for "
      "follow-up.\n\nThe end of its output so far:\nlast line");
  EXPECT_EQ(running_result(row, "", {}).text,
            "Command still running (session ab2c3d4e, pid 12345). Use process "
            "(list/poll/log/write/kill/clear/remove) for follow-up.");
  EXPECT_EQ(result.details, (JsonObject{{"status", "running"},
                                        {"sessionId", "ab2c3d4e"},
                                        {"pid", 12345},
                                        {"startedAt", 1000},
                                        {"cwd", "/project"},
                                        {"tail", "last line"},
                                        {"sandbox", sandbox_of({})}}));
}

TEST(ExecResultTest, ADenialGivesReasonAndRule) {
  const ToolResult result =
      denied_result({Decision::deny, "exec denied: host=gateway security=deny", "security=deny"}, sandbox_of({}));
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.details, (JsonObject{{"status", "denied"},
                                        {"reason", "exec denied: host=gateway security=deny"},
                                        {"rule", "security=deny"},
                                        {"sandbox", sandbox_of({})}}));
}

TEST(ExecResultTest, DetailsSurviveTheirRow) {
  JobDetails details;
  details.timeout_seconds = 2.5;
  details.notify = {false, {"ready"}};
  details.handed_back = details.stop_requested = details.exit_seen = details.elevated = true;
  details.sent_signal = 2;
  details.door = "mcp";
  JobRow row;
  row.details_json = write_json(to_json(details));
  EXPECT_EQ(details_of(row), details);
}

}  // namespace
}  // namespace talaria
