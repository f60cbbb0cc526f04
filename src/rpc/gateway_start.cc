#include "rpc/gateway_start.h"

#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "os/daemon.h"
#include "os/inside_job.h"

namespace talaria {
namespace {

constexpr auto start_patience = 20s;  // a cold disk and a database to recover
constexpr auto busy_patience = 5s;

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    if (!std::string_view(*entry).starts_with(std::string(ready_variable) + "=")) entries.emplace_back(*entry);
  }
  return entries;
}

}  // namespace

bool nobody_listens(const Error& error) { return error.number() == ENOENT || error.number() == ECONNREFUSED; }

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

Result<RpcClient> connect_or_start_gateway(const Home& home) {
  const Clock::time_point deadline = Clock::now() + busy_patience;
  do {
    Result<RpcClient> client = RpcClient::connect(home.gateway_socket());
    if (client || !nobody_listens(client.error())) return client;
    if (TRY(start_gateway(home))) return RpcClient::connect(home.gateway_socket());
    // Another one has the lock: it is just starting and will listen soon, or just stopping and will let go.
    for (int i = 0; i < 50 && !client; ++i) {
      std::this_thread::sleep_for(5ms);
      client = RpcClient::connect(home.gateway_socket());
    }
    if (client) return client;
  } while (Clock::now() < deadline);
  return Error(ErrorCode::unavailable, "another gateway holds " + home.gateway_lock() +
                                           " but does not listen; see `talaria logs`, or stop it and try again");
}

}  // namespace talaria
