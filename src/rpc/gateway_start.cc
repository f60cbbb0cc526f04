#include "rpc/gateway_start.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <thread>
#include <vector>

#include "os/daemon.h"
#include "os/inside_job.h"
#include "os/lock_holder.h"

namespace talaria {
namespace {

constexpr auto start_patience = 20s;  // a cold disk and a database to recover
constexpr auto busy_patience = 5s;
constexpr auto socket_patience = 3s;  // a gateway makes its socket again within a second

Error without_socket(const Home& home, const LockHolder& holder, const Error& why) {
  const std::string name = holder.pid > 0 ? "the gateway (pid " + std::to_string(holder.pid) + ")" : "a gateway";
  return {ErrorCode::unavailable, name + " runs but does not listen on " + home.gateway_socket() + ": " +
                                      std::generic_category().message(why.number()) +
                                      ". To end it: talaria serve --stop; jobs go on. talaria logs may say why"};
}

// Waits for the one that holds the home to listen; gives what connecting came to last, also when it let go.
Result<RpcClient> await_holder(const Home& home, Clock::time_point deadline) {
  while (true) {
    Result<RpcClient> client = RpcClient::connect(home.gateway_socket());
    if (client || !nobody_listens(client.error())) return client;
    const Result<LockHolder> holder = holder_of(home.gateway_lock());
    if (!holder || !holder->held) return client;
    if (Clock::now() >= deadline) return without_socket(home, *holder, client.error());
    std::this_thread::sleep_for(5ms);
  }
}

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    if (!std::string_view(*entry).starts_with(std::string(ready_variable) + "=")) entries.emplace_back(*entry);
  }
  return entries;
}

}  // namespace

bool nobody_listens(const Error& error) {
  const int number = error.number();
  return number == ENOENT || number == ECONNREFUSED || number == ENOTDIR || number == ELOOP;
}

Result<bool> start_gateway(const Home& home) {
  if (std::getenv("TALARIA_JOB") || runs_inside_job(::getpid())) {
    return Error(ErrorCode::denied,
                 "no gateway is running, and a command inside a job does not start one. Run `talaria serve "
                 "--background` outside of jobs");
  }
  TRY(home.prepare());
  const std::string line = TRY(start_daemon(sibling_program("talaria-gateway"), own_environment(),
                                            home.logs() + "/gateway.log", start_patience));
  if (line == "ok") return true;
  if (line == "busy") return false;
  const std::string why = line.starts_with("error: ") ? line.substr(7) : line;
  return Error(ErrorCode::unavailable, "the gateway did not start: " + why);
}

Result<RpcClient> connect_to_running_gateway(const Home& home) {
  Result<RpcClient> client = await_holder(home, Clock::now() + socket_patience);
  if (client || !nobody_listens(client.error())) return client;
  return Error(ErrorCode::not_found, "no gateway is running (talaria serve --background starts one)");
}

Result<RpcClient> connect_or_start_gateway(const Home& home) {
  const Clock::time_point deadline = Clock::now() + busy_patience;
  do {
    // One that has the lock is just starting and will listen soon, or just stopping and will let go.
    Result<RpcClient> client = await_holder(home, deadline);
    if (client || !nobody_listens(client.error())) return client;
    if (TRY(start_gateway(home))) return RpcClient::connect(home.gateway_socket());
    std::this_thread::sleep_for(20ms);
  } while (Clock::now() < deadline);
  return Error(ErrorCode::unavailable, "another gateway holds " + home.gateway_lock() +
                                           " but does not listen; see `talaria logs`, or stop it and try again");
}

}  // namespace talaria
