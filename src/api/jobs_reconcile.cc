// How Jobs finds its way back after this process, the keeper or the machine went down.
#include <algorithm>
#include <set>

#include "api/jobs.h"
#include "keeper/greeting.h"
#include "os/file.h"
#include "os/lock_holder.h"
#include "process/output_log.h"

namespace talaria {
namespace {

constexpr Clock::duration first_look = 100ms, longest_look = 5s;
constexpr Clock::duration quick_hello = 300ms;   // everybody waits for it
constexpr Clock::duration start_patience = 10s;  // a silent keeper may have got the start, or not

// The secrets in the environment a running process was started with; none when it cannot be read.
SharedEnvironment secrets_of(pid_t pid) {
  Result<std::string> bytes = read_file("/proc/" + std::to_string(pid) + "/environ");
  Result<Environment> environment = bytes ? parse_env0(*bytes) : Result<Environment>(Environment());
  return std::make_shared<const Environment>(environment ? secrets_in(*environment) : Environment());
}

// How a job ended that ended while no gateway was there: the keeper left it in the job's folder.
std::optional<JobStatus> left_status(const std::string& folder) {
  Result<std::string> text = read_file(folder + "/meta.json");
  if (!text) return std::nullopt;
  Result<JsonObject> object = parse_json_object(*text);
  if (!object) return std::nullopt;
  JobStatus status = job_status_from(*object);
  if (status.running) return std::nullopt;
  status.gone = true;
  return status;
}

// What a gateway that was killed had not stored of it, and that says whether its end is news.
void take_what_is_known(const JobStatus& status, JobDetails& details) {
  if (status.told) details.exit_seen = true;
  if (status.reason == EndReason::killed) details.stop_requested = true;
}

void become_lost(JobRow& row, const std::string& folder, const Timeline& timeline) {
  row.state = JobState::lost;
  row.reason = "lost";
  row.ended_ms = timeline.now();
  row.ended_skew_ms = timeline.skew_ms();
  // Noted in an earlier boot, by a clock that was ahead.
  const int64_t ahead = std::max<int64_t>(row.started_ms - *row.ended_ms, 0);
  row.started_ms -= ahead;
  row.started_skew_ms += ahead;
  row.leftovers = 0;
  row.stdin_open = false;
  const Result<LogFiles> files = LogFiles::find(folder);
  if (!files) return;
  row.output_bytes = files->end();
  row.lost_bytes = files->lost_end() - files->lost_begin();
}

}  // namespace

Result<> Jobs::connect() { return join(TRY(greet_keeper(home_))); }

Result<> Jobs::join(Greeting greeting) {
  KeeperClient::Events events;
  events.on_ended = [this](const JobStatus& status, std::optional<std::string> output) {
    ended(status, std::move(output));
  };
  events.on_gone = [this](const JobStatus& status) { gone(status); };
  events.on_lost = [this](const Error& why) { lost(why); };
  events.on_space_gone = events_.on_space_gone;
  keeper_ = TRY(KeeperClient::open(loop_, std::move(greeting), std::move(events)));
  look_again_ = {};
  silent_since_.reset();
  events_.on_connected(*keeper_);
  std::set<std::string> there;
  for (const JobStatus& status : keeper_->jobs_at_connect()) {
    there.insert(status.job);
    if (live(status.job)) rejoin(status);
    else take_up(status);
  }
  lose_all_but(there, Error(ErrorCode::unavailable, "another one has taken its place"));
  for (JobRow& row : TRY(store_.jobs().unfinished())) {
    const bool known = there.contains(row.id) || live(row.id) || is_removed(row.id);
    if (known) continue;
    // What has not begun yet is not in the keeper's list.
    const bool may_begin = row.state == JobState::starting && row.keeper == keeper_->instance();
    if (may_begin) take_up_starting(std::move(row));
    else take_up_without_keeper(std::move(row));
  }
  return ok;
}

void Jobs::take_up(const JobStatus& status) {
  if (is_errand(status)) return errand_ended(status, std::nullopt);
  if (is_removed(status.job)) return keeper_->forget(status.job);
  Result<std::optional<JobRow>> found = store_.jobs().find(status.job);
  // Without its row, what the keeper was told at the start has to do; else nobody could follow it or end it.
  if (!found) events_.on_trouble(found.error().message());
  const bool readable = found && found->has_value();
  const bool known = !found || readable;
  const bool was_finished = readable && (*found)->state == JobState::ended;
  auto job = std::make_unique<LiveJob>();
  job->row = readable ? **std::move(found) : row_from_meta(status, store_.timeline());
  job->details = details_of(job->row);
  job->row.keeper = keeper_->instance();
  job->stored = known;
  job->stored_end = was_finished;
  take_status(job->row, job->details, status, store_.timeline());
  job->lost_begin = status.lost_begin;
  job->lost_end = status.lost_end;
  job->gone = status.gone;
  // Whoever waited for it in the foreground is gone with the last gateway.
  if (!was_finished) job->details.handed_back = true;
  take_what_is_known(status, job->details);
  if (!status.gone) job->secrets = secrets_of(status.pid);
  LiveJob& live = *(live_[status.job] = std::move(job));
  store_.write_soon(row_write(status.job));
  events_.on_taken_up(live);
  if (!status.running && !was_finished) events_.on_finished(live);
  if (status.gone) settle(live);
}

void Jobs::take_up_without_keeper(JobRow row) {
  const std::string folder = home_.job(row.id);
  const std::optional<JobStatus> status = left_status(folder);
  auto job = std::make_unique<LiveJob>();
  job->row = std::move(row);
  job->details = details_of(job->row);
  if (status) take_status(job->row, job->details, *status, store_.timeline());
  else become_lost(job->row, folder, store_.timeline());
  if (status) take_what_is_known(*status, job->details);
  job->details.handed_back = true;
  job->gone = job->stored = true;
  LiveJob& live = *(live_[job->row.id] = std::move(job));
  events_.on_finished(live);
  store_settled(live);
}

void Jobs::take_up_starting(JobRow row) {
  auto job = std::make_unique<LiveJob>();
  job->row = std::move(row);
  job->details = details_of(job->row);
  job->details.handed_back = job->stored = true;
  LiveJob& live = *(live_[job->row.id] = std::move(job));
  ask_for_start(live, [this](LiveJob& begun) {
    begun.secrets = secrets_of(begun.row.pid);
    events_.on_taken_up(begun);
  });
}

// `begun` is called before all who watch the job.
void Jobs::ask_for_start(LiveJob& job, std::function<void(LiveJob&)> begun) {
  const auto take = [this, id = job.row.id, begun = std::move(begun)](Result<JobStatus> status) {
    LiveJob* waiting = live(id);
    if (!waiting || waiting->row.state != JobState::starting || !keeper_ || keeper_->lost()) return;
    // A keeper of before does not know the question: the job may run or not.
    const bool unknown = !status && status.error().code() == ErrorCode::invalid_argument;
    if (unknown) {
      waiting->row.state = JobState::running;
      return lose(id, status.error());
    }
    if (!status) return started(id, std::move(status));
    take_status(waiting->row, waiting->details, *status, store_.timeline());
    waiting->row.state = JobState::running;
    begun(*waiting);
    rejoin(*status);
    if (LiveJob* still = live(id)) tell_watchers(*still);
  };
  job.starting = keeper_->started(job.row.id, take);
}

// The connection was lost and the keeper was not: what we missed meanwhile.
void Jobs::rejoin(const JobStatus& status) {
  LiveJob& job = *live(status.job);
  if (job.settled) return;
  if (job.row.state == JobState::starting) {
    JobStatus begun = status;  // its end comes next, if it is over
    begun.running = true;
    started(status.job, std::move(begun));
  }
  if (status.gone) gone(status);
  else if (!status.running) ended(status, std::nullopt);
}

std::string Jobs::keeper_notice() const { return !keeper_ && silent_since_ ? silence_.message() : ""; }

bool Jobs::keeper_is_silent() const {
  if (keeper_ || !silent_since_) return false;
  const Result<LockHolder> holder = holder_of(home_.keeper_lock());
  return !holder || holder->held;
}

void Jobs::lost(const Error& why) {
  if (!leaving_) events_.on_trouble(why.message());
  lost_keepers_.push_back(std::move(keeper_));
  // Later: this is a call from the one that is to go.
  loop_.post([this, alive = alive_] {
    if (*alive) lost_keepers_.clear();
  });
  lose_errands(why);
  silent_since_ = Clock::now();
  silence_ = why;
  look_for_keeper(why, first_look);
}

// A connection may end while the keeper lives on (it had no memory for a message, or was suspended): then it still has
// every job. They are lost when nobody holds its lock, or when another keeper answers.
void Jobs::look_for_keeper(const Error& why, Clock::duration pause) {
  if (keeper_) return;  // somebody who needed it has found it
  const Result<LockHolder> holder = holder_of(home_.keeper_lock());
  if (leaving_ || (holder && !holder->held)) {
    silent_since_.reset();
    return lose_all_but({}, why);
  }
  if (pause == first_look) return found_keeper(greet_keeper(home_, quick_hello), why, pause);
  // One that is silent would keep everybody waiting.
  auto greeting = std::make_shared<Result<Greeting>>(why);
  workers_.run([greeting, home = home_] { *greeting = greet_keeper(home); },
               [this, alive = alive_, greeting, why, pause] {
                 if (*alive && !keeper_) found_keeper(std::move(*greeting), why, pause);
               });
}

void Jobs::found_keeper(Result<Greeting> greeting, const Error& why, Clock::duration pause) {
  const Result<> joined = greeting ? join(*std::move(greeting)) : Result<>(greeting.error());
  if (!joined && joined.error().message() != silence_.message()) events_.on_trouble(joined.error().message());
  if (keeper_) return;
  silence_ = joined ? why : joined.error();
  if (Clock::now() - *silent_since_ > start_patience) give_up_starting();
  look_again_ = loop_.after(pause, [this, why, pause] { look_for_keeper(why, std::min(2 * pause, longest_look)); });
}

// Whoever waits for them is told; the keeper has them, or has not, when it is found again.
void Jobs::give_up_starting() {
  std::vector<std::string> ids;
  for (const auto& [id, job] : live_) {
    if (job->row.state == JobState::starting) ids.push_back(id);
  }
  for (const std::string& id : ids) {
    if (live(id)) lose(id, silence_);
  }
}

void Jobs::lose_all_but(const std::set<std::string>& there, const Error& why) {
  std::vector<std::string> ids;
  for (const auto& [id, job] : live_) ids.push_back(id);
  for (const std::string& id : ids) {
    LiveJob* job = live(id);  // who hears of another may end this one
    if (!job || job->settled || there.contains(id)) continue;
    const bool may_begin = keeper_ && job->row.state == JobState::starting && job->row.keeper == keeper_->instance();
    if (may_begin) ask_for_start(*job, [](LiveJob&) {});
    else lose(id, why);
  }
}

void Jobs::lose(const std::string& id, const Error& why) {
  LiveJob* job = live(id);
  job->gone = true;
  job->row.leftovers = 0;
  if (job->row.state == JobState::starting) {
    const std::unique_ptr<LiveJob> failed = std::move(live_[id]);
    live_.erase(id);
    failed->start_error = Error(
        ErrorCode::unavailable,
        "the keeper was lost while it started the command (process list shows whether it runs): " + why.message());
    if (failed->stored) remove_row(id);
    tell_watchers(*failed);
    return;
  }
  const bool was_running = job->running();
  if (was_running) become_lost(job->row, home_.job(id), store_.timeline());
  else if (job->output) job->row.output_inline = job->output;
  if (was_running) finish(*job);
  else tell_watchers(*job);
  if (LiveJob* still = live(id)) store_settled(*still);
}

}  // namespace talaria
