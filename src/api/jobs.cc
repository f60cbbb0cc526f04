#include "api/jobs.h"

#include <algorithm>

#include "base/unseen.h"
#include "os/file.h"
#include "process/output_log.h"

namespace talaria {
namespace {
// Most jobs are over by then, and cost one write.
constexpr auto young_age = 100ms;

// The keeper answers a start of an id that it has with the job that is there.
bool is_start_of(const JobStatus& status, const JobRow& row) {
  if (is_errand(status)) return false;
  return text_or(status.meta, "session") == row.session && text_or(status.meta, "command") == row.command;
}

}  // namespace

Jobs::Jobs(Loop& loop, WorkerPool& workers, const Home& home, Store& store, Events events)
    : loop_(loop), workers_(workers), home_(home), store_(store), events_(std::move(events)) {}

Jobs::~Jobs() { *alive_ = false; }

Result<KeeperClient*> Jobs::keeper() {
  // It was looked for a moment ago, and is again in a moment: nobody else waits for it.
  if (keeper_is_silent()) return silence_;
  if (!keeper_) TRY(connect());
  return keeper_.get();
}

Result<LiveJob*> Jobs::start(Permit permit, Start start) {
  if (start.most_running > 0) TRY(check_room(start.most_running));
  if (is_removed(start.row.id)) return another_has_this_id(start.row.id);
  KeeperClient* keeper = TRY(this->keeper());
  auto job = std::make_unique<LiveJob>();
  job->row = std::move(start.row);
  job->details = std::move(start.details);
  job->secrets = std::move(start.secrets);
  job->row.state = JobState::starting;
  job->row.started_ms = store_.timeline().now();
  job->row.started_skew_ms = store_.timeline().skew_ms();
  job->row.keeper = keeper->instance();
  job->row.details_json = write_json(to_json(job->details));
  const std::string id = job->row.id;
  start.options.job = id;
  start.options.meta = job_meta(job->row, job->details);
  LiveJob* live = (live_[id] = std::move(job)).get();
  young_.insert(id);
  store_.write_soon(row_write(id, young_age));
  live->starting = keeper->start(std::move(permit), std::move(start.options),
                                 [this, id](Result<JobStatus> status) { started(id, std::move(status)); });
  return live;
}

Error another_has_this_id(const std::string& id) {
  return {ErrorCode::conflict, "the id " + id +
                                   " belongs to another job already, of another session or with another command; "
                                   "choose another id"};
}

Result<> Jobs::check_room(int64_t most) const {
  const auto count = std::ranges::count_if(live_, [](const auto& entry) { return entry.second->running(); });
  if (count < most) return ok;
  return Error(ErrorCode::conflict,
               std::to_string(count) + (count == 1 ? " job is" : " jobs are") + " running, and exec.max_jobs allows " +
                   std::to_string(most) +
                   ". End some (process kill; talaria kill ID), or let the owner raise it: talaria "
                   "config set exec.max_jobs NUMBER");
}

void Jobs::started(const std::string& id, Result<JobStatus> status) {
  LiveJob* job = live(id);
  if (!job) return;
  if (!status && keeper_ && keeper_->lost()) return;  // whether it went away, too, is about to be found out
  if (status && !is_start_of(*status, job->row)) status = another_has_this_id(id);
  if (status) {
    take_status(job->row, job->details, *status, store_.timeline());
    return tell_watchers(*job);
  }
  // Nothing ran, so there is nothing to remember.
  young_.erase(id);
  std::unique_ptr<LiveJob> failed = std::move(live_[id]);
  live_.erase(id);
  if (failed->stored) remove_row(id);
  failed->start_error = std::move(status).error();
  tell_watchers(*failed);
}

void Jobs::ended(const JobStatus& status, std::optional<std::string> output) {
  if (is_errand(status)) return errand_ended(status, std::move(output));
  LiveJob* job = live(status.job);
  // Started by a gateway that died before it heard so.
  if (!job) return take_up(status);
  if (!job->running()) return;
  take_status(job->row, job->details, status, store_.timeline());
  job->lost_begin = status.lost_begin;
  job->lost_end = status.lost_end;
  job->output = std::move(output);
  finish(*job);
  // With nothing left behind, `gone` follows at once and stores it; the keeper remembers it until then.
  LiveJob* still = live(status.job);
  if (still && still->row.leftovers > 0) save(*still);
}

void Jobs::gone(const JobStatus& status) {
  if (is_errand(status)) return;
  LiveJob* job = live(status.job);
  if (!job) return take_up(status);
  if (job->removed) {
    keeper_->forget(status.job);
    live_.erase(status.job);
    return;
  }
  if (job->running()) ended(status, std::nullopt);
  job = live(status.job);
  if (!job) return;
  take_status(job->row, job->details, status, store_.timeline());
  job->lost_begin = status.lost_begin;
  job->lost_end = status.lost_end;
  job->row.leftovers = 0;
  job->gone = true;
  settle(*job);
  tell_watchers(*job);
}

void Jobs::finish(LiveJob& job) {
  tell_watchers(job);
  events_.on_finished(job);
}

// Its output must be in our hands or on disk before the keeper may forget it.
void Jobs::settle(LiveJob& job) {
  const bool whole = job.output && job.output->size() == job.row.output_bytes;
  if (whole && job.output->size() <= inline_output_most) job.row.output_inline = job.output;
  else if (job.row.output_bytes == 0) job.row.output_inline = "";
  else if (!exists(home_.job(job.row.id) + "/output")) return collect(job);
  store_settled(job);
}

void Jobs::collect(LiveJob& job) {
  Result<KeeperClient*> keeper = this->keeper();
  if (!keeper) return events_.on_trouble(keeper.error().message());
  job.collecting = (*keeper)->read(job.row.id, 0, inline_output_most, {}, [this, id = job.row.id](Result<Chunk> chunk) {
    LiveJob* waiting = live(id);
    if (!waiting) return;
    if (chunk && chunk->offset == 0) waiting->row.output_inline = std::move(chunk->data);
    if (!chunk) events_.on_trouble("the output of job " + id + " is gone: " + chunk.error().message());
    store_settled(*waiting);
  });
}

void Jobs::settle_all() {
  std::vector<std::string> waiting;
  for (const auto& [id, job] : live_) {
    if (job->gone && !job->settled) waiting.push_back(id);
  }
  for (const std::string& id : waiting) {
    if (LiveJob* job = live(id)) settle(*job);
  }
  write_refused_again();
}

LiveJob* Jobs::live(const std::string& id) {
  const auto found = live_.find(id);
  return found == live_.end() ? nullptr : found->second.get();
}

// The live ones that are not stored yet: the store does not find them.
std::vector<const LiveJob*> Jobs::without_row(const std::string& prefix, const std::optional<std::string>& session) {
  store_young();
  std::vector<const LiveJob*> found;
  for (const auto& [id, job] : live_) {
    const bool visible = !job->removed && (!session || job->row.session == *session);
    if (!job->stored && visible && id.starts_with(prefix)) found.push_back(job.get());
  }
  return found;
}

Result<JobRow> Jobs::find(const std::string& prefix, const std::optional<std::string>& session) {
  LiveJob* exact = live(prefix);
  if (exact && !exact->removed && (!session || exact->row.session == *session)) return exact->row;
  const std::vector<const LiveJob*> rowless = without_row(prefix, session);
  Result<JobRow> stored = store_.jobs().find_by_prefix(prefix, session);
  if (stored && removed_.contains(stored->id)) stored = Error(ErrorCode::not_found, "");
  const bool known = stored || stored.error().code() == ErrorCode::conflict;
  if (rowless.size() == 1 && !known && !prefix.empty()) return rowless.front()->row;
  if (!rowless.empty() && !prefix.empty() && (!stored || stored->id != prefix)) {
    return Error(ErrorCode::conflict, "several jobs begin with '" + prefix + "', " + rowless.front()->row.id +
                                          " is one. Give more of the id");
  }
  if (!stored && stored.error().code() == ErrorCode::not_found) {
    return Error(ErrorCode::not_found,
                 "No job found for " + shown_line(prefix.substr(0, 64)) + "; process list shows the jobs there are");
  }
  if (!stored) return stored;
  LiveJob* job = live(stored->id);
  return job ? job->row : *std::move(stored);
}

JobWatch Jobs::watch(LiveJob& job, std::function<void(LiveJob&)> changed) {
  auto watch = std::make_shared<std::function<void(LiveJob&)>>(std::move(changed));
  std::erase_if(job.watchers, [](const auto& watcher) { return watcher.expired(); });
  job.watchers.push_back(watch);
  return watch;
}

void Jobs::tell_watchers(LiveJob& job) {
  const auto watchers = job.watchers;  // the list may change inside
  for (const auto& watcher : watchers) {
    if (const JobWatch watch = watcher.lock()) (*watch)(job);
  }
}

void Jobs::end_is_told(LiveJob& job) {
  if (std::exchange(job.details.exit_seen, true) || job.stored_end) return;
  // After the answer, which need not wait for it.
  loop_.post([this, alive = alive_, id = job.row.id] {
    if (*alive && keeper_) keeper_->end_is_told(id);
  });
}

void Jobs::end(const std::string& id) {
  LiveJob* job = live(id);
  if (!job || !keeper_ || leaving_) return;
  job->details.stop_requested = true;
  job->ending = keeper_->end(id, job_grace, [](const Result<JobStatus>&) {});
}

void Jobs::leave() {
  store_.write_everything();
  leaving_ = true;
}

bool Jobs::session_has_running(const std::string& session, const std::set<std::string>& others) const {
  for (const auto& [id, job] : live_) {
    if (job->row.session == session && job->running() && !others.contains(id)) return true;
  }
  return false;
}

std::vector<std::string> Jobs::leftovers_of(const std::string& session) const {
  std::vector<std::string> ids;
  for (const auto& [id, job] : live_) {
    if (job->row.session == session && !job->running() && !job->gone && !job->row.persist) ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> Jobs::running() const {
  std::vector<std::string> ids;
  for (const auto& [id, job] : live_) {
    if (job->running()) ids.push_back(id);
  }
  return ids;
}

}  // namespace talaria
