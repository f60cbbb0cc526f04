#include "talaria/gateway_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/fd.h"
#include "os/lock_holder.h"
#include "os/proc.h"

namespace talaria {
namespace {

constexpr auto term_patience = 10s;
constexpr auto kill_patience = 10s;

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

bool ends_within(int pidfd, Clock::duration patience) {
  const auto deadline = Clock::now() + patience;
  pollfd entry{pidfd, POLLIN, 0};
  int ready;
  while ((ready = ::poll(&entry, 1, milliseconds_until(deadline))) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

void send_signal(int pidfd, int number) { (void)::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0); }

// The answer to request `id`, of what has come so far.
std::optional<Result<JsonObject>> answer_in(RpcClient& client, int64_t id) {
  while (std::optional<RpcMessage> message = client.next()) {
    auto* response = std::get_if<RpcResponse>(&*message);
    if (!response || response->id != Json(id)) continue;
    if (const auto* error = std::get_if<RpcError>(&response->outcome)) {
      return to_error(*error);
    }
    const Json& result = std::get<Json>(response->outcome);
    return result.is_object() ? Result<JsonObject>(result.get_object()) : invalid("the gateway's answer is no object");
  }
  return std::nullopt;
}

}  // namespace

std::optional<pid_t> gateway_holding(const Home& home) {
  const Result<LockHolder> holder = holder_of(home.gateway_lock());
  if (!holder || !holder->held || !is_our_program(holder->pid, "talaria-gateway")) return std::nullopt;
  return holder->pid;
}

Result<JsonObject> ask_within(RpcClient& client, std::string_view method, JsonObject params, Clock::duration patience) {
  const auto deadline = Clock::now() + patience;
  const int64_t id = TRY(client.send(method, std::move(params)));
  while (true) {
    if (std::optional<Result<JsonObject>> answer = answer_in(client, id)) return *std::move(answer);
    pollfd entry{client.fd(), POLLIN, 0};
    const int ready = ::poll(&entry, 1, milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) return Error::from_errno("poll");
    if (ready > 0) TRY(client.receive());
    if (ready == 0) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
      return Error(ErrorCode::timed_out, "no answer from the gateway within " + std::to_string(seconds) + " seconds");
    }
  }
}

Error silent_gateway(const Home& home, const Error& why) {
  const std::optional<pid_t> pid = gateway_holding(home);
  const std::string name = "pid " + std::to_string(pid.value_or(0));
  if (!pid || why.message().find(name) != std::string::npos) return why;  // it has been said
  const char state = state_of(*pid).value_or('?');
  const std::string stopped = state == 'T' || state == 't' ? ". It is suspended (Ctrl-Z, SIGSTOP or a debugger)" : "";
  return {why.code(), "the gateway (" + name + ") runs but does not answer: " + why.message() + stopped +
                          ". To end it: talaria serve --stop; jobs go on"};
}

Result<std::string> end_gateway_process(const Home& home, pid_t pid) {
  const std::string name = "the gateway, pid " + std::to_string(pid) + ",";
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return Error::from_errno("watch " + name);
  // The pid may have gone to another meanwhile; what we hold now is what we looked at.
  if (gateway_holding(home) != pid) return name + " ended by itself";
  send_signal(process.get(), SIGTERM);
  send_signal(process.get(), SIGCONT);  // one that was stopped (Ctrl-Z, a debugger) takes its SIGTERM only then
  if (ends_within(process.get(), term_patience)) return name + " did not answer; ended it with SIGTERM";
  send_signal(process.get(), SIGKILL);
  if (ends_within(process.get(), kill_patience)) {
    return name + " did not answer, nor end within 10 seconds of SIGTERM; killed it (SIGKILL)";
  }
  return Error(ErrorCode::timed_out, name +
                                         " does not end, even by SIGKILL: the kernel holds it, most likely for a "
                                         "disk that does not answer");
}

}  // namespace talaria
