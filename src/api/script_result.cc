#include "api/script_result.h"

#include <fcntl.h>

#include <algorithm>

#include "api/sandbox_words.h"
#include "api/shown_output.h"
#include "api/violation_notes.h"
#include "base/text.h"
#include "base/unseen.h"
#include "code/script_output.h"
#include "code/trace.h"
#include "os/file.h"
#include "process/output_log.h"

namespace talaria {
namespace {

constexpr uint64_t most_in_file = 64 << 20;
constexpr size_t copy_size = 1 << 20;

Result<> copy_to(const ByteSource& source, const std::string& file) {
  TRY(make_directories(file.substr(0, file.find_last_of('/'))));
  const UniqueFd out = TRY(open_file(file, O_WRONLY | O_CREAT | O_TRUNC, 0600));
  const uint64_t end = std::min(source.size, most_in_file);
  for (uint64_t at = 0; at < end;) {
    const std::string bytes = TRY(source.read(at, static_cast<size_t>(std::min<uint64_t>(copy_size, end - at))));
    if (bytes.empty()) break;
    TRY(write_all(out.get(), bytes));
    at += bytes.size();
  }
  return ok;
}

// Where all that it printed is, for a result that shows a part.
void keep_output(RunOutcome& outcome, const std::string& folder, const Script& script, const ScriptRun& run,
                 const ByteSource& source) {
  const bool kept_interpreter = !script.plan().name.empty();
  const std::string file = folder + (kept_interpreter ? "/run-" + std::to_string(run.number) : "/output");
  if (!exists(file) && source.lost_begin == source.lost_end) {
    if (Result<> written = copy_to(source, file); !written) {
      outcome.notes.push_back("The whole output could not be kept in a file: " + written.error().message() + ".");
      return;
    }
  }
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return;
  if (info.st_size > 0) outcome.output_file = file;
}

// By a tool that the session has. No command of it can open the file.
std::string way_to_the_rest_of(Parts& parts, const Script& script, const std::string& file, const ByteSource& source) {
  const std::set<Toolset> toolsets = parts.desk.toolsets_of(script.plan().session);
  if (!toolsets.contains(Toolset::terminal)) {
    if (file.empty() || !toolsets.contains(Toolset::file)) return "";
    return "All that is kept of it can be read with read_file: " + shown_line(file) + ".";
  }
  std::string way = way_to_the_rest(script.job());
  if (!script.plan().name.empty()) way += " What earlier scripts of this interpreter printed is before it.";
  const uint64_t lost = source.lost_end - source.lost_begin;
  return lost == 0 ? way : way + " " + with_commas(lost) + " bytes of it are not kept.";
}

RunStatus status_of(const Script& script, const ScriptRun& run) {
  if (run.stop == RunStop::timeout) return RunStatus::timeout;
  if (run.stop == RunStop::interrupted) return RunStatus::interrupted;
  if (run.stop == RunStop::broken) return RunStatus::error;
  if (const std::optional<JobRow>& row = script.ended_row()) {
    if (row->reason == "timeout") return RunStatus::timeout;
    if (row->reason == "killed") return RunStatus::interrupted;
    const bool fine = row->reason.empty() && row->exit_code == 0 && script.plan().name.empty();
    return fine ? RunStatus::success : RunStatus::error;
  }
  if (run.how == "interrupted") return RunStatus::interrupted;
  return run.how == "ok" || (run.how == "exit" && run.exit_code == 0) ? RunStatus::success : RunStatus::error;
}

ScriptOutput masked_output(ScriptOutput output, const Mask& mask) {
  if (!output.truncated) {
    output.text = mask.hide(std::move(output.text));
    return output;
  }
  // The cut may go through a secret on both of its sides.
  std::string head = output.text.substr(0, output.gap_begin);
  const std::string gap = output.text.substr(output.gap_begin, output.gap_end - output.gap_begin);
  std::string tail = output.text.substr(output.gap_end);
  head = mask.hide_cut(mask.hide(std::move(head)), CutEnd::back);
  tail = mask.hide_cut(mask.hide(std::move(tail)), CutEnd::front);
  output.text = head + gap + tail;
  output.gap_begin = head.size();
  output.gap_end = head.size() + gap.size();
  return output;
}

// What the keeper says went wrong beside the program, such as a full disk.
std::string warning_of(Parts& parts, const Script& script) {
  if (script.ended_row()) return script.ended_row()->note;
  const LiveJob* job = parts.jobs.live(script.job());
  return job ? job->row.note : "";
}

void put_ending(RunOutcome& outcome, const Script& script, const ScriptRun& run) {
  outcome.status = status_of(script, run);
  outcome.exit_code = run.exit_code;
  outcome.how = run.how;
  if (const std::optional<JobRow>& row = script.ended_row()) {
    outcome.exit_code = row->exit_code;
    outcome.exit_signal = row->exit_signal;
    outcome.stopped_by = script.ended_details().stopped_by;
    outcome.violations = script.ended_details().violations;
    for (std::string& note : violation_notes(outcome.violations)) outcome.notes.push_back(std::move(note));
    for (std::string& note : sandbox_notes(script.ended_details())) outcome.notes.push_back(std::move(note));
    if (row->state == JobState::lost) {
      outcome.broken = "the process that looked after it went away (a crash or a reboot), so how it ended is not known";
    }
    outcome.session_lost = !script.plan().name.empty();
  }
  if (!run.broken.empty()) outcome.broken = run.broken;
}

}  // namespace

ByteSource part_of(const ByteSource& whole, uint64_t begin, uint64_t end) {
  ByteSource until = first_of(whole, end);
  if (begin == 0) return until;
  ByteSource part;
  begin = std::min(begin, until.size);
  part.size = until.size - begin;
  part.lost_begin = std::max(until.lost_begin, begin) - begin;
  part.lost_end = std::max(until.lost_end, begin) - begin;
  part.read = [read = until.read, begin](uint64_t offset, size_t length) { return read(begin + offset, length); };
  return part;
}

ToolResult script_result(Parts& parts, Script& script, const ScriptRun& run, const Result<ByteSource>& output) {
  const ScriptPlan& plan = script.plan();
  RunOutcome outcome;
  outcome.notes = run.plan.notes;
  put_ending(outcome, script, run);
  const Mask mask = parts.secrets.mask(plan.secrets);
  outcome.stderr_text = masked_output(script.errors(), mask).text;
  outcome.duration_seconds = std::chrono::duration<double>(Clock::now() - run.begun).count();
  outcome.tally = run.tally;
  outcome.timeout_seconds = run.plan.timeout_seconds;
  outcome.sandbox = plan.sandbox;
  outcome.session = plan.name;
  outcome.interpreter = plan.interpreter.program;
  if (output) {
    const ByteSource source = part_of(*output, script.printed_before(), run.end);
    Result<ScriptOutput> shown = script_output(source, run.plan.max_stdout_bytes);
    if (shown) outcome.printed = masked_output(*std::move(shown), mask);
    else outcome.notes.push_back("Its output could not be read: " + shown.error().message() + ".");
    if (outcome.printed.truncated) {
      keep_output(outcome, parts.jobs.home().job(script.job()), script, run, source);
      outcome.rest = way_to_the_rest_of(parts, script, outcome.output_file, source);
    }
  } else {
    outcome.notes.push_back("Its output could not be read: " + output.error().message() + ".");
  }
  const std::string warning = warning_of(parts, script);
  if (!warning.empty()) outcome.notes.push_back("Warning: " + warning + ".");
  ToolResult result = run_result(outcome);
  if (!warning.empty()) result.details["warning"] = warning;
  const LiveJob* job = parts.jobs.live(script.job());
  const JobDetails& kept = job ? job->details : script.ended_details();
  result.details["warm_start"] = boolean_or(kept.script, "warm");
  if (run.plan.trace) result.details["trace"] = trace_text(run.tally);
  return result;
}

ToolResult refused_run(const std::string& why) {
  ToolResult result;
  result.text = why;
  result.details = {
      {"status", "error"}, {"output", ""}, {"error", why}, {"tool_calls_made", 0}, {"duration_seconds", 0.0}};
  result.is_error = true;
  return result;
}

}  // namespace talaria
