// What a signal does to a job that we run.
#include <poll.h>

#include <algorithm>
#include <csignal>

#include "talaria/job_stream.h"
#include "talaria/signals.h"
#include "talaria/terminal_mode.h"
#include "talaria/tool_call.h"

namespace talaria {
namespace {

constexpr auto grace = 5s;
constexpr auto end_patience = 15s;  // the keeper gives it five seconds between SIGTERM and SIGKILL

}  // namespace

// Asks and waits for the answer. After a signal a gateway that says nothing is soon left; one that takes its time has
// more of it.
Result<JsonObject> JobStream::ask(std::string_view method, JsonObject params) {
  return client_->call_object(method, std::move(params), [this] { return wait_for_answer(); });
}

Result<> JobStream::wait_for_answer() {
  while (true) {
    pollfd entries[] = {{client_->fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    if (::poll(entries, 2, milliseconds_to_leave(leave_at_)) < 0 && errno != EINTR) return Error::from_errno("poll");
    if (entries[1].revents) TRY(hear_signal());
    if (entries[0].revents) {
      // It lives, and no more is proved: a keeper that it waits for may never answer.
      if (leave_at_) leave_at_ = heard_at_ + answer_patience;
      if (!leave_at_ || Clock::now() < *leave_at_) return ok;
    }
    if (leave_at_ && Clock::now() >= *leave_at_) return silent_at_signal();
  }
}

// The command may not have begun, so it is told when the gateway has answered. A second signal ends us by itself.
Result<> JobStream::hear_signal() {
  const int number = next_signal(signals_);
  if (number == 0 || number == SIGWINCH || heard_ != 0) return ok;
  heard_ = number;
  ++interrupts_;
  unsent_ = number == SIGINT ? "INT" : "TERM";
  heard_at_ = Clock::now();
  leave_at_ = heard_at_ + silence_patience;
  TRY(client_->send("gateway/status", params_of({})));  // it is answered at once, if anything is
  return ok;
}

Result<> JobStream::pass_on_heard() {
  leave_at_.reset();
  if (!unsent_) return ok;
  if (heard_ != 0 && heard_ != SIGINT && !kill_at_) kill_at_ = Clock::now() + grace;
  return interrupt(unsent_);
}

Result<> JobStream::take_signal() {
  const int number = next_signal(signals_);
  if (number == 0) return ok;
  if (number == SIGWINCH) return exit_code_ ? Result<>(ok) : send_size();
  // It is over, and only our reader keeps us.
  if (exit_code_) {
    written_ = output_.size();
    notices_.clear();
    finish(128 + number);
    return ok;
  }
  if (++interrupts_ > 1) return end_job();
  if (number == SIGINT) return interrupt("INT");
  kill_at_ = Clock::now() + grace;
  return interrupt("TERM");
}

Result<> JobStream::interrupt(const char* signal) {
  unsent_ = signal;
  TRY(client_->send("jobs/signal", params_of({{"id", options_.job}, {"signal", signal}})));
  unsent_ = nullptr;
  return ok;
}

Result<> JobStream::end_job() {
  ending_ = true;  // repeated should the gateway go away before it is done
  kill_at_.reset();
  if (!give_up_at_) give_up_at_ = Clock::now() + end_patience;
  TRY(client_->send("jobs/process",
                    params_of({{"arguments", JsonObject{{"action", "kill"}, {"sessionId", options_.job}}}})));
  return ok;
}

Result<> JobStream::send_size() {
  const std::optional<WindowSize> size = window_size();
  if (!size) return ok;
  TRY(client_->send("jobs/process", params_of({{"arguments", JsonObject{{"action", "resize"},
                                                                        {"sessionId", options_.job},
                                                                        {"rows", size->rows},
                                                                        {"cols", size->cols}}}})));
  return ok;
}

}  // namespace talaria
