// talaria-gateway: the doors, the api and the store of one home. Everything it needs, in the order it is built.
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
#include "os/daemon.h"
#include "os/file.h"
#include "os/home.h"
#include "os/log.h"
#include "os/socket.h"
#include "os/standard_streams.h"
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

// Returns only when it could not run: false when another gateway has the lock.
Result<bool> run_gateway() {
  const Home home = TRY(Home::find());
  TRY(home.prepare());
  const FileLock lock = TRY(FileLock::try_take(home.gateway_lock()));
  if (!lock.held()) return false;
  Log log = TRY(Log::open(home.logs() + "/gateway.log"));
  log.info("gateway " TALARIA_VERSION " starts, pid " + std::to_string(::getpid()));

  Loop loop;
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
  RpcServer server(
      loop, TRY(listen_unix(home.gateway_socket())),
      [&surroundings](RpcConnection& connection) { return open_socket_door(surroundings, connection); },
      [&log](const std::string& line) { log.warning(line); });

  OperationPtr stopping;
  [[maybe_unused]] const Loop::Watch stop_watch = loop.on_readable(signals.get(), [&] {
    char number = 0;
    if (::read(signals.get(), &number, 1) != 1 || stopping) return;
    log.info(std::string("stop: ") + ::strsignal(number));
    stopping = api->stop(false, [&](const Result<JsonObject>&) { loop.stop(); });
  });
  announce_ready("ok");
  log.info("listening on " + home.gateway_socket());
  loop.run();
  ::unlink(home.gateway_socket().c_str());
  log.info("gateway stopped");
  // Destroying a door cancels what its client waits for, and that ends commands; but whoever stops the gateway does not
  // mean them: they go on at the keeper. A kill at any moment is provided for, so leaving without clean-up is safe.
  std::_Exit(0);
}

int main_with_readiness() {
  reset_signals();
  protect_memory();
  (void)raise_open_files();
  Result<bool> ran = run_gateway();
  if (!ran) {
    announce_ready("error: " + ran.error().message());
    std::fprintf(stderr, "talaria-gateway: %s\n", ran.error().message().c_str());
    return 1;
  }
  announce_ready("busy");
  std::fprintf(stderr, "talaria-gateway: another gateway serves this home already (talaria serve --status)\n");
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
