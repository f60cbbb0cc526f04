#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "os/daemon.h"
#include "os/file.h"
#include "rpc/gateway_start.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct ServeOptions {
  bool background = false;
  bool replace = false;
  bool stop = false;
  bool end_jobs = false;
  bool status = false;
  bool json = false;
};

constexpr auto serve_stop_patience = 20s;

int run_in_foreground() {
  if (inside_job()) return fail(Error(ErrorCode::denied, "a gateway cannot be started inside a job"));
  if (Result<Home> home = find_home(); !home) return fail(home.error());
  std::string program = sibling_program("talaria-gateway");
  char* arguments[] = {program.data(), nullptr};
  ::execv(program.c_str(), arguments);
  return fail(Error::from_errno("start " + program));
}

std::string describe(const JsonObject& status) {
  const JsonObject* jobs = object_or_null(status, "jobs");
  const int64_t up = integer_or(status, "uptime_seconds");
  std::string text = "gateway " + text_or(status, "version") + ", pid " + std::to_string(integer_or(status, "pid")) +
                     ", up " + (up > 0 ? human_duration(up * 1000) : "0s");
  if (jobs) {
    text += ", jobs: " + std::to_string(integer_or(*jobs, "running")) + " running, " +
            std::to_string(integer_or(*jobs, "finished")) + " finished";
  }
  text += "\nkeeper pid " + std::to_string(integer_or(status, "keeper_pid")) + "\nsocket " + text_or(status, "socket");
  if (const Json* notices = status.if_contains("notices"); notices && notices->is_array()) {
    for (const Json& notice : notices->get_array()) {
      if (notice.is_string()) text += "\nnotice: " + std::string(notice.get_string());
    }
  }
  return text;
}

int show_status(bool json) {
  Result<Gateway> gateway = Gateway::reach_running();
  if (!gateway) {
    if (gateway.error().code() != ErrorCode::not_found) return fail(gateway.error());
    if (json) print_json(JsonObject{{"running", false}});
    else print_line("not running");
    return 1;
  }
  Result<JsonObject> status = gateway->client.call_object("gateway/status", params_of({}));
  if (!status) return fail(status.error());
  (*status)["running"] = true;
  if (json) print_json(*status);
  else print_line(describe(*status));
  return 0;
}

// Waits for the process itself: its lock may have gone to a successor already, started by another client.
Result<> await_exit(int pidfd, pid_t pid) {
  pollfd entry{pidfd, POLLIN, 0};
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(serve_stop_patience).count();
  if (::poll(&entry, 1, static_cast<int>(patience)) > 0) return ok;
  return Error(ErrorCode::timed_out,
               "the gateway (pid " + std::to_string(pid) +
                   ") was asked to stop and is still there; see talaria logs, or end it with: kill " +
                   std::to_string(pid));
}

// How many jobs run on.
Result<int64_t> stop_gateway(Gateway& gateway, bool end_jobs) {
  const JsonObject status = TRY(gateway.client.call_object("gateway/status", params_of({})));
  const auto pid = static_cast<pid_t>(integer_or(status, "pid"));
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return Error::from_errno("watch the gateway, pid " + std::to_string(pid));
  const JsonObject left = TRY(gateway.client.call_object("gateway/stop", params_of({{"end_jobs", end_jobs}})));
  TRY(await_exit(process.get(), pid));
  return integer_or(left, "jobs_left_running");
}

std::string jobs_text(int64_t count) { return std::to_string(count) + (count == 1 ? " job runs on" : " jobs run on"); }

int stop(const ServeOptions& options) {
  Result<Home> home = find_home();
  if (!home) return fail(home.error());
  // Jobs live at the keeper; to end them a gateway is needed even when none was running.
  const bool needed = options.end_jobs && exists(home->keeper_socket());
  Result<Gateway> gateway = needed ? Gateway::reach() : Gateway::reach_running();
  if (!gateway) {
    if (gateway.error().code() != ErrorCode::not_found) return fail(gateway.error());
    if (options.json) print_json(JsonObject{{"running", false}});
    else print_line("not running");
    return 0;
  }
  Result<int64_t> left = stop_gateway(*gateway, options.end_jobs);
  if (!left) return fail(left.error());
  if (options.json) print_json(JsonObject{{"running", false}, {"jobs_left_running", *left}});
  else print_line("stopped; " + (options.end_jobs ? "all jobs ended" : jobs_text(*left)));
  return 0;
}

int start(bool json) {
  Result<Home> home = find_home();
  if (!home) return fail(home.error());
  Result<RpcClient> running = connect_or_start_gateway(*home);
  if (!running) return fail(running.error());
  return show_status(json);
}

int replace(bool json) {
  Result<Gateway> gateway = Gateway::reach_running();
  if (!gateway && gateway.error().code() != ErrorCode::not_found) return fail(gateway.error());
  if (gateway) {
    Result<int64_t> left = stop_gateway(*gateway, false);
    if (!left) return fail(left.error());
  }
  return start(json);
}

int run(const ServeOptions& options) {
  // Replacing returns when the new one is ready, as --background does, so both together say the same.
  if ((options.background || options.replace) + options.stop + options.status > 1) {
    return usage_error("serve", "give one of --background, --replace, --stop and --status");
  }
  if (options.end_jobs && !options.stop) return usage_error("serve", "--end-jobs goes with --stop");
  if (options.status) return show_status(options.json);
  if (options.stop) return stop(options);
  if (options.replace) return replace(options.json);
  if (options.background) return start(options.json);
  return run_in_foreground();
}

Run declare_serve(CommandLine& line) {
  auto options = std::make_shared<ServeOptions>();
  line.flag("--background", options->background, "Start it in the background and return when it is ready");
  line.flag("--replace", options->replace,
            "Stop the running one, start this version in the background and return when it is ready; jobs go on");
  line.flag("--stop", options->stop, "Stop it; jobs go on at the keeper");
  line.flag("--end-jobs", options->end_jobs, "With --stop: end every job, too");
  line.flag("--status", options->status, "Say what is running; exit code 1 when nothing is");
  line.flag("--json", options->json, "Print JSON");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand serve_command = {
    "serve", "Run, replace, stop or look at the gateway",
    R"(  talaria serve                     in the foreground, as a service manager wants it
  talaria serve --replace           after an upgrade: back at the prompt when it is ready, no job is touched
  talaria serve --status --json     pid, socket, jobs
  talaria serve --stop --end-jobs   everything off

Other commands start a gateway by themselves when none is running.)",
    declare_serve};

}  // namespace talaria
