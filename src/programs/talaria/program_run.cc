#include "talaria/program_run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "rpc/base64.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/signals.h"
#include "talaria/tool_call.h"

namespace talaria {
namespace {

constexpr auto stop_patience = 10s;  // the gateway gives a program five seconds to end by itself
constexpr auto start_patience = 2s;  // for one that has not begun
constexpr size_t safe_write = 4096;  // what a pipe takes without blocking once poll says there is room

}  // namespace

ProgramRun::ProgramRun(RpcClient& client, Progress progress, Interpreter interpreter)
    : client_(client),
      shows_progress_(progress == Progress::show),
      kept_(interpreter == Interpreter::kept),
      signals_(catch_signals(WindowChanges::ignore)) {}

Result<std::optional<JsonObject>> ProgramRun::run(JsonObject params) {
  call_ = TRY(client_.send("tools/call", std::move(params)));
  while (!result_ && !leaving()) {
    short readable = 0;
    Result<> went = wait(client_.fd(), POLLIN, readable);
    if (went && readable) went = client_.receive();
    if (went) went = take_messages();
    if (!went) return after_lost_run(went.error(), job_);
  }
  progress_.clear();
  return std::move(result_);
}

Result<> ProgramRun::take_messages() {
  while (std::optional<RpcMessage> message = client_.next()) {
    if (const auto* news = std::get_if<RpcNotification>(&*message)) TRY(take(*news));
    if (const auto* response = std::get_if<RpcResponse>(&*message)) TRY(take(*response));
    if (leaving()) return ok;
  }
  return ok;
}

Result<> ProgramRun::take(const RpcNotification& news) {
  if (news.method == "tools/output") return write_output(TRY(base64_decode(text_or(news.params, "data"))));
  if (news.method != "tools/progress") return ok;
  if (std::string job = text_or(news.params, "job"); !job.empty()) {
    job_ = std::move(job);
    return interrupts_ > 0 ? stop_program() : Result<>(ok);
  }
  if (shows_progress_) progress_.show(news.params);
  return ok;
}

Result<> ProgramRun::take(const RpcResponse& response) {
  if (response.id != Json(call_)) return ok;
  if (const auto* error = std::get_if<RpcError>(&response.outcome)) return to_error(*error);
  const Json& answer = std::get<Json>(response.outcome);
  result_ = answer.is_object() ? answer.get_object() : JsonObject();
  return ok;
}

Result<> ProgramRun::take_signal() {
  if (next_signal(signals_) == 0 || ++interrupts_ > 1) return ok;
  interrupted_at_ = Clock::now();
  return job_.empty() ? Result<>(ok) : stop_program();
}

Result<> ProgramRun::stop_program() {
  if (kept_) {
    TRY(client_.send("jobs/signal", params_of({{"id", job_}, {"signal", "INT"}})));
  } else {
    TRY(client_.send("jobs/process", params_of({{"arguments", JsonObject{{"action", "kill"}, {"sessionId", job_}}}})));
  }
  return ok;
}

// A reader that does not read must not keep us from hearing a signal.
Result<> ProgramRun::write_output(std::string_view data) {
  progress_.clear();
  while (!data.empty() && !leaving()) {
    short writable = 0;
    TRY(wait(STDOUT_FILENO, POLLOUT, writable));
    if (!writable) continue;
    const ssize_t count = ::write(STDOUT_FILENO, data.data(), std::min(data.size(), safe_write));
    if (count < 0 && errno != EINTR && errno != EAGAIN) stop_printing(errno);
    if (count > 0) data.remove_prefix(static_cast<size_t>(count));
  }
  return ok;
}

Result<> ProgramRun::wait(int fd, short events, short& happened) {
  pollfd watched[] = {{fd, events, 0}, {signals_.get(), POLLIN, 0}};
  // Between two looks at the clock, once there is something to be impatient about.
  if (::poll(watched, 2, interrupted_at_ ? 50 : -1) < 0 && errno != EINTR) return Error::from_errno("poll");
  if (watched[1].revents) TRY(take_signal());
  happened = watched[0].revents;
  return ok;
}

bool ProgramRun::leaving() const {
  if (interrupts_ > 1) return true;
  return interrupted_at_ && Clock::now() >= *interrupted_at_ + (job_.empty() ? start_patience : stop_patience);
}

}  // namespace talaria
