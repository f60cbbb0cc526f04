#include "talaria/tool_call.h"

#include <poll.h>

#include <algorithm>

#include "base/clock.h"
#include "talaria/gateway.h"
#include "talaria/signals.h"

namespace talaria {
namespace {

// The tool names its job only in the answer, so that a signal has to look for the job first.
class ExecCall {
 public:
  explicit ExecCall(RpcClient& client) : client_(client), signals_(catch_signals(WindowChanges::ignore)) {}

  Result<JsonObject> run(JsonObject arguments, JsonObject session) {
    command_ = text_or(arguments, "command");
    call_ = TRY(client_.send(
        "tools/call",
        params_of({{"name", "exec"}, {"arguments", std::move(arguments)}, {"session", std::move(session)}})));
    while (true) {
      while (std::optional<RpcMessage> message = client_.next()) {
        auto* response = std::get_if<RpcResponse>(&*message);
        if (!response) continue;
        if (response->id == Json(call_)) return outcome(std::move(response->outcome));
        TRY(take(*response));
      }
      pollfd entries[] = {{client_.fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
      // A job that is being started is not in the list yet; then we look again.
      const int patience = looking_again_ ? 20 : milliseconds_to_leave(leave_at_);
      if (::poll(entries, 2, patience) < 0 && errno != EINTR) return Error::from_errno("poll");
      if (entries[1].revents) TRY(take_signal());
      else if (looking_again_) TRY(look());
      if (entries[0].revents) {
        TRY(client_.receive());
        // It lives, and no more is proved: a keeper that it waits for may never answer.
        if (leave_at_) leave_at_ = signalled_at_ + answer_patience;
      }
      if (leave_at_ && Clock::now() >= *leave_at_) return silent_at_signal();
    }
  }
  // The signal that we left by, or 0.
  int left_by() const { return leave_at_ ? signal_ : 0; }

 private:
  static Result<JsonObject> outcome(std::variant<Json, RpcError> outcome) {
    if (const auto* error = std::get_if<RpcError>(&outcome)) return to_error(*error);
    Json& result = std::get<Json>(outcome);
    if (!result.is_object()) return Error(ErrorCode::unavailable, "the gateway answered exec with no object");
    return std::move(result.get_object());
  }

  Result<> take_signal() {
    const int number = next_signal(signals_);
    if (number == 0) return ok;
    signal_ = number;
    signalled_at_ = Clock::now();
    if (!leave_at_) leave_at_ = signalled_at_ + silence_patience;
    wanted_ = ++interrupts_ > 1 ? "kill" : number == SIGINT ? "INT" : "TERM";
    return job_.empty() ? look() : deliver();
  }

  Result<> look() {
    looking_again_ = false;
    if (list_ == 0)
      list_ = TRY(client_.send("jobs/process",
                               params_of({{"arguments", JsonObject{{"action", "list"}, {"state", "running"}}}})));
    return ok;
  }

  Result<> take(const RpcResponse& response) {
    if (delivered_ != 0 && response.id == Json(delivered_)) leave_at_.reset();  // now the command takes its time
    if (list_ == 0 || response.id != Json(list_)) return ok;
    list_ = 0;
    const auto* result = std::get_if<Json>(&response.outcome);
    if (result && result->is_object()) job_ = find_job(details_of(result->get_object()));
    looking_again_ = job_.empty();
    return job_.empty() ? Result<>(ok) : deliver();
  }

  // The first one with our command since we called; the list begins with the newest.
  std::string find_job(const JsonObject& details) const {
    std::string found;
    const auto since_call = std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - called_).count();
    const Json* rows = details.if_contains("sessions");
    if (!rows || !rows->is_array()) return found;
    for (const Json& item : rows->get_array()) {
      const JsonObject* row = item.if_object();
      if (!row || text_or(*row, "status") != "running" || text_or(*row, "command") != command_) continue;
      if (integer_or(*row, "ageMs") <= since_call) found = text_or(*row, "sessionId");
    }
    return found;
  }

  Result<> deliver() {
    if (wanted_ == "kill") {
      delivered_ = TRY(client_.send("jobs/process",
                                    params_of({{"arguments", JsonObject{{"action", "kill"}, {"sessionId", job_}}}})));
    } else {
      delivered_ = TRY(client_.send("jobs/signal", params_of({{"id", job_}, {"signal", wanted_}})));
    }
    return ok;
  }

  RpcClient& client_;
  UniqueFd signals_;
  std::string command_;
  Clock::time_point called_ = Clock::now();
  int64_t call_ = 0;
  int64_t list_ = 0;       // the request under way, or 0
  int64_t delivered_ = 0;  // the request that passes the signal on, or 0
  bool looking_again_ = false;
  std::string job_;
  std::string wanted_;
  int interrupts_ = 0;
  int signal_ = 0;  // the last one
  Clock::time_point signalled_at_{};
  std::optional<Clock::time_point> leave_at_;
};

}  // namespace

Error after_lost_call(const Error& error) {
  if (error.code() != ErrorCode::unavailable) return error;
  return {error.code(), error.message() +
                            ". A command that was under way may go on at the keeper: talaria ps lists it, talaria log "
                            "ID shows its output"};
}

Error after_lost_run(const Error& error, const std::string& job) {
  if (error.code() != ErrorCode::unavailable) return error;
  const std::string ended = ". The program is ended when the gateway starts again; talaria poll ";
  return {error.code(),
          error.message() + ended +
              (job.empty() ? "ID shows what became of it, and talaria ps its ID" : job + " shows what became of it")};
}

Result<JsonObject> call_exec_interruptibly(RpcClient& client, JsonObject arguments, JsonObject session, int& left_by) {
  ExecCall call(client);
  Result<JsonObject> result = call.run(std::move(arguments), std::move(session));
  if (!result && result.error().code() == ErrorCode::timed_out) left_by = call.left_by();
  return result;
}

int milliseconds_to_leave(std::optional<Clock::time_point> when) {
  if (!when) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*when - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

Error silent_at_signal() {
  return {ErrorCode::timed_out,
          "the gateway does not answer, so the command may or may not be running. Check with: talaria ps"};
}

}  // namespace talaria
