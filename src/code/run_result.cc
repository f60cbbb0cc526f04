#include "code/run_result.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "base/unseen.h"
#include "code/traceback.h"
#include "process/exit_status.h"
#include "process/limit_words.h"

namespace talaria {
namespace {

// "300s", "0.5s".
std::string seconds_text(double seconds) {
  char text[32];
  const bool whole = std::floor(seconds) == seconds && std::abs(seconds) < 1e15;
  std::snprintf(text, sizeof text, whole ? "%.0fs" : "%gs", seconds);
  return text;
}

std::string limit_sentence(const JsonObject& stop) {
  return "Script was stopped: " + limit_words(text_or(stop, "limit"), static_cast<uint64_t>(integer_or(stop, "max")),
                                              static_cast<uint64_t>(integer_or(stop, "peak")));
}

std::string signal_sentence(int signal) {
  std::string sentence = "Script was killed by signal " + std::to_string(signal) + " (" + signal_name(signal) + ").";
  if (signal_name(signal) == "SIGKILL") {
    sentence += " Nobody here sent it: memory may have run out (see the kernel's log), or another program killed it.";
  }
  return sentence;
}

std::string stopped_sentence(const std::string& why) {
  const bool ends = why.ends_with('.') || why.ends_with("…");
  return "Script was stopped: " + why + (ends ? "" : ".");
}

// Python itself reports the exception; all other ends want a sentence of ours.
std::string ending_sentence(const RunOutcome& outcome) {
  switch (outcome.status) {
    case RunStatus::success: return "";
    case RunStatus::timeout:
      return "Script timed out after " + seconds_text(outcome.timeout_seconds) +
             (outcome.session.empty() || outcome.session_lost ? " and was killed." : " and was interrupted.");
    case RunStatus::interrupted: return "[execution interrupted — user sent a new message]";
    case RunStatus::error: break;
  }
  if (!outcome.stopped_by.empty()) return limit_sentence(outcome.stopped_by);
  if (!outcome.broken.empty()) return stopped_sentence(outcome.broken);
  if (outcome.exit_signal) return signal_sentence(*outcome.exit_signal);
  // Who closed its way to us cannot say how it ended, but an interpreter leaves so after an exception.
  const bool unsaid = outcome.how.empty() && outcome.exit_code == 1;
  const bool reported = outcome.how == "error" || outcome.how == "syntax" || unsaid;
  if (reported && !exception_line(outcome.stderr_text).empty()) return "";
  if (outcome.exit_code) return "Script exited with code " + std::to_string(*outcome.exit_code) + ".";
  return "Script ended, and how is not known.";
}

void append_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += line;
}

void append_paragraph(std::string& text, const std::string& paragraph) {
  if (paragraph.empty()) return;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) text += "\n\n";
  text += paragraph;
}

// What a program that failed printed says the rest of it, so its stderr belongs to it.
std::string output_of(const RunOutcome& outcome, const std::string& sentence) {
  std::string output = outcome.printed.text;
  if (outcome.status == RunStatus::error && !outcome.stderr_text.empty()) {
    append_line(output, "--- stderr ---\n" + outcome.stderr_text);
  }
  append_line(output, sentence);
  return output;
}

Json exit_code_of(const RunOutcome& outcome) {
  if (outcome.exit_signal) return -*outcome.exit_signal;
  if (outcome.exit_code) return *outcome.exit_code;
  return nullptr;
}

std::vector<std::string> paragraphs_of(const RunOutcome& outcome, const std::string& hint) {
  std::vector<std::string> said = outcome.notes;
  if (!hint.empty()) said.push_back("Hint: " + hint);
  if (!outcome.rest.empty()) said.push_back(outcome.rest);
  if (outcome.session_lost) {
    said.push_back("The interpreter of session \"" + outcome.session +
                   "\" is gone, and its variables with it; the next call with that name starts a new one.");
  }
  return said;
}

void put_optional(JsonObject& details, const RunOutcome& outcome, const std::string& hint) {
  if (!hint.empty()) details["hint"] = hint;
  if (!outcome.stderr_text.empty()) details["stderr"] = outcome.stderr_text;
  if (!outcome.output_file.empty()) details["output_file"] = outcome.output_file;
  if (!outcome.stopped_by.empty()) details["stopped_by"] = outcome.stopped_by;
  if (!outcome.violations.empty()) details["violations"] = outcome.violations;
  if (!outcome.notes.empty()) {
    JsonArray notes;
    for (const std::string& note : outcome.notes) notes.emplace_back(note);
    details["notes"] = std::move(notes);
  }
  if (!outcome.session.empty()) details["session"] = outcome.session;
  if (outcome.session_lost) details["session_lost"] = true;
  if (!outcome.interpreter.empty()) details["python"] = outcome.interpreter;
}

}  // namespace

std::string_view name_of(RunStatus status) {
  switch (status) {
    case RunStatus::success: return "success";
    case RunStatus::error: return "error";
    case RunStatus::timeout: return "timeout";
    case RunStatus::interrupted: return "interrupted";
  }
  return "error";
}

ToolResult run_result(const RunOutcome& outcome) {
  const std::string sentence = ending_sentence(outcome);
  const std::string exception = outcome.status == RunStatus::error ? exception_line(outcome.stderr_text) : "";
  const std::string hint = hint_for(exception, outcome.interpreter);
  const std::string output = output_of(outcome, sentence);
  const auto consumed = static_cast<int64_t>(outcome.tally.result_bytes);

  ToolResult result;
  result.details = {{"status", name_of(outcome.status)},
                    {"output", output},
                    {"tool_calls_made", outcome.tally.calls},
                    {"duration_seconds", std::round(outcome.duration_seconds * 1000) / 1000},
                    {"exit_code", exit_code_of(outcome)}};
  // One that raised is what the call was made for: its result, not a refusal of the call.
  if (outcome.status != RunStatus::success) result.details["error"] = sentence.empty() ? exception : sentence;
  result.details["stdout_bytes_total"] = outcome.printed.total_bytes;
  result.details["stdout_truncated"] = outcome.printed.truncated;
  result.details["sandbox"] = outcome.sandbox;
  result.details["context_bytes_saved"] = std::max<int64_t>(0, consumed - static_cast<int64_t>(output.size()));
  put_optional(result.details, outcome, hint);

  result.text = output;
  for (const std::string& paragraph : paragraphs_of(outcome, hint))
    append_paragraph(result.text, "(" + paragraph + ")");
  if (trim(result.text).empty()) result.text = "(no output)";
  return result;
}

}  // namespace talaria
