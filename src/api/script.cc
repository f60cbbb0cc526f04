#include "api/script.h"

#include <fcntl.h>

#include <csignal>

#include "api/sandbox_words.h"
#include "api/script_result.h"
#include "api/scripts.h"
#include "base/id.h"
#include "os/file.h"
#include "os/random.h"
#include "os/socket.h"
#include "process/job_name.h"

namespace talaria {
namespace {

constexpr auto interrupt_patience = 2s;  // for a kept interpreter to end its program by itself
constexpr auto signal_patience = 200ms;  // for a signal to arrive
constexpr auto take_up_patience = 2s;    // for it to say that it is idle
constexpr double backup_seconds = 10;    // the keeper ends what no gateway ends in time
constexpr auto removal_patience = 60s;
constexpr auto collect_patience = 30s;  // for what a run printed
constexpr uint64_t most_log = 256 << 20;
constexpr size_t shown_source = 200;

Result<UniqueFd> copy_of(const UniqueFd& fd) {
  UniqueFd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return Error::from_errno("duplicate a descriptor for the keeper");
  return copy;
}

}  // namespace

Script::Script(Parts& parts, ScriptPlan plan, Events events)
    : parts_(parts),
      plan_(std::move(plan)),
      events_(std::move(events)),
      job_(id_from(random_u64())),
      // Never one of a gateway before us: what its process still says is of an earlier run.
      last_run_(parts_.store.timeline().now()) {}

Script::~Script() { *alive_ = false; }

Result<Environment> Script::prepare() {
  LobbyEnds lobby = TRY(make_lobby());
  auto [read_end, write_end] = TRY(make_pipe());
  if (!plan_.name.empty()) {
    kept_.push_back(TRY(copy_of(lobby.ours)));
    kept_.push_back(TRY(copy_of(read_end)));
  }
  given_.push_back({2, std::move(write_end)});
  given_.push_back({3, std::move(lobby.theirs)});
  serve(std::move(lobby.ours), std::move(read_end));
  Environment environment = plan_.environment;
  environment["TALARIA_RPC"] = "3:" + std::to_string(lobby.inode);
  return environment;
}

Result<> Script::start(Permit permit, const std::string& title) {
  Jobs::Start start;
  start.row.id = job_;
  start.row.session = plan_.session.id;
  start.row.command =
      plan_.name.empty() ? "execute_code: " + title.substr(0, shown_source) : "execute_code session " + plan_.name;
  start.row.name = plan_.name.empty() ? "execute_code" : "python " + plan_.name;
  start.row.cwd = plan_.cwd;
  start.row.host = plan_.place.sandbox ? "sandbox" : "gateway";
  start.row.background = !plan_.name.empty();
  start.details.door = plan_.door;
  start.details.sandbox = plan_.place.sandbox ? plan_.place.sandbox->field : JsonObject();
  start.details.may_leave = plan_.place.sandbox && may_leave_sandbox(plan_.place.settings->exec);
  start.details.script = {{"session", plan_.name}, {"mode", plan_.mode}, {"python", plan_.interpreter.program}};
  start.secrets = plan_.secrets;
  start.options.fds = std::exchange(given_, {});
  start.options.kept = std::exchange(kept_, {});
  start.options.warm = plan_.warm;
  start.options.grace = job_grace;
  start.options.max_log_bytes = most_log;
  start.most_running = parts_.settings.last_good().exec.max_jobs;
  if (run_ && plan_.name.empty()) {
    start.options.timeout = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(run_->plan.timeout_seconds + backup_seconds));
  }
  if (plan_.place.sandbox) {
    start.options.space = plan_.place.sandbox->request.space;
    start.options.steps = plan_.place.sandbox->steps;
  }
  LiveJob* job = TRY(parts_.jobs.start(std::move(permit), std::move(start)));
  watch_ = parts_.jobs.watch(*job, [this](LiveJob& changed) { job_changed(changed); });
  return ok;
}

void Script::serve(UniqueFd lobby, UniqueFd errors) {
  ScriptServer::Events events;
  events.call = [this](ScriptCall call, Done<ToolResult> done) { return call_tool(std::move(call), std::move(done)); };
  events.progress = [this](const ScriptProgress& progress) {
    if (run_ && run_->ended && run_->plan.caller.on_progress) {
      run_->plan.caller.on_progress({progress.message, progress.fraction, ""});
    }
  };
  events.ended = [this](const ScriptRunEnd& end) { process_says(end); };
  events.hello = [this](int64_t) {
    if (taken_up_) found_idle();
  };
  events.broken = [this](const Error& why) { process_broke(why); };
  server_.emplace(parts_.loop, std::move(lobby), std::move(events));
  errors_.emplace(parts_.loop, std::move(errors),
                  static_cast<size_t>(plan_.place.settings->code_execution.max_stderr_bytes));
}

// Exactly as if the agent had called it; what is written down names this run.
OperationPtr Script::call_tool(ScriptCall call, Done<ToolResult> done) {
  Caller caller;
  caller.door = "script:" + job_;
  caller.client = job_;
  caller.program = true;
  if (run_) caller.environment = run_->plan.caller.environment;
  return parts_.desk.call(call.tool, std::move(call.arguments), plan_.session, caller, std::move(done));
}

void Script::take_up(LiveJob& job, std::function<void(Result<>)> done) {
  job_ = job.row.id;
  watch_ = parts_.jobs.watch(job, [this](LiveJob& changed) { job_changed(changed); });
  taken_up_ = std::move(done);
  printed_ = job.row.output_bytes;
  deadline_ = parts_.loop.after(take_up_patience,
                                [this] { not_taken_up(Error(ErrorCode::timed_out, "it was running a script")); });
  Result<KeeperClient*> keeper = parts_.jobs.keeper();
  if (!keeper) return not_taken_up(keeper.error());
  asking_ = (*keeper)->kept(job_, [this](Result<std::vector<UniqueFd>> fds) {
    if (!fds) return not_taken_up(fds.error());
    if (fds->size() != 2) return not_taken_up(Error(ErrorCode::not_found, "the keeper has no way to it"));
    serve(std::move((*fds)[0]), std::move((*fds)[1]));
    if (Result<> asked = server_->send_hello(1); !asked) return not_taken_up(asked.error());
  });
}

// What it printed until now belongs to runs that are over.
void Script::found_idle() {
  Result<KeeperClient*> keeper = parts_.jobs.keeper();
  if (!keeper) return;
  asking_ = (*keeper)->drain(job_, [this](const Result<JobStatus>& status) {
    if (!status) return not_taken_up(status.error());
    const auto answer = std::exchange(taken_up_, nullptr);
    if (!answer) return;
    deadline_ = {};
    printed_ = status->output_bytes;
    answer(ok);
    if (run_) begin();
  });
}

// A program of before the restart runs in it, or it is gone. A call that has come meanwhile did not begin.
void Script::not_taken_up(const Error& why) {
  const auto answer = std::exchange(taken_up_, nullptr);
  if (!answer) return;
  deadline_ = {};
  const std::unique_ptr<ScriptRun> waiting = std::move(run_);
  if (waiting && waiting->ended) {
    ToolResult busy = refused_run("busy: the script that ran in session \"" + plan_.name +
                                  "\" when the gateway restarted is being ended; try again");
    busy.details["busy"] = true;
    busy.details["sessionId"] = job_;
    waiting->ended({std::move(busy), std::nullopt, 0});
  }
  answer(why);
}

void Script::run(RunPlan plan, Ended ended) {
  run_ = std::make_unique<ScriptRun>();
  run_->number = ++last_run_;
  run_->plan = std::move(plan);
  run_->ended = std::move(ended);
  if (!taken_up_) begin();  // else when it is known to be idle
}

void Script::begin() {
  errors_->reset();
  if (!run_->plan.staging.empty()) staging_ = run_->plan.staging;
  const Caller& caller = run_->plan.caller;
  if (run_->ended && caller.on_progress) caller.on_progress({"", std::nullopt, job_});
  // A person is where he is; the session's own commands may have gone elsewhere, and go on there afterwards.
  if (!caller.cwd.empty()) run_->went_from = parts_.shells.visit(plan_.session, caller.cwd);
  server_->begin(run_->plan.limits);
  RunOrder order;
  order.keep = !plan_.name.empty();
  order.staging = run_->plan.staging;
  order.argv = {"execute_code"};
  Result<> sent = server_->send_run(run_->number, order, run_->plan.source);
  std::string().swap(run_->plan.source);
  if (!sent) return process_broke(sent.error());
  const auto time = std::chrono::duration<double>(run_->plan.timeout_seconds);
  deadline_ = parts_.loop.after(std::chrono::duration_cast<Clock::duration>(time), [this] { stop(RunStop::timeout); });
}

void Script::detach() {
  if (!run_) return;
  run_->ended = nullptr;
}

void Script::stop(RunStop why) {
  if (!run_ || run_->stop != RunStop::none) return;
  if (taken_up_) {  // it did not begin
    if (!run_->ended) run_.reset();
    return;
  }
  if (!plan_.name.empty() && !run_->how.empty()) return;  // it has just ended by itself
  run_->stop = why;
  deadline_ = {};
  const LiveJob* job = parts_.jobs.live(job_);
  if (plan_.name.empty() || why == RunStop::broken || !job) {
    // Nothing is answered: a program that is to end must not go on with the error of a call.
    if (!std::exchange(run_->calls_over, true)) run_->tally = server_->cut();
    return parts_.jobs.end(job_);
  }
  // Its calls go on until it has ended: their answers would let it run on, and away from the interrupt.
  Result<KeeperClient*> keeper = parts_.jobs.keeper();
  if (keeper) asking_ = (*keeper)->signal(job_, SIGINT, [](const Result<JobStatus>&) {});
  deadline_ = parts_.loop.after(interrupt_patience, [this] { parts_.jobs.end(job_); });
}

void Script::end(const std::string& why) {
  ending_ = true;
  why_ended_ = why;
  parts_.jobs.end(job_);
}

void Script::process_says(const ScriptRunEnd& end) {
  if (!run_ || end.run != run_->number || !run_->how.empty()) return;
  run_->how = end.how;
  run_->exit_code = end.exit_code;
  if (plan_.name.empty()) return;  // its end as a process says more
  end_calls();
  deadline_ = {};
  if (run_->stop == RunStop::none || end.how == "interrupted") return drain();
  // It ended by itself while the interrupt was on its way, which must not meet the next one.
  deadline_ = parts_.loop.after(signal_patience, [this] { drain(); });
}

void Script::end_calls() {
  if (!std::exchange(run_->calls_over, true)) run_->tally = server_->end();
}

// All that it printed went into the pipe before it said that it is done.
void Script::drain() {
  const LiveJob* job = parts_.jobs.live(job_);
  if (job && job->row.state == JobState::starting) return;  // so quick that the keeper has not told of its start yet
  Result<KeeperClient*> keeper = parts_.jobs.keeper();
  if (!keeper) return collected(keeper.error());
  deadline_ = parts_.loop.after(collect_patience, [this] {
    if (run_) collected(Error(ErrorCode::timed_out, "the keeper does not answer"));
  });
  asking_ = (*keeper)->drain(job_, [this](const Result<JobStatus>& status) {
    if (!run_) return;
    if (!status) return collected(status.error());
    collect(status->output_bytes);
  });
}

void Script::process_broke(const Error& why) {
  if (!run_) return end("it said what no interpreter says: " + why.message());
  run_->broken = why.message();
  stop(RunStop::broken);
}

void Script::job_changed(LiveJob& job) {
  if (over_) return;
  if (job.start_error) {
    const Error why = *job.start_error;
    not_taken_up(why);
    if (run_) finish({}, why);
    return become_over();
  }
  const bool warm = boolean_or(job.details.script, "warm");
  parts_.scripts.note_start(plan_, warm ? Scripts::Start::warm : Scripts::Start::cold);
  if (finished(job.row.state)) return job_ended(job);
  if (run_ && !run_->how.empty() && !plan_.name.empty()) drain();
}

void Script::job_ended(LiveJob& job) {
  watch_.reset();
  deadline_ = {};
  ended_row_ = job.row;
  ended_details_ = job.details;
  // What it left running goes with it, but nobody waits for that.
  Result<KeeperClient*> keeper = parts_.jobs.keeper();
  if (keeper && job.row.leftovers > 0) (void)(*keeper)->end(job_, job_grace, [](const Result<JobStatus>&) {});
  not_taken_up(Error(ErrorCode::unavailable, "it has ended"));
  const bool tidy = run_ && !run_->how.empty() && plan_.name.empty();  // it says so after it has removed it itself
  if (!staging_.empty() && !tidy) remove_staging(staging_);
  if (!run_) return become_over();
  if (run_->ended) parts_.jobs.end_is_told(job);
  end_calls();
  if (job.output && job.output->size() == job.row.output_bytes) {
    run_->end = job.row.output_bytes;
    return collected(source_of(*job.output));
  }
  collect(job.row.output_bytes);
}

// It was killed before it could do so itself. Nobody waits for this.
void Script::remove_staging(const std::string& directory) {
  Result<Permit> permit = parts_.gate.remove_staging(directory);
  if (!permit || !plan_.place.sandbox) return;
  Jobs::Errand errand;
  errand.timeout = removal_patience;
  errand.space = plan_.place.sandbox->request.space;
  errand.steps = plan_.place.sandbox->steps;
  parts_.jobs.run_errand(*std::move(permit), std::move(errand), [](const Result<Jobs::ErrandEnd>&) {});
}

void Script::collect(uint64_t end) {
  run_->end = end;
  reading_ = parts_.outputs.open(job_, [this](const Result<ByteSource>& output) { collected(output); });
}

void Script::collected(const Result<ByteSource>& output) {
  errors_->drain();
  ToolResult result = script_result(parts_, *this, *run_, output);
  if (output) printed_ = run_->end;
  finish(std::move(result), std::nullopt);
  if (!over_ && ended_row_) become_over();
}

void Script::finish(ToolResult result, std::optional<Error> start_error) {
  const std::unique_ptr<ScriptRun> run = std::move(run_);
  deadline_ = {};
  if (run->went_from) parts_.shells.leave(plan_.session.id, *run->went_from);
  idle_since_ = Clock::now();
  // Whoever called has it, or nobody does: then it waits with the job.
  if (!start_error && (!run->ended || run->stop == RunStop::interrupted)) keep_result(result);
  const std::weak_ptr<bool> alive = alive_;
  if (run->ended) run->ended({std::move(result), std::move(start_error), run->end});
  if (alive.expired() || over_ || ended_row_) return;
  if (!plan_.name.empty() && events_.on_idle) events_.on_idle(*this);
}

void Script::keep_result(const ToolResult& result) {
  if (LiveJob* job = parts_.jobs.live(job_)) {
    job->details.result = result.details;
    return parts_.jobs.save(*job);
  }
  Result<std::optional<JobRow>> row = parts_.store.jobs().find(job_);
  if (!row || !*row) return;
  JobDetails details = details_of(**row);
  details.result = result.details;
  (*row)->details_json = write_json(to_json(details));
  PendingWrite change;
  change.key = "result:" + job_;
  change.write = [&store = parts_.store, row = **row] { return store.jobs().save(row); };
  (void)parts_.store.write_now(std::move(change));
}

void Script::become_over() {
  if (std::exchange(over_, true)) return;
  watch_.reset();
  if (events_.on_over) events_.on_over(*this);
}

}  // namespace talaria
