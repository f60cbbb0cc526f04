#include "keeper/launch.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "keeper/keeper.h"
#include "os/daemon.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr auto keeper_start_patience = 10s;

// No more than it needs: the keeper holds no secret.
std::vector<std::string> keeper_environment(const Home& home) {
  std::vector<std::string> environment = {"TALARIA_HOME=" + home.root};
  for (const char* name : {"XDG_RUNTIME_DIR", "HOME", "LANG"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

Result<> serve(Spawner spawner, uint64_t open_files) {
  const Home home = TRY(Home::find());
  TRY(home.prepare());
  const FileLock lock = TRY(FileLock::try_take(home.keeper_lock()));
  if (!lock.held()) return Error(ErrorCode::conflict, "busy");
  UniqueFd listener = TRY(listen_unix(home.keeper_socket()));
  Loop loop;
  Keeper keeper(loop, home, std::move(spawner), Cgroups::find(), std::move(listener), open_files);
  announce_ready("ok");
  loop.run();
  ::unlink(home.keeper_socket().c_str());
  return ok;
}

}  // namespace

int run_keeper() {
  // The limit jobs get is the one we were started with; ours must hold a few fds for every job.
  const uint64_t open_files = raise_open_files();
  Result<Spawner> spawner = Spawner::start();
  if (!spawner) {
    announce_ready("error: " + spawner.error().message());
    return 1;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);
  for (int signal : {SIGPIPE, SIGHUP, SIGINT}) ::signal(signal, SIG_IGN);
  const Result<> served = serve(std::move(*spawner), open_files);
  if (served) return 0;
  const bool busy = served.error().code() == ErrorCode::conflict;
  announce_ready(busy ? "busy" : "error: " + served.error().message());
  if (!busy) std::fprintf(stderr, "talaria-keeper: %s\n", served.error().message().c_str());
  return busy ? 3 : 1;
}

Result<UniqueFd> connect_to_keeper(const Home& home) {
  const auto deadline = Clock::now() + keeper_start_patience;
  while (true) {
    Result<UniqueFd> socket = connect_unix(home.keeper_socket());
    if (socket) return socket;
    const int number = socket.error().number();
    if (number != ENOENT && number != ECONNREFUSED) return socket;
    Result<std::string> line = start_daemon(sibling_program("talaria-keeper"), keeper_environment(home),
                                            home.logs() + "/keeper.log", keeper_start_patience);
    if (!line) return std::move(line).error();
    if (line->starts_with("error: "))
      return Error(ErrorCode::unavailable, "the keeper did not start: " + line->substr(7));
    if (Clock::now() > deadline)
      return Error(ErrorCode::timed_out, "the keeper at " + home.keeper_socket() + " does not answer");
    if (*line == "busy") ::usleep(5000);  // another one holds the lock and is about to listen
  }
}

}  // namespace talaria
