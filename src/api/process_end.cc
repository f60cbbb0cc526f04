// process kill, clear, remove: the end of a job, and the end of its memory.
#include <csignal>

#include "api/process_call.h"
#include "process/exit_status.h"

namespace talaria {
namespace {

constexpr auto end_patience = 2s;

class EndCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    LiveJob* job = parts_.jobs.live(id());
    // What is over is over, also before the keeper has said that nothing of it is left.
    const bool something_left = job && !job->gone && (job->running() || job->row.leftovers > 0);
    const bool running = job && job->running();
    switch (arguments().action) {
      case ProcessAction::clear:
        if (!something_left) return forget_soon("Cleared job " + id() + ".");
        return fail_soon(Error(ErrorCode::conflict,
                               "Job " + id() + (running ? " is still running" : " left processes that still run") +
                                   "; use remove to end and forget it"));
      case ProcessAction::remove:
        if (!something_left) return forget_soon("Removed job " + id() + ".");
        return end(*job);
      default: break;
    }
    if (!something_left) {
      return answer_soon(
          {"Job " + id() + " is over already. " + standing_sentence(wish_.row), standing_details(wish_.row), false});
    }
    if (arguments().signal) return signal(*job);
    end(*job);
  }
  ~EndCall() override { close(false); }

 private:
  void end(LiveJob& job) {
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (!keeper) return fail_soon(keeper.error());
    // A cancelled job does not announce itself. One that had ended before is not cancelled by this.
    if (job.running()) job.details.stop_requested = true;
    call_ = (*keeper)->end(id(), job_grace, [this](const Result<JobStatus>& status) {
      if (!status) return fail(status.error());
      ended();
    });
  }

  void ended() {
    if (arguments().action == ProcessAction::remove) return forget("Removed job " + id() + ".");
    JobRow row = row_now();
    row.leftovers = 0;
    answer({"Job " + id() + " stopped. " + standing_sentence(row), standing_details(row), false});
  }

  void signal(LiveJob& job) {
    const Result<int> number = parse_signal(*arguments().signal);
    if (!number) return fail_soon(number.error());
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (!keeper) return fail_soon(keeper.error());
    job.details.sent_signal = *number;
    call_ = (*keeper)->signal(id(), *number, [this, number = *number](const Result<JobStatus>& status) {
      if (!status) return fail(status.error());
      sent_ = "Sent " + signal_name(number) + " to job " + id() + ".";
      LiveJob* live = parts_.jobs.live(id());
      if (!ends_most(number)) return answer({sent_, standing_details(row_now()), false});
      if (!live || !live->running()) return answer_signal();
      await_end(*live);
    });
  }

  static bool ends_most(int signal) {
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
  }

  // Most programs end at once, and then the caller need not ask again.
  void await_end(LiveJob& job) {
    ++job.open_polls;
    counted_ = true;
    watch_ = parts_.jobs.watch(job, [this](LiveJob& changed) {
      // Not from here: Jobs has yet to announce it, and we are what keeps it from doing so.
      if (!changed.running()) now_ = Later(parts_.loop, [this] { answer_signal(); });
    });
    deadline_ = parts_.loop.after(end_patience, [this] { answer_signal(); });
  }

  void answer_signal() {
    // We live on for a moment: that nothing of the job is left, or that our patience ended, is no second answer.
    watch_.reset();
    now_ = {};
    deadline_ = {};
    const JobRow row = row_now();
    close(finished(row.state));
    answer({sent_ + " " + standing_sentence(row), standing_details(row), false});
  }

  void close(bool told) {
    LiveJob* job = parts_.jobs.live(id());
    if (counted_ && job) {
      --job->open_polls;
      parts_.announcer.poll_closed(*job, told);
    }
    if (told) parts_.board.withdraw_exit(wish_.row.session, id());
    counted_ = false;
  }

  void forget_soon(const std::string& text) {
    now_ = Later(parts_.loop, [this, text] { forget(text); });
  }

  void forget(const std::string& text) {
    JsonObject details = standing_details(row_now());
    parts_.announcer.forget(id());
    Result<std::string> forgotten = parts_.jobs.forget(id());
    if (!forgotten) return fail(forgotten.error());
    details["removed"] = true;
    if (!forgotten->empty()) details["notKept"] = *forgotten;
    answer({text, std::move(details), false});
  }

  KeeperClient::Call call_;
  Later now_;
  std::string sent_;
  bool counted_ = false;
  JobWatch watch_;
  Loop::Timer deadline_;
};

}  // namespace

OperationPtr start_end(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  return begin_call<EndCall>(parts, std::move(wish), std::move(done));
}

}  // namespace talaria
