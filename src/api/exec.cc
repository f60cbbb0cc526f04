#include "api/exec.h"

#include <unistd.h>

#include <algorithm>

#include "base/id.h"
#include "base/text.h"
#include "base/unseen.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr char end_of_file = 4;
// Characters of output: what a program gets fills no model's context.
constexpr int64_t most_for_programs = 200'000;

bool runs_git(const std::string& command) {
  const size_t at = command.find("git ");
  return at == 0 ||
         (at != std::string::npos && std::string_view(" ;&|(\n").find(command[at - 1]) != std::string_view::npos);
}

// ".git/" as a directory of that name, not as the end of another: https://example.com/b.git/.
bool names_git_directory(const std::string& line) {
  const size_t at = line.find(".git/");
  return at == 0 || (at != std::string::npos && std::string_view(" '\"/").find(line[at - 1]) != std::string_view::npos);
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
    : parts_(parts), wish_(std::move(wish)), done_(std::move(done)), granting_(parts, wish_.session) {}

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
  // A person is where he is, and follows the command himself.
  wish_.keep_state = !wish_.never_wait && (wish_.keep_state || settings_->exec.keep_state);
  if (wish_.keep_state) given_ = parts_.shells.of(wish_.session);
  if (!arguments_.timeout_seconds && wish_.timeout_seconds > 0) arguments_.timeout_seconds = wish_.timeout_seconds;
  const std::string& cwd = given_.cwd.empty() ? wish_.session.cwd : given_.cwd;
  plan_ = TRY(plan_exec(arguments_, settings_->exec, cwd, parts_.environment.own()));
  TRY(plan_.host == Host::sandbox ? check_sandbox_call_env(arguments_.env) : check_call_env(arguments_.env));
  if (!wish_.id.empty() && (wish_.id.size() != id_length || !looks_like_id(wish_.id))) {
    return invalid("a job id is " + std::to_string(id_length) +
                   " lower-case letters and digits without 0, 1, i, l, o, u");
  }
  return ok;
}

// Where it runs may have changed since, with the configuration.
bool ExecCall::same_as(const JobRow& row) const {
  return row.session == wish_.session.id && row.command == arguments_.command && row.label == arguments_.label;
}

// A start that was repeated, because its first answer got lost: the job is there already.
bool ExecCall::join_existing() {
  LiveJob* live = parts_.jobs.live(wish_.id);
  if (live && !same_as(live->row)) return answer_soon(error_result(another_has_this_id(wish_.id))), true;
  if (live && live->row.state == JobState::starting) {
    job_ = wish_.id;
    follow(*live);
    return true;
  }
  Result<std::optional<JobRow>> stored = parts_.store.jobs().find(wish_.id);
  if (!live && (!stored || !*stored || parts_.jobs.is_removed(wish_.id))) return false;
  const JobRow& row = live ? live->row : **stored;
  if (!same_as(row)) return answer_soon(error_result(another_has_this_id(wish_.id))), true;
  answer_soon(finished(row.state) ? ending_result(row, details_of(row)) : started_result(row));
  return true;
}

void ExecCall::with_environment() {
  const SharedEnvironment base = parts_.environment.known();
  if (base) return with_grants(base);
  phase_ = Phase::awaiting_environment;
  environment_ = parts_.environment.when_known([this] {
    const SharedEnvironment known = parts_.environment.known();
    if (known) with_grants(known);
    else with_environment();  // the start-up files changed once more
  });
}

void ExecCall::with_grants(const SharedEnvironment& base) {
  phase_ = Phase::awaiting_grants;
  granting_.find(settings_, base, [this, base](SkillGrants grants) {
    grants_ = std::move(grants);
    with_sandbox(base);
  });
}

void ExecCall::with_sandbox(const SharedEnvironment& base) {
  if (plan_.host != Host::sandbox) return launch(base);
  phase_ = Phase::awaiting_sandbox;
  preparing_ =
      parts_.sandboxes.prepare({wish_.session, wish_.sandbox, settings_, base, grants_.shown},
                               [this, base](Result<SharedSandboxPlan> plan) { take_sandbox(base, std::move(plan)); });
}

void ExecCall::take_sandbox(const SharedEnvironment& base, Result<SharedSandboxPlan> plan) {
  if (!plan) return answer_soon(no_sandbox(plan.error()));
  sandbox_ = *std::move(plan);
  if (sandbox_->cwd != wish_.session.workspace && !arguments_.workdir && given_.cwd.empty()) {
    plan_.workdir = sandbox_->cwd;
  }
  const bool hidden = !sandbox_->view.workspace_shown && sandbox_->cwd == value_in(sandbox_->environment, "HOME");
  if (hidden) workspace_ = {{"path", wish_.session.workspace}, {"reason", "hidden"}};
  const bool first = parts_.sandboxes.first_use(*sandbox_);
  if (!retried_) plan_.notes.insert(plan_.notes.end(), sandbox_->notes.begin(), sandbox_->notes.end());
  if (!retried_ && first) {
    plan_.notes.insert(plan_.notes.end(), sandbox_->first_notes.begin(), sandbox_->first_notes.end());
    tell_workspace();
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

// Where it is not simply the directory that was asked for.
void ExecCall::tell_workspace() {
  const Workspace workspace = parts_.sessions.workspace(wish_.session);
  if (workspace.sentence.empty() || !sandbox_->view.workspace_shown) return;
  plan_.notes.push_back(workspace.sentence);
  workspace_ = {{"path", workspace.path}, {"reason", name_of(workspace.reason)}};
}

void ExecCall::follow(LiveJob& job) {
  phase_ = Phase::starting;
  watch_ = parts_.jobs.watch(job, [this](LiveJob& changed) { job_changed(changed); });
  if (plan_.background || wish_.never_wait || wish_.never_yield || !settings_->exec.allow_background) return;
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

// git says only that its file is busy or read-only, and may end with 0 all the same.
std::string ExecCall::protection_hint(const JobRow& row, const std::string& output) const {
  if (!sandbox_ || sandbox_->request.profile.kind == ProfileKind::full || !runs_git(row.command)) return "";
  const auto is_refusal = [](const std::string& line) {
    const bool refused = line.find("Device or resource busy") != std::string::npos ||
                         line.find("Read-only file system") != std::string::npos;
    return refused && names_git_directory(line);
  };
  if (!std::ranges::any_of(split(output, '\n'), is_refusal)) return "";
  return "In the sandbox .git/config, .git/hooks and .git/info of a repository that was there before are read-only; a "
         "git command that must change them needs host=gateway.";
}

// What a person can do about a start that failed inside a sandbox only.
Error ExecCall::explain_start(Error why) const {
  const bool hidden = sandbox_ && why.message().find("step cwd") != std::string::npos;
  if (!hidden) return why;
  if (!given_.cwd.empty() && !arguments_.workdir) {
    parts_.shells.forget_cwd(wish_.session.id);
    return {why.code(), "the directory " + shown_line(given_.cwd) + ", where the last command went, is gone (" +
                            why.message() + "); nothing was run. The next command starts in " +
                            shown_line(wish_.session.cwd)};
  }
  return {why.code(), "workdir \"" + shown_line(plan_.workdir) + "\" cannot be used in the sandbox (" + why.message() +
                          "); nothing was run. The sandbox shows the workspace " + shown_line(wish_.session.workspace) +
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
        Result<std::string> tail =
            source ? tail_text(*source, tail_characters, Collapse::yes) : Result<std::string>("");
        const Mask mask = parts_.secrets.mask(secrets);
        std::string shown = mask.hide(tail ? *std::move(tail) : "");
        if (source && source->size > tail_characters) shown = mask.hide_cut(std::move(shown), CutEnd::front);
        ToolResult result = running_result(row, mask.hide_cut(std::move(shown), CutEnd::back), plan_.notes);
        mask_directory(result.details, mask);
        answer(std::move(result));
      });
}

void ExecCall::collect(LiveJob& job) {
  phase_ = Phase::collecting;
  parts_.jobs.end_is_told(job);
  yield_ = {};
  if (job.output) return answer_finished(job.row, job.details, job.secrets, source_of(*job.output));
  reading_ = parts_.outputs.open(
      job_, [this, row = job.row, details = job.details, secrets = job.secrets](const Result<ByteSource>& source) {
        answer_finished(row, details, secrets, source);
      });
}

void ExecCall::answer_finished(const JobRow& row, const JobDetails& details, const SharedEnvironment& secrets,
                               const Result<ByteSource>& output) {
  // A program may write back what it reads.
  const Mask mask = wish_.caller.program ? Mask() : parts_.secrets.mask(secrets);
  // What leftover children printed since belongs to the log.
  const auto most = static_cast<size_t>(wish_.caller.program ? most_for_programs : settings_->exec.max_output);
  const Collapse collapse = wish_.caller.program && !row.tty ? Collapse::no : Collapse::yes;
  Result<ShownOutput> shown =
      output ? show_output(first_of(*output, row.output_bytes), mask, most, collapse, parts_.jobs.home().job(row.id))
             : Result<ShownOutput>(output.error());
  if (!shown) return answer(error_result(Error(shown.error()).within("read the output of job " + row.id)));
  keep_state();
  if (const std::string hint = protection_hint(row, shown->text); !hint.empty()) plan_.notes.push_back(hint);
  const std::string hint = elevation_hint(plan_, ::geteuid(), row.exit_code);
  if (!hint.empty()) plan_.notes.push_back(hint);
  ToolResult result =
      wish_.tell ? wish_.tell(row, details, *shown, plan_.notes) : finished_result(row, details, *shown, plan_.notes);
  mask_directory(result.details, mask);
  answer(std::move(result));
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
  if (!done) return;  // answered already
  if (!workspace_.empty() && !wish_.tell) result.details["workspace"] = std::move(workspace_);
  done(std::move(result));  // may destroy us
}

}  // namespace talaria
