#include "api/job_input.h"

#include "api/process_call.h"
#include "process/exit_status.h"

namespace talaria {
namespace {

// The row, and the keeper that has the job.
Result<std::pair<JobRow, KeeperClient*>> reach(Parts& parts, const std::string& job) {
  JobRow row = TRY(parts.jobs.find(job, std::nullopt));
  const LiveJob* live = parts.jobs.live(row.id);
  if (!live || live->gone) return Error(ErrorCode::conflict, "Job " + row.id + " is over. " + standing_sentence(row));
  KeeperClient* keeper = TRY(parts.jobs.keeper());
  return std::pair(std::move(row), keeper);
}

}  // namespace

JobWrite::JobWrite(Parts& parts, const std::string& job, const std::string& data, bool eof,
                   const std::optional<StdinPosition>& position, Done<ToolResult> done)
    : done_(std::move(done)) {
  Result<std::pair<JobRow, KeeperClient*>> reached = reach(parts, job);
  if (!reached) {
    later_ = Later(parts.loop, [answer = std::move(done_), error = reached.error()] { answer(error); });
    return;
  }
  call_ = reached->second->write(
      reached->first.id, data, eof, position,
      [this, &parts, id = reached->first.id, count = data.size()](const Result<JobStatus>& status) {
        const Done<ToolResult> answer = std::move(done_);
        if (!status) return answer(status.error());
        if (LiveJob* live = parts.jobs.live(id)) live->row.stdin_open = status->stdin_open;
        ToolResult result;
        result.details = {{"sessionId", id}, {"accepted", count}, {"stdinOpen", status->stdin_open}};
        answer(std::move(result));
      });
}

JobSignal::JobSignal(Parts& parts, const std::string& job, const std::string& signal, Done<ToolResult> done)
    : done_(std::move(done)) {
  Result<> sent = send(parts, job, signal);
  if (!sent) later_ = Later(parts.loop, [answer = std::move(done_), error = sent.error()] { answer(error); });
}

Result<> JobSignal::send(Parts& parts, const std::string& job, const std::string& signal) {
  const int number = TRY(parse_signal(signal));
  const auto [row, keeper] = TRY(reach(parts, job));
  if (LiveJob* live = parts.jobs.live(row.id)) live->details.sent_signal = number;
  call_ = keeper->signal(row.id, number, [this, row = row, number](const Result<JobStatus>& status) {
    const Done<ToolResult> answer = std::move(done_);
    if (!status) return answer(status.error());
    ToolResult result;
    result.details = {{"sessionId", row.id}, {"signal", signal_name(number)}};
    answer(std::move(result));
  });
  return ok;
}

}  // namespace talaria
