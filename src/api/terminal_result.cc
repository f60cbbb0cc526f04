#include "api/terminal_result.h"

namespace talaria {
namespace {

constexpr int timed_out_code = 124;

}  // namespace

ToolResult terminal_result(const JobRow& row, const JobDetails& details, const ShownOutput& output,
                           const std::vector<std::string>& notes, const std::string& cwd) {
  ToolResult result = finished_result(row, details, output, notes);
  std::string sentence = ending_sentence(row, details);
  const bool timed_out = row.reason == "timeout";
  if (timed_out) {
    const size_t at = result.text.find(sentence);
    const std::string ours = sentence.substr(0, sentence.find(". ")) +
                             ". If it needs longer, call again with a larger timeout; what should go on in the "
                             "background is for exec and process.";
    if (at != std::string::npos) result.text.replace(at, sentence.size(), ours);
    sentence = ours;
  }
  JsonObject told{{"output", output.text},
                  {"exit_code", timed_out ? timed_out_code : row.exit_code.value_or(-1)},
                  {"cwd", cwd},
                  {"duration_seconds", static_cast<double>(runtime_ms(row, row.started_ms)) / 1000},
                  {"truncated", output.truncated},
                  {"sandbox", sandbox_of(details)}};
  if (!output.file.empty()) told["output_file"] = output.file;
  if (timed_out) told["timed_out"] = true;
  // A code that is not 0 is the command's own answer; an error is what kept it from giving one.
  const bool ended_by_itself = row.exit_code.has_value() && row.reason.empty();
  if (!ended_by_itself && !sentence.empty()) told["error"] = sentence;
  if (row.exit_signal) told["exit_signal"] = result.details["exitSignal"];
  if (result.details.contains("note")) told["note"] = result.details["note"];
  if (!details.stopped_by.empty()) told["stopped_by"] = details.stopped_by;
  if (!details.violations.empty()) told["violations"] = details.violations;
  put_sandbox_news(told, details);
  result.details = std::move(told);
  return result;
}

ToolResult terminal_failure(ToolResult result) {
  JsonObject told{{"output", ""}, {"exit_code", -1}, {"error", result.text}, {"truncated", false}};
  for (const char* name : {"sandbox", "reason", "rule", "cwd"}) {
    if (const Json* value = result.details.if_contains(name)) told[name] = *value;
  }
  result.details = std::move(told);
  result.is_error = true;
  return result;
}

}  // namespace talaria
