#include "keeper/launch.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "keeper/keeper.h"
#include "loop/presence.h"
#include "os/boot_clock.h"
#include "os/daemon.h"
#include "os/descriptors.h"
#include "os/file.h"
#include "os/last_words.h"
#include "os/lock_holder.h"
#include "os/reserve.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr auto keeper_start_patience = 10s;
// The variable with the limit of open files that jobs get. Who starts us has raised its own.
constexpr const char* jobs_open_files = "TALARIA_JOBS_OPEN_FILES";

uint64_t limit_for_jobs(uint64_t own) {
  const char* given = std::getenv(jobs_open_files);
  const uint64_t count = given ? std::strtoull(given, nullptr, 10) : 0;
  ::unsetenv(jobs_open_files);
  return count > 0 ? std::min(count, own) : own;
}

// No more than it needs: the keeper holds no secret.
std::vector<std::string> keeper_environment(const Home& home) {
  std::vector<std::string> environment = {"TALARIA_HOME=" + home.root};
  for (const char* name : {"XDG_RUNTIME_DIR", "HOME", "LANG"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  environment.push_back(std::string(jobs_open_files) + "=" + std::to_string(raise_open_files()));
  return environment;
}

Error without_socket(const Home& home, pid_t pid) {
  const std::string name = pid > 0 ? "the keeper, pid " + std::to_string(pid) + "," : "a keeper";
  const std::string kill = pid > 0 ? ": kill " + std::to_string(pid) : "";
  return {ErrorCode::unavailable, name + " holds " + home.keeper_lock() + " and does not listen on " +
                                      home.keeper_socket() + ". Its jobs go on; when they may end, end it" + kill};
}

// A stack that cannot grow for want of memory ends the process. To have grown costs one page.
[[gnu::noinline]] void make_room_on_the_stack() {
  [[maybe_unused]] volatile char room[512 << 10];
  room[0] = 0;
}

Result<> check_open_files() {
  if (open_files_limit() >= fewest_open_files) return ok;
  return Error(ErrorCode::unavailable, "the limit of open files is " + std::to_string(open_files_limit()) +
                                           ", and the keeper needs " + std::to_string(fewest_open_files) +
                                           " at the least: raise it (ulimit -n)");
}

Result<> serve(Spawner spawner, uint64_t open_files) {
  const Home home = TRY(Home::find());
  TRY(home.prepare());
  TRY(check_open_files());
  use_reserve_when_full(home.root);
  FileLock lock = TRY(FileLock::try_take(home.keeper_lock()));
  if (!lock.held()) return Error(ErrorCode::conflict, "busy");
  UniqueFd listener = TRY(listen_unix(home.keeper_socket()));
  Loop loop;
  TRY(loop.ready());
  loop.set_rescue([said = Clock::time_point()](const std::exception& thrown) mutable {
    if (Clock::now() < said + 1s) return;
    said = Clock::now();
    say_trouble(thrown.what());
  });
  Keeper keeper(loop, home, std::move(spawner), Cgroups::find(), std::move(listener), open_files);
  // One whose home went to another keeper stays with its jobs, and goes when they are over.
  const Presence presence(loop, home, {home.keeper_lock(), home.keeper_socket()}, std::move(lock),
                          {[&](UniqueFd renewed) { keeper.listen_on(std::move(renewed)); }, [] {},
                           [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }});
  announce_ready("ok");
  loop.run();
  ::unlink(home.keeper_socket().c_str());
  return ok;
}

}  // namespace

int run_keeper() {
  say_last_words();
  make_room_on_the_stack();
  // Jobs get the limit of who started all this; ours must hold a few fds for every job.
  const uint64_t open_files = limit_for_jobs(raise_open_files());
  (void)boot_id();  // read while there are descriptors to read it with
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
    if (number != ENOENT && number != ECONNREFUSED && number != ENOTDIR && number != ELOOP) return socket;
    const Result<LockHolder> holder = holder_of(home.keeper_lock());
    if (holder && holder->held) {  // it is about to listen, or to make its socket again
      if (Clock::now() > deadline) return without_socket(home, holder->pid);
      ::usleep(5000);
      continue;
    }
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
