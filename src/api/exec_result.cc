#include "api/exec_result.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "api/sandbox_words.h"
#include "api/violation_notes.h"
#include "base/text.h"
#include "base/unseen.h"
#include "process/exit_meaning.h"
#include "process/exit_status.h"
#include "process/limit_words.h"

namespace talaria {
namespace {

constexpr int program_not_executable = 126;
constexpr int program_not_found = 127;

// Why a job counts as failed; empty when it completed.
std::string failure_reason(const JobRow& row) {
  if (row.reason == "timeout" || row.reason == "limit") return row.reason;
  if (row.exit_signal) return "signal";
  if (row.exit_code == program_not_executable) return "not-executable";
  if (row.exit_code == program_not_found) return "not-found";
  return "";
}

std::string seconds_text(double seconds) {
  if (seconds == 1) return "1 second";
  if (std::floor(seconds) == seconds) return with_commas(static_cast<uint64_t>(seconds)) + " seconds";
  char text[32];
  std::snprintf(text, sizeof text, "%g seconds", seconds);
  return text;
}

std::string signal_sentence(const JobRow& row) {
  const std::string name = signal_name(*row.exit_signal);
  if (row.reason == "killed") return "Command stopped by request (" + name + ").";
  std::string sentence = "Command aborted by signal " + name + ".";
  if (name == "SIGKILL") {
    sentence += " Nobody here sent it: memory may have run out (see the kernel's log), or another program killed it.";
  }
  if (name == "SIGSEGV" || name == "SIGABRT" || name == "SIGBUS" || name == "SIGILL" || name == "SIGFPE") {
    sentence += " The program crashed.";
  }
  return sentence;
}

JsonObject plain_host() {
  return {{"tier", 0},
          {"profile", nullptr},
          {"network", "on"},
          {"missing", JsonArray()},
          {"reason", "host=gateway runs on the plain host, outside any sandbox"}};
}

std::string limit_sentence(const JsonObject& stop) {
  return "Command stopped: " + limit_words(text_or(stop, "limit"), static_cast<uint64_t>(integer_or(stop, "max")),
                                           static_cast<uint64_t>(integer_or(stop, "peak")));
}

void append_paragraph(std::string& text, const std::string& paragraph) {
  if (paragraph.empty()) return;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) text += "\n\n";
  text += paragraph;
}

// Without the path of the file: commands cannot open it.
std::string where_the_rest_is(const JobRow& row, const ShownOutput& output) {
  std::string where = way_to_the_rest(row.id);
  if (!output.file_error.empty()) {
    where = "The whole output could not be kept: " + output.file_error + ". " + where;
  }
  if (row.lost_bytes == 0) return where;
  // Only a failing disk leaves a warning; the cap is what its owner chose.
  return where + " " + with_commas(row.lost_bytes) + " bytes of it are not kept (" +
         (row.note.empty() ? "exec.max_log_bytes" : "see the warning") + ").";
}

std::vector<std::string> notes_on(const JobRow& row) {
  std::vector<std::string> notes;
  if (!row.note.empty()) notes.push_back("Warning: " + row.note);
  const bool ended_by_us = !row.reason.empty();  // then what is left is on its way out
  if (row.leftovers > 0 && !ended_by_us) {
    const std::string count = std::to_string(row.leftovers);
    notes.push_back(count + (row.leftovers == 1 ? " process" : " processes") + " started by the command still " +
                    (row.leftovers == 1 ? "runs" : "run") + "; later output goes to the log of job " + row.id +
                    ", and process kill ends what is left.");
  }
  return notes;
}

}  // namespace

std::string_view status_word(const JobRow& row) {
  switch (row.state) {
    case JobState::starting:
    case JobState::running: return "running";
    case JobState::lost: return "lost";
    case JobState::ended: break;
  }
  return failure_reason(row).empty() ? "completed" : "failed";
}

std::string ending_sentence(const JobRow& row, const JobDetails& details) {
  if (row.state == JobState::lost) {
    return "Command lost: the process that looked after it went away (a crash or a reboot), so how it ended is not "
           "known. Its output up to then is kept; start it again if it is still needed.";
  }
  if (row.state != JobState::ended) return "";
  const std::string reason = failure_reason(row);
  if (reason == "timeout") {
    return "Command timed out after " + seconds_text(details.timeout_seconds) +
           ". If it needs longer, call again with a larger timeout (0 = none); if it should keep running, start it "
           "with "
           "background=true and follow it with process poll.";
  }
  if (reason == "limit") return limit_sentence(details.stopped_by);
  if (reason == "signal") return signal_sentence(row);
  if (reason == "not-found") {
    return "Command not found (exit code 127). Check the spelling and PATH, or install the program.";
  }
  if (reason == "not-executable") {
    return "Command not executable (exit code 126): permission denied, or not a program. Check its mode with ls -l, or "
           "run it through its interpreter.";
  }
  return "";
}

void put_ending(JsonObject& details, const JobRow& row) {
  if (row.exit_code) details["exitCode"] = *row.exit_code;
  else details["exitCode"] = nullptr;
  if (row.exit_signal) details["exitSignal"] = signal_name(*row.exit_signal);
  const std::string reason = failure_reason(row);
  if (!reason.empty()) details["reason"] = reason;
  else if (row.state == JobState::lost) details["reason"] = "lost";
  if (row.reason == "killed") details["stoppedByRequest"] = true;
}

void put_sandbox_news(JsonObject& told, const JobDetails& details) {
  if (details.network_tried != NetworkTried::no) told["network_tried"] = name_of(details.network_tried);
  if (!details.private_files.empty()) told["private_files"] = details.private_files;
}

JsonObject sandbox_of(const JobDetails& details) { return details.sandbox.empty() ? plain_host() : details.sandbox; }

ToolResult ending_result(const JobRow& row, const JobDetails& details) {
  ToolResult result;
  result.text = ending_sentence(row, details);
  result.details["status"] = status_word(row);
  result.details["sessionId"] = row.id;
  put_ending(result.details, row);
  result.details["cwd"] = row.cwd;
  result.details["startedAt"] = started_at(row);
  result.details["durationMs"] = runtime_ms(row, row.started_ms);
  result.details["outputBytes"] = row.output_bytes;
  if (row.lost_bytes > 0) result.details["lostBytes"] = row.lost_bytes;
  if (row.leftovers > 0) result.details["childrenStillRunning"] = row.leftovers;
  if (!row.note.empty()) result.details["warning"] = row.note;
  if (!details.stopped_by.empty()) result.details["stopped_by"] = details.stopped_by;
  if (!details.violations.empty()) result.details["violations"] = details.violations;
  put_sandbox_news(result.details, details);
  result.details["sandbox"] = sandbox_of(details);
  return result;
}

ToolResult finished_result(const JobRow& row, const JobDetails& details, const ShownOutput& output,
                           const std::vector<std::string>& notes) {
  ToolResult result = ending_result(row, details);
  const std::string sentence = std::move(result.text);
  result.text = output.text.empty() ? "(no output)" : output.text;
  if (!sentence.empty() && output.text.empty()) result.text.clear();
  result.details["truncated"] = output.truncated;
  if (!output.file.empty()) result.details["outputFile"] = output.file;

  std::vector<std::string> said = notes_on(row);
  said.insert(said.begin(), notes.begin(), notes.end());
  for (std::string& note : violation_notes(details.violations)) said.push_back(std::move(note));
  if (output.truncated) said.push_back(where_the_rest_is(row, output));
  append_paragraph(result.text, sentence);
  const bool ordinary_failure = sentence.empty() && row.exit_code.value_or(0) != 0;
  for (const std::string& note : said) append_paragraph(result.text, "(" + note + ")");
  if (ordinary_failure) {
    append_paragraph(result.text, "(Command exited with code " + std::to_string(*row.exit_code) + ")");
    if (const auto meaning = meaning_of_exit(row.command, *row.exit_code)) {
      result.text += "\n" + *meaning;
      said.push_back(*meaning);
    }
  }
  result.text += sandbox_paragraphs(details);
  for (std::string& note : sandbox_notes(details)) said.push_back(std::move(note));
  if (!said.empty()) result.details["note"] = join(said, " ");
  return result;
}

ToolResult running_result(const JobRow& row, const std::string& tail, const std::vector<std::string>& notes) {
  ToolResult result;
  result.text = "Command still running (session " + row.id + ", pid " + std::to_string(row.pid) +
                "). Use process (list/poll/log/write/kill/clear/remove) for follow-up.";
  std::vector<std::string> said = notes;
  if (!row.note.empty()) said.push_back("Warning: " + row.note);
  for (const std::string& note : said) append_paragraph(result.text, "(" + note + ")");
  if (!tail.empty()) append_paragraph(result.text, "The end of its output so far:\n" + tail);
  result.details["status"] = "running";
  result.details["sessionId"] = row.id;
  result.details["pid"] = row.pid;
  result.details["startedAt"] = started_at(row);
  result.details["cwd"] = row.cwd;
  result.details["tail"] = tail;
  if (!row.note.empty()) result.details["warning"] = row.note;
  if (!said.empty()) result.details["note"] = join(said, " ");
  result.details["sandbox"] = sandbox_of(details_of(row));
  return result;
}

void mask_directory(JsonObject& details, const Mask& mask) {
  Json* directory = details.if_contains("cwd");
  if (directory && directory->is_string()) *directory = mask.hide(std::string(directory->get_string()));
}

ToolResult denied_result(const Verdict& verdict, const JsonObject& sandbox) {
  ToolResult result;
  result.text = verdict.reason;
  result.details = {{"status", "denied"}, {"reason", verdict.reason}, {"rule", verdict.rule}, {"sandbox", sandbox}};
  result.is_error = true;
  return result;
}

ToolResult spawn_failure(const std::string& cwd, const Error& why, const JsonObject& sandbox) {
  ToolResult result;
  result.text = "Command could not be started: " + why.message() + ".";
  result.details = {{"status", "failed"},     {"exitCode", nullptr},
                    {"reason", "spawn"},      {"cwd", cwd},
                    {"error", why.message()}, {"sandbox", sandbox.empty() ? plain_host() : sandbox}};
  result.is_error = true;
  return result;
}

ToolResult error_result(const Error& error) {
  ToolResult result;
  result.text = error.message();
  result.details = {{"status", "failed"}, {"error", error.message()}, {"code", code_name(error.code())}};
  result.is_error = true;
  if (error.code() == ErrorCode::denied) {
    result.details["status"] = "denied";
    result.details["reason"] = error.message();
  }
  return result;
}

}  // namespace talaria
