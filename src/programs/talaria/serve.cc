#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "os/daemon.h"
#include "os/file.h"
#include "os/lock_holder.h"
#include "rpc/gateway_start.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/gateway_process.h"
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
constexpr auto answer_patience = 3s;
// It may have to write a removed database again first, and takes five seconds for that at most.
constexpr auto stop_answer_patience = 8s;
constexpr auto jobs_end_patience = 60s;

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

// One is there and cannot be asked.
int show_silent(const Error& why, bool json) {
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  const Error error = silent_gateway(*home, why);
  const std::optional<pid_t> pid = gateway_holding(*home);
  if (json && pid) {
    print_json(JsonObject{{"running", true}, {"answers", false}, {"pid", *pid}, {"reason", error.message()}});
  }
  return fail(error);
}

int show_running(JsonObject status, bool json) {
  status["running"] = true;
  if (json) print_json(status);
  else print_line(describe(status));
  return 0;
}

int show_status(bool json) {
  Result<Gateway> gateway = Gateway::reach_running();
  if (!gateway && gateway.error().code() == ErrorCode::not_found) {
    if (json) print_json(JsonObject{{"running", false}});
    else print_line("not running");
    return 1;
  }
  if (!gateway) return show_silent(gateway.error(), json);
  Result<JsonObject> status = ask_within(gateway->client, "gateway/status", params_of({}), answer_patience);
  if (!status) return show_silent(status.error(), json);
  return show_running(*status, json);
}

// Waits for the process itself: its lock may have gone to a successor already, started by another client.
Result<> await_exit(int pidfd, pid_t pid) {
  pollfd entry{pidfd, POLLIN, 0};
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(serve_stop_patience).count();
  int ready = -1;
  while ((ready = ::poll(&entry, 1, static_cast<int>(patience))) < 0 && errno == EINTR) {
  }
  if (ready > 0) return ok;
  return Error(ErrorCode::timed_out,
               "the gateway (pid " + std::to_string(pid) +
                   ") was asked to stop and is still there; see talaria logs, or end it with: kill " +
                   std::to_string(pid));
}

// How many jobs run on. What the gateway could not write is lost, and said.
Result<int64_t> stop_gateway(Gateway& gateway, bool end_jobs) {
  const JsonObject status = TRY(ask_within(gateway.client, "gateway/status", params_of({}), answer_patience));
  const auto pid = static_cast<pid_t>(integer_or(status, "pid"));
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return Error::from_errno("watch the gateway, pid " + std::to_string(pid));
  const JsonObject left = TRY(ask_within(gateway.client, "gateway/stop", params_of({{"end_jobs", end_jobs}}),
                                         end_jobs ? jobs_end_patience : stop_answer_patience));
  TRY(await_exit(process.get(), pid));
  if (const std::string unwritten = text_or(left, "unwritten"); !unwritten.empty()) complain(unwritten);
  return integer_or(left, "jobs_left_running");
}

std::string jobs_text(int64_t count) { return std::to_string(count) + (count == 1 ? " job runs on" : " jobs run on"); }

// Ends the gateway that is there, by asking it; one that cannot be asked by a signal to its process. `not_found` when
// none is there. How many jobs run on, where that is known.
Result<std::optional<int64_t>> stop_running(const Home& home, bool end_jobs) {
  const std::optional<pid_t> pid = gateway_holding(home);
  Result<Gateway> gateway = Gateway::reach_running();
  Result<int64_t> left = gateway ? stop_gateway(*gateway, end_jobs) : Result<int64_t>(gateway.error());
  if (left) return std::optional(*left);
  const ErrorCode code = left.error().code();
  // One that has no place for us answers with a conflict.
  const bool silent = code == ErrorCode::unavailable || code == ErrorCode::timed_out || code == ErrorCode::conflict;
  if (!silent || !pid || gateway_holding(home) != pid) return std::move(left).error();
  complain(TRY(end_gateway_process(home, *pid)));
  return std::optional<int64_t>();
}

bool keeper_is_there(const Home& home) {
  const Result<LockHolder> holder = holder_of(home.keeper_lock());
  return exists(home.keeper_socket()) || (holder && holder->held);
}

int stop(const ServeOptions& options) {
  Result<Home> home = find_home();
  if (!home) return fail(home.error());
  Result<std::optional<int64_t>> left = stop_running(*home, options.end_jobs);
  const bool absent = !left && left.error().code() == ErrorCode::not_found;
  if (!left && !absent) return fail(left.error());
  // Jobs live at the keeper; to end them a gateway is needed even when none was running, or none that could be asked.
  const bool needed = options.end_jobs && (absent || !*left) && keeper_is_there(*home);
  if (absent && !needed) {
    if (options.json) print_json(JsonObject{{"running", false}});
    else print_line("not running");
    return 0;
  }
  if (needed) {
    Result<Gateway> gateway = Gateway::reach();
    if (!gateway) return fail(gateway.error());
    Result<int64_t> rest = stop_gateway(*gateway, true);
    if (!rest) return fail(rest.error());
    left = std::optional(*rest);
  }
  JsonObject stopped{{"running", false}};
  if (*left) stopped["jobs_left_running"] = **left;
  if (options.json) print_json(stopped);
  else print_line("stopped; " + (options.end_jobs ? "all jobs ended" : *left ? jobs_text(**left) : "jobs run on"));
  return 0;
}

// One that dies just then is asked for its status in vain: the next one is started and asked.
int start(bool json) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  const Result<JsonObject> running = gateway->call("gateway/status", params_of({}), Repeat::harmless);
  if (!running) return fail(running.error());
  return show_running(*running, json);
}

int replace(bool json) {
  Result<Home> home = find_home();
  if (!home) return fail(home.error());
  const Result<std::optional<int64_t>> left = stop_running(*home, false);
  if (!left && left.error().code() != ErrorCode::not_found) return fail(left.error());
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
  talaria serve --replace           after an upgrade; jobs go on
  talaria serve --status --json     pid, socket, jobs
  talaria serve --stop --end-jobs   everything off

Other commands start a gateway by themselves when none is running.)",
    declare_serve};

}  // namespace talaria
