// How a call of exec turns into a job: its program, environment, permit and options.
#include <fcntl.h>

#include "api/command_environment.h"
#include "api/exec.h"
#include "api/sandbox_words.h"
#include "api/script_environment.h"
#include "api/stdin_text.h"
#include "process/job_name.h"

namespace talaria {
namespace {

// `known` and `secrets`, which come first.
SharedEnvironment with_secrets(const SharedEnvironment& known, Environment secrets) {
  if (secrets.empty()) return known;
  secrets.insert(known->begin(), known->end());
  return std::make_shared<const Environment>(std::move(secrets));
}

}  // namespace

Environment ExecCall::environment_for(const SharedEnvironment& base) {
  CommandEnvironment made =
      command_environment(parts_, {settings_, wish_.session, wish_.caller, base, sandbox_.get(), grants_});
  plan_.notes.insert(plan_.notes.end(), made.notes.begin(), made.notes.end());
  passed_secrets_ = std::move(made.secrets);
  Environment environment = std::move(made.variables);
  if (arguments_.pty) {
    environment["TERM"] = "xterm-256color";
    environment.erase("LINES");
    environment.erase("COLUMNS");
  }
  if (wish_.keep_state) apply_state(given_, environment);
  for (const auto& [name, value] : arguments_.env) environment[name] = value;
  environment["TALARIA"] = "exec";
  environment["TALARIA_JOB"] = job_;
  return environment;
}

// A terminal or a text is the command's own stdin, and what runs on in the background ends too late.
bool ExecCall::keeps_state() const {
  const bool foreground = !arguments_.pty && !arguments_.stdin_text && !plan_.background && !wish_.never_wait;
  return wish_.keep_state && foreground && !plan_.through_sudo && parts_.environment.shell().ends_with("/bash");
}

void ExecCall::keep_state() {
  if (!report_) return;
  const std::optional<ShellReport> report = read_report(report_.get());
  report_.reset();
  if (!report) return;
  const bool free_path = plan_.security == Security::full;
  const bool inside = sandbox_ != nullptr;
  const auto may_keep = [&](const Environment& variables) {
    // Which program a name means is the owner's to say where programs are judged by name.
    if (variables.contains("PATH")) return free_path ? Result<>(ok) : invalid("the allowlist goes by the PATH it has");
    return inside ? check_sandbox_call_env(variables) : check_call_env(variables);
  };
  ShellState state = parts_.shells.of(wish_.session);
  std::vector<std::string> refused = take_changes(state, given_, environment_given_, plan_.workdir, *report, may_keep);
  plan_.notes.insert(plan_.notes.end(), refused.begin(), refused.end());
  if (Result<> kept = parts_.shells.keep(wish_.session.id, std::move(state)); !kept) {
    plan_.notes.push_back("What the command changed is not kept for the next one: " + kept.error().message());
  }
}

Result<std::vector<std::string>> ExecCall::argv_for(const Environment& environment) const {
  const std::string& shell = parts_.environment.shell();
  if (shell.empty()) return Error(ErrorCode::not_found, "neither bash nor sh is on the PATH");
  std::vector<std::string> argv = plain_shell(shell, arguments_.command);
  if (keeps_state()) argv = reporting_shell(shell, arguments_.command);
  if (!plan_.through_sudo) return argv;
  const std::string sudo = find_program("sudo", value_in(environment, "PATH") + ":/bin:/usr/bin");
  if (sudo.empty()) {
    return Error(ErrorCode::not_found,
                 "exec.elevated.via is sudo, and sudo is not installed; install it or set it to none");
  }
  // -n: it fails rather than ask for a password, which nobody could give.
  argv.insert(argv.begin(), {sudo, "-n", "--"});
  return argv;
}

GateRequest ExecCall::gate_request() const {
  GateRequest request;
  request.text = arguments_.command;
  request.session = wish_.session.id;
  request.job = job_;
  request.door = wish_.caller.door;
  request.host = plan_.host;
  request.security = plan_.security;
  request.ask = plan_.ask;
  return request;
}

Result<StartOptions> ExecCall::start_options() {
  StartOptions options;
  if (arguments_.pty) {
    options.terminal = arguments_.size;
  } else if (keeps_state()) {
    report_ = TRY(make_report_file());
    options.stdin_kind = Stdin::fd;
    options.stdin_fd = UniqueFd(::fcntl(report_.get(), F_DUPFD_CLOEXEC, 0));
    if (!options.stdin_fd) return Error::from_errno("duplicate the shell's report");
  } else if (arguments_.stdin_text) {
    options.stdin_kind = Stdin::fd;
    options.stdin_fd = TRY(stdin_with(*arguments_.stdin_text));
  } else if (plan_.background || wish_.keep_stdin) {
    options.stdin_kind = Stdin::pipe;
  }
  options.timeout = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan_.timeout_seconds));
  if (plan_.timeout_seconds > 0 && options.timeout < 1ms) options.timeout = 1ms;
  options.max_log_bytes = static_cast<uint64_t>(settings_->exec.max_log_bytes);
  if (sandbox_) {
    options.space = sandbox_->request.space;
    options.steps = sandbox_->steps;
  }
  return options;
}

Jobs::Start ExecCall::job_to_start() const {
  Jobs::Start start;
  start.row.id = job_;
  start.row.session = wish_.session.id;
  start.row.command = arguments_.command;
  start.row.cwd = plan_.workdir;
  start.row.host = name_of(plan_.host);
  start.row.label = arguments_.label;
  start.row.name = arguments_.label.empty() ? job_name(arguments_.command) : arguments_.label;
  start.row.background = plan_.background || wish_.never_wait;
  start.row.persist = arguments_.persist;
  start.details.timeout_seconds = plan_.timeout_seconds;
  start.details.notify = arguments_.notify;
  start.details.handed_back = wish_.never_wait;
  start.details.elevated = plan_.elevated;
  start.details.door = wish_.caller.door;
  if (sandbox_) start.details.sandbox = sandbox_->field;
  start.details.may_leave = sandbox_ && may_leave_sandbox(settings_->exec);
  start.most_running = settings_->exec.max_jobs;
  start.secrets = with_secrets(with_secrets(parts_.environment.secrets(), passed_secrets_), secrets_in(arguments_.env));
  return start;
}

void ExecCall::launch(const SharedEnvironment& base) {
  // Two starts of the same job may have waited for the same sandbox.
  if (!wish_.id.empty() && join_existing()) return;
  const JsonObject field = sandbox_ ? sandbox_->field : JsonObject();
  Environment environment = environment_for(base);
  if (keeps_state()) environment_given_ = environment;
  Result<std::vector<std::string>> argv = argv_for(environment);
  if (!argv) return answer_soon(spawn_failure(plan_.workdir, argv.error(), field));
  const GateRequest request = gate_request();
  Result<Permit> permit = parts_.gate.permit({*std::move(argv), plan_.workdir, std::move(environment)}, request);
  if (!permit) {
    const bool denied = permit.error().code() == ErrorCode::denied;
    return answer_soon(denied ? denied_result(parts_.gate.judge(request), sandbox_of({.sandbox = field}))
                              : error_result(permit.error()));
  }
  Jobs::Start start = job_to_start();
  Result<StartOptions> options = start_options();
  if (!options) return answer_soon(spawn_failure(plan_.workdir, options.error(), field));
  start.options = *std::move(options);
  if (Result<> opened = sandbox_ ? parts_.sandboxes.open(*sandbox_) : Result<>(ok); !opened) {
    return answer_soon(spawn_failure(plan_.workdir, opened.error(), field));
  }
  Result<LiveJob*> job = parts_.jobs.start(*std::move(permit), std::move(start));
  if (!job) return answer_soon(spawn_failure(plan_.workdir, job.error(), field));
  follow(**job);
}

}  // namespace talaria
