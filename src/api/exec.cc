#include "api/exec.h"

#include <unistd.h>

#include <algorithm>

#include "api/stdin_text.h"
#include "base/id.h"
#include "os/file.h"
#include "os/random.h"
#include "process/job_name.h"
#include "process/mask.h"
#include "process/output_log.h"

namespace talaria {
namespace {

constexpr size_t tail_characters = 2000;
constexpr char end_of_file = 4;

std::string value_in(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

Result<> keep_in_file(const ByteSource& source, const std::string& file) {
  TRY(make_directories(file.substr(0, file.find_last_of('/'))));
  const std::string whole = TRY(source.read(0, static_cast<size_t>(source.size)));
  return write_file_atomically(file, whole, 0600, Durable::no);
}

// The cut may go through a secret on both of its sides.
std::string masked_excerpt(Excerpt part, const Environment& secrets) {
  const size_t gap = part.truncated ? part.text.find(gap_line(part.left_out_bytes)) : std::string::npos;
  if (gap == std::string::npos) return mask_secrets(std::move(part.text), secrets);
  const size_t tail = std::min(gap + gap_line(part.left_out_bytes).size() + 1, part.text.size());
  const size_t head = gap - std::min<size_t>(gap, 1);  // without the line end before the gap
  return mask_cut_secret(mask_secrets(part.text.substr(0, head), secrets), secrets, CutEnd::back) +
         part.text.substr(head, tail - head) +
         mask_cut_secret(mask_secrets(part.text.substr(tail), secrets), secrets, CutEnd::front);
}

bool runs_git(const std::string& command) {
  const size_t at = command.find("git ");
  return at == 0 ||
         (at != std::string::npos && std::string_view(" ;&|(\n").find(command[at - 1]) != std::string_view::npos);
}

// No sandbox can be had: nothing ran, and nothing runs without one unless it is asked for.
ToolResult no_sandbox(const Error& why) {
  const bool asked_wrongly = why.code() == ErrorCode::invalid_argument || why.code() == ErrorCode::not_found;
  ToolResult result =
      error_result(asked_wrongly ? why : Error(why.code(), "no sandbox, so nothing was run: " + why.message()));
  result.details["sandbox"] = JsonObject{{"tier", nullptr}, {"reason", why.message()}};
  return result;
}

}  // namespace

ExecCall::ExecCall(Parts& parts, ExecWish wish, Done<ToolResult> done)
    : parts_(parts), wish_(std::move(wish)), done_(std::move(done)) {}

void ExecCall::begin() {
  Result<> prepared = prepare();
  if (!prepared) return answer_soon(error_result(prepared.error()));
  if (!wish_.id.empty() && join_existing()) return;
  job_ = wish_.id.empty() ? id_from(random_u64()) : wish_.id;
  with_environment();
}

OperationPtr start_exec(Parts& parts, ExecWish wish, Done<ToolResult> done) {
  auto call = std::make_unique<ExecCall>(parts, std::move(wish), std::move(done));
  call->begin();
  return call;
}

ExecCall::~ExecCall() {
  // Nobody waits for it any more, and nobody was told that it runs.
  if ((phase_ == Phase::starting || phase_ == Phase::running) && !wish_.never_wait) parts_.jobs.end(job_);
}

Result<> ExecCall::prepare() {
  settings_ = TRY(parts_.settings.current());
  arguments_ = TRY(parse_exec_arguments(wish_.arguments));
  wish_.arguments.clear();
  plan_ = TRY(plan_exec(arguments_, settings_->exec, wish_.session.cwd, parts_.environment.own()));
  TRY(plan_.host == Host::sandbox ? check_sandbox_call_env(arguments_.env) : check_call_env(arguments_.env));
  if (!wish_.id.empty() && (wish_.id.size() != id_length || !looks_like_id(wish_.id))) {
    return invalid("a job id is " + std::to_string(id_length) +
                   " lower-case letters and digits without 0, 1, i, l, o, u");
  }
  return ok;
}

// A start that was repeated, because its first answer got lost: the job is there already.
bool ExecCall::join_existing() {
  LiveJob* live = parts_.jobs.live(wish_.id);
  if (live && live->row.state == JobState::starting) {
    job_ = wish_.id;
    follow(*live);
    return true;
  }
  Result<std::optional<JobRow>> stored = parts_.store.jobs().find(wish_.id);
  if (!live && (!stored || !*stored)) return false;
  const JobRow& row = live ? live->row : **stored;
  answer_soon(finished(row.state) ? ending_result(row, details_of(row)) : started_result(row));
  return true;
}

void ExecCall::with_environment() {
  const SharedEnvironment base = parts_.environment.known();
  if (base) return with_sandbox(base);
  phase_ = Phase::awaiting_environment;
  environment_ = parts_.environment.when_known([this] {
    const SharedEnvironment known = parts_.environment.known();
    if (known) with_sandbox(known);
    else with_environment();  // the start-up files changed once more
  });
}

void ExecCall::with_sandbox(const SharedEnvironment& base) {
  if (plan_.host != Host::sandbox) return launch(base);
  phase_ = Phase::awaiting_sandbox;
  preparing_ =
      parts_.sandboxes.prepare({wish_.session, wish_.sandbox, settings_, base},
                               [this, base](Result<SharedSandboxPlan> plan) { take_sandbox(base, std::move(plan)); });
}

void ExecCall::take_sandbox(const SharedEnvironment& base, Result<SharedSandboxPlan> plan) {
  if (!plan) return answer_soon(no_sandbox(plan.error()));
  sandbox_ = *std::move(plan);
  if (sandbox_->cwd != wish_.session.workspace && !arguments_.workdir) plan_.workdir = sandbox_->cwd;
  const bool first = parts_.sandboxes.first_use(*sandbox_);
  if (!retried_) plan_.notes.insert(plan_.notes.end(), sandbox_->notes.begin(), sandbox_->notes.end());
  if (!retried_ && first) {
    plan_.notes.insert(plan_.notes.end(), sandbox_->first_notes.begin(), sandbox_->first_notes.end());
  }
  if (sandbox_->request.profile.kind == ProfileKind::full) {
    // It confines next to nothing, so what holds for the plain host holds for it.
    Result<Security> security = parse_security(settings_->exec.security);
    Result<Ask> ask = parse_ask(settings_->exec.ask);
    if (!security || !ask) return answer_soon(error_result(security ? ask.error() : security.error()));
    plan_.security = tighter(plan_.security, *security);
    plan_.ask = stricter(plan_.ask, *ask);
  }
  launch(base);
}

Environment ExecCall::environment_for(const SharedEnvironment& base) {
  Environment environment;
  if (!sandbox_) {
    environment = *base;
  } else {
    const SandboxEnvironment& inside = parts_.sandboxes.environment(settings_, base);
    environment = inside.variables;
    for (const auto& [name, value] : sandbox_->environment) environment[name] = value;
    plan_.notes.insert(plan_.notes.end(), inside.refused.begin(), inside.refused.end());
  }
  environment.erase("TERM");
  if (arguments_.pty) {
    environment["TERM"] = "xterm-256color";
    environment.erase("LINES");
    environment.erase("COLUMNS");
  }
  for (const auto& [name, value] : arguments_.env) environment[name] = value;
  environment["TALARIA"] = "exec";
  environment["TALARIA_JOB"] = job_;
  return environment;
}

Result<std::vector<std::string>> ExecCall::argv_for(const Environment& environment) const {
  const std::string& shell = parts_.environment.shell();
  if (shell.empty()) return Error(ErrorCode::not_found, "neither bash nor sh is on the PATH");
  std::vector<std::string> argv = {shell, "-c", arguments_.command};
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
  start.secrets = parts_.environment.secrets();
  if (Environment given = secrets_in(arguments_.env); !given.empty()) {
    given.insert(start.secrets->begin(), start.secrets->end());
    start.secrets = std::make_shared<const Environment>(std::move(given));
  }
  return start;
}

void ExecCall::launch(const SharedEnvironment& base) {
  const JsonObject field = sandbox_ ? sandbox_->field : JsonObject();
  Environment environment = environment_for(base);
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

void ExecCall::follow(LiveJob& job) {
  phase_ = Phase::starting;
  watch_ = parts_.jobs.watch(job, [this](LiveJob& changed) { job_changed(changed); });
  if (plan_.background || wish_.never_wait || !settings_->exec.allow_background) return;
  yield_ = parts_.loop.at(begun_ + std::chrono::milliseconds(plan_.yield_ms), [this] {
    // One that has not started yet is handed back the moment it has.
    if (phase_ == Phase::running) hand_back();
    else plan_.background = true;
  });
}

void ExecCall::job_changed(LiveJob& job) {
  // Only where it is sure that nothing ran: a keeper that went away may have started it.
  const bool fell = sandbox_ && job.start_error && job.start_error->code() == ErrorCode::cancelled;
  if (fell && !std::exchange(retried_, true)) return try_another_sandbox();
  if (job.start_error)
    return answer(spawn_failure(plan_.workdir, explain_start(*job.start_error), job.details.sandbox));
  if (phase_ == Phase::starting && job.row.state == JobState::running) return became_running(job);
  const bool waiting = phase_ == Phase::starting || phase_ == Phase::running;
  if (waiting && finished(job.row.state)) collect(job);
}

// It fell just before we came: nothing has run, and a new one is a few milliseconds away.
void ExecCall::try_another_sandbox() {
  phase_ = Phase::preparing;
  yield_ = {};
  watch_.reset();
  parts_.sandboxes.gone(sandbox_->request.space);
  sandbox_.reset();
  later_ = Later(parts_.loop, [this] { with_environment(); });
}

// git says only that its file is busy or read-only.
std::string ExecCall::protection_hint(const JobRow& row) const {
  const bool git_failed = row.exit_code.value_or(0) > 1 && runs_git(row.command);  // 1 is what a mere difference gives
  if (!sandbox_ || sandbox_->request.profile.kind == ProfileKind::full || !git_failed ||
      !exists(sandbox_->request.workspace + "/.git"))
    return "";
  return "In the sandbox the .git/config and .git/hooks of a repository that was there before are read-only; a git "
         "command that must change them needs host=gateway.";
}

// What a person can do about a start that failed inside a sandbox only.
Error ExecCall::explain_start(Error why) const {
  const bool hidden = sandbox_ && why.message().find("step cwd") != std::string::npos;
  if (!hidden) return why;
  return {why.code(), "workdir \"" + plan_.workdir + "\" cannot be used in the sandbox (" + why.message() +
                          "); nothing was run. The sandbox shows the workspace " + wish_.session.workspace +
                          ", the system, and what sandbox.readable and sandbox.writable name"};
}

void ExecCall::became_running(LiveJob& job) {
  phase_ = Phase::running;
  if (arguments_.pty && arguments_.stdin_text) {
    std::string text = *arguments_.stdin_text;
    // On a terminal the end of file counts only at the start of a line; the first one just ends the line.
    if (!text.empty() && text.back() != '\n') text += end_of_file;
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (keeper) feeding_ = (*keeper)->write(job_, text, true, {}, [](const Result<JobStatus>&) {});
  }
  if (plan_.background || wish_.never_wait) {
    phase_ = Phase::collecting;
    job.details.handed_back = true;
    parts_.jobs.save(job);
    parts_.announcer.handed_back(job);
    answer(started_result(job.row));
  }
}

ToolResult ExecCall::started_result(const JobRow& row) const {
  ToolResult result = running_result(row, "", plan_.notes);
  // It was to run in the background and may not: whoever started it is asked to stay with it.
  if (arguments_.background && !plan_.background) result.details["foreground"] = true;
  return result;
}

void ExecCall::hand_back() {
  LiveJob* job = parts_.jobs.live(job_);
  if (!job) return;
  phase_ = Phase::collecting;
  job->details.handed_back = true;
  parts_.jobs.save(*job);
  parts_.announcer.handed_back(*job);
  reading_ =
      parts_.outputs.open(job_, [this, row = job->row, secrets = job->secrets](const Result<ByteSource>& source) {
        Result<std::string> tail = source ? tail_text(*source, tail_characters) : Result<std::string>("");
        std::string shown = mask_secrets(tail ? *std::move(tail) : "", *secrets);
        if (source && source->size > tail_characters) shown = mask_cut_secret(shown, *secrets, CutEnd::front);
        answer(running_result(row, mask_cut_secret(shown, *secrets, CutEnd::back), plan_.notes));
      });
}

void ExecCall::collect(LiveJob& job) {
  phase_ = Phase::collecting;
  job.details.exit_seen = true;
  yield_ = {};
  if (job.output) return answer_finished(job.row, job.details, job.secrets, source_of(*job.output));
  reading_ = parts_.outputs.open(
      job_, [this, row = job.row, details = job.details, secrets = job.secrets](const Result<ByteSource>& source) {
        answer_finished(row, details, secrets, source);
      });
}

void ExecCall::answer_finished(const JobRow& row, const JobDetails& details, const SharedEnvironment& secrets,
                               const Result<ByteSource>& output) {
  // What leftover children printed since belongs to the log.
  Result<ShownOutput> shown =
      output ? show_output(first_of(*output, row.output_bytes), row, secrets,
                           static_cast<size_t>(settings_->exec.max_output), parts_.jobs.home().job(row.id))
             : Result<ShownOutput>(output.error());
  if (!shown) return answer(error_result(Error(shown.error()).within("read the output of session " + row.id)));
  if (const std::string hint = protection_hint(row); !hint.empty()) plan_.notes.push_back(hint);
  const std::string hint = elevation_hint(plan_, ::geteuid(), row.exit_code);
  if (!hint.empty()) plan_.notes.push_back(hint);
  answer(finished_result(row, details, *shown, plan_.notes));
}

void ExecCall::answer_soon(ToolResult result) {
  phase_ = Phase::collecting;
  later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable { answer(std::move(result)); });
}

void ExecCall::answer(ToolResult result) {
  phase_ = Phase::answered;
  watch_.reset();
  yield_ = {};
  const Done<ToolResult> done = std::exchange(done_, nullptr);
  if (!done) return;        // answered already
  done(std::move(result));  // may destroy us
}

Result<ShownOutput> show_output(const ByteSource& source, const JobRow& row, const SharedEnvironment& secrets,
                                size_t max_characters, const std::string& folder) {
  Excerpt part = TRY(excerpt(source, max_characters, row.tty ? Collapse::yes : Collapse::no));
  ShownOutput shown;
  shown.truncated = part.truncated;
  shown.text = secrets ? masked_excerpt(std::move(part), *secrets) : std::move(part.text);
  if (!shown.truncated) return shown;
  const std::string file = folder + "/output";
  if (!exists(file) && source.lost_begin == source.lost_end) {
    Result<> written = keep_in_file(source, file);
    if (!written) shown.file_error = written.error().message();
  }
  const Result<LogFiles> files = LogFiles::find(folder);
  if (!files || files->segments.empty() || files->segments.front().offset != 0) return shown;
  shown.file = file;
  shown.file_bytes = files->segments.front().size;
  return shown;
}

}  // namespace talaria
