// talaria-gateway: the doors, the api and the store of one home. Everything it needs, in the order it is built.
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api/api.h"
#include "api/built_in_tools.h"
#include "door/socket_door.h"
#include "loop/loop.h"
#include "loop/presence.h"
#include "os/daemon.h"
#include "os/descriptors.h"
#include "os/file.h"
#include "os/home.h"
#include "os/last_words.h"
#include "os/lock_holder.h"
#include "os/log.h"
#include "os/reserve.h"
#include "os/socket.h"
#include "os/standard_streams.h"
#include "rpc/admission.h"
#include "rpc/server.h"

namespace talaria {
namespace {

int signal_pipe = -1;  // where the handler says which signal came

void note_signal(int number) {
  const auto byte = static_cast<char>(number);
  const int saved = errno;
  if (::write(signal_pipe, &byte, 1) < 0) errno = saved;
}

// Whoever started us may have blocked or ignored signals; what we start inherits from us in turn.
void reset_signals() {
  for (int number = 1; number < 32; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// A pipe that becomes readable when SIGTERM or SIGINT comes.
Result<UniqueFd> watch_signals() {
  auto [read_end, write_end] = TRY(make_pipe());
  TRY(set_nonblocking(read_end.get()));
  TRY(set_nonblocking(write_end.get()));
  signal_pipe = write_end.release();
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(number, &action, nullptr);
  return std::move(read_end);
}

// Memory holds what commands printed: no core dump of it, no debugger of another process of this user.
void protect_memory() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// One who only asks whether it is held may hold it for a moment himself.
Result<FileLock> take_lock(const Home& home) {
  FileLock lock = TRY(FileLock::try_take(home.gateway_lock()));
  for (int i = 0; i < 5 && !lock.held(); ++i) {
    ::usleep(2000);
    lock = TRY(FileLock::try_take(home.gateway_lock()));
  }
  return lock;
}

Result<> check_open_files() {
  if (open_files_limit() >= fewest_gateway_files) return ok;
  return Error(ErrorCode::unavailable, "the limit of open files is " + std::to_string(open_files_limit()) +
                                           ", and the gateway needs " + std::to_string(fewest_gateway_files) +
                                           " at the least: raise it (ulimit -n)");
}

// Pages and answers come and go by the megabyte. Each such block is a mapping of its own and goes back to the system
// with it; left alone, the allocator takes larger and larger ones into heaps that stay.
void give_large_blocks_back() {
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 512 << 10);
}

// Returns only when it could not run: false when another gateway has the lock.
Result<bool> run_gateway() {
  TRY(check_open_files());
  const Home home = TRY(Home::find());
  TRY(home.prepare());
  use_reserve_when_full(home.root);
  FileLock lock = TRY(take_lock(home));
  if (!lock.held()) return false;
  Log log = Log::open_or_without(home.logs() + "/gateway.log");
  log.info("gateway " TALARIA_VERSION " starts, pid " + std::to_string(::getpid()));

  Loop loop;
  TRY(loop.ready());
  const UniqueFd signals = TRY(watch_signals());
  ToolRegistry tools;
  std::unique_ptr<Api> api = TRY(Api::open(loop, home, tools, &log));
  tools.add(exec_tool(api->parts()));
  tools.add(process_tool(api->parts()));
  tools.add(terminal_tool(api->parts()));
  tools.add(execute_code_tool(api->parts()));
  tools.add(read_file_tool(api->parts()));
  tools.add(write_file_tool(api->parts()));
  tools.add(search_files_tool(api->parts()));
  tools.add(patch_tool(api->parts()));
  tools.add(web_search_tool(api->parts()));
  tools.add(web_extract_tool(api->parts()));
  tools.add(skills_list_tool(api->parts()));
  tools.add(skill_view_tool(api->parts()));
  tools.add(skill_manage_tool(api->parts()));
  DoorSurroundings surroundings{loop, *api, home.gateway_socket(), [&loop] { loop.stop(); }};
  const Admission admission(
      open_files_limit(), [&api] { return api->max_connections(); }, sibling_program("talaria"));
  RpcServer server(
      loop, TRY(listen_unix(home.gateway_socket())),
      [&surroundings](RpcConnection& connection) { return open_socket_door(surroundings, connection); },
      [&log](const std::string& line) { log.warning(line); },
      [&admission](const Peer& peer, size_t connected) { return admission.check(peer, connected); });

  bool superseded = false;
  const Presence presence(
      loop, home, {home.gateway_lock(), home.gateway_socket()}, std::move(lock),
      {[&server](UniqueFd listener) { server.listen_on(std::move(listener)); }, [&] { superseded = true, loop.stop(); },
       [&log](const std::string& line) { log.warning(line); }});

  OperationPtr stopping;
  [[maybe_unused]] const Loop::Watch stop_watch = TRY(loop.on_readable(signals.get(), [&] {
    char number = 0;
    if (::read(signals.get(), &number, 1) != 1 || stopping) return;
    log.info(std::string("stop: ") + ::strsignal(number));
    stopping = api->stop(false, [&](const Result<JsonObject>&) { loop.stop(); });
  }));
  announce_ready("ok");
  log.info("listening on " + home.gateway_socket());
  loop.run();
  if (!superseded) ::unlink(home.gateway_socket().c_str());
  log.info("gateway stopped");
  // Destroying a door cancels what its client waits for, and that ends commands; but whoever stops the gateway does not
  // mean them: they go on at the keeper. A kill at any moment is provided for, so leaving without clean-up is safe.
  std::_Exit(0);
}

int main_with_readiness() {
  say_last_words();
  reset_signals();
  protect_memory();
  give_large_blocks_back();
  (void)raise_open_files();
  Result<bool> ran = run_gateway();
  if (!ran) {
    announce_ready("error: " + ran.error().message());
    std::fprintf(stderr, "talaria-gateway: %s\n", ran.error().message().c_str());
    return 1;
  }
  announce_ready("busy");
  const Result<Home> home = Home::find();
  const Result<LockHolder> holder = home ? holder_of(home->gateway_lock()) : Result<LockHolder>(home.error());
  const std::string pid = holder && holder->pid > 0 ? ", pid " + std::to_string(holder->pid) + "," : "";
  std::fprintf(stderr, "talaria-gateway: another gateway%s serves this home already (talaria serve --status)\n",
               pid.c_str());
  return 3;
}

}  // namespace
}  // namespace talaria

int main(int count, char** arguments) {
  if (!talaria::reserve_standard_streams()) return 1;
  if (count == 2 && std::strcmp(arguments[1], "--version") == 0) {
    std::puts("talaria-gateway " TALARIA_VERSION);
    return 0;
  }
  if (count > 1) {
    std::fprintf(stderr, "talaria-gateway: takes no arguments; settings are in config.yaml (talaria config)\n");
    return 2;
  }
  return talaria::main_with_readiness();
}
