#include "api/sweeper.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "api/scripts.h"
#include "base/id.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr auto sweep_every = 60s;
constexpr auto checkpoint_every = 1s;
constexpr EpochMs orphan_age_ms = 3600'000;
constexpr EpochMs session_memory_ms = 7 * 24 * 3600'000LL;
constexpr EpochMs event_memory_ms = 30 * 24 * 3600'000LL;
constexpr EpochMs told_memory_ms = 3600'000;
constexpr int most_events = 10'000;  // that nobody came for
constexpr int keep_newest = 50;
// A step of a pass takes about this long on the loop. A job may have 64 KB of output in its row, so few go at once.
constexpr auto step_time = 2ms;
constexpr int jobs_at_once = 16;
constexpr int rows_at_once = 50;
constexpr Clock::duration pass_again_after = 1s;
constexpr Clock::duration locked_again_after = 100ms;
constexpr Clock::duration checkpoint_pause = 5ms;

JobFolder measure(const std::string& jobs, const std::string& id) {
  JobFolder folder{id};
  const std::string path = jobs + "/" + id;
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) folder.modified_ms = info.st_mtim.tv_sec * 1000;
  const Result<std::vector<std::string>> names = list_directory(path);
  if (!names) return folder;
  for (const std::string& name : *names) {
    if (::stat((path + "/" + name).c_str(), &info) != 0) continue;
    folder.bytes += static_cast<uint64_t>(info.st_blocks) * 512;
    folder.modified_ms = std::max<EpochMs>(folder.modified_ms, info.st_mtim.tv_sec * 1000);
  }
  return folder;
}

// Which folders may go, as far as the store knows; `live` ones stay.
Result<std::vector<std::string>> folders_that_may_go(const std::string& jobs, const std::string& database_path,
                                                     const std::set<std::string>& live, uint64_t limit) {
  std::vector<JobFolder> folders;
  const std::vector<std::string> names = TRY(list_directory(jobs));
  for (const std::string& name : names) {
    if (name.size() == id_length && looks_like_id(name)) folders.push_back(measure(jobs, name));
  }
  if (folders.empty()) return std::vector<std::string>();
  Database database = TRY(Database::open_existing(database_path));
  JobTable rows(database);
  for (JobFolder& folder : folders) {
    const std::optional<bool> over = TRY(rows.is_over(folder.id));
    folder.known = over || live.contains(folder.id);
    folder.finished = over && *over && !live.contains(folder.id);
  }
  return folders_to_remove(std::move(folders), limit, epoch_ms());
}

}  // namespace

std::vector<std::string> folders_to_remove(std::vector<JobFolder> folders, uint64_t max_total_bytes, EpochMs now) {
  std::vector<std::string> gone;
  uint64_t total = 0;
  std::erase_if(folders, [&](const JobFolder& folder) {
    const bool orphan = !folder.known && now - folder.modified_ms > orphan_age_ms;
    if (orphan) gone.push_back(folder.id);
    else total += folder.bytes;
    return orphan;
  });
  std::stable_sort(folders.begin(), folders.end(),
                   [](const JobFolder& a, const JobFolder& b) { return a.modified_ms < b.modified_ms; });
  for (const JobFolder& folder : folders) {
    if (total <= max_total_bytes) break;
    if (!folder.known || !folder.finished) continue;
    gone.push_back(folder.id);
    total -= folder.bytes;
  }
  return gone;
}

Sweeper::Sweeper(Parts& parts, std::function<void(const std::string&)> on_trouble)
    : parts_(parts), on_trouble_(std::move(on_trouble)) {
  schedule();
  checkpoint_soon();
  // Much may have grown old while no gateway was there.
  next_pass_ = parts_.loop.after(pass_again_after, [this] { begin_pass(); });
}

Sweeper::~Sweeper() { *alive_ = false; }

void Sweeper::schedule() {
  next_sweep_ = parts_.loop.after(sweep_every, [this] {
    sweep_now();
    schedule();
  });
}

void Sweeper::sweep_now() {
  const EpochMs now = parts_.store.timeline().now();
  parts_.jobs.settle_all();
  end_idle_sessions(now);
  begin_pass();
  measure_folders();
}

void Sweeper::checkpoint_soon() {
  next_checkpoint_ = parts_.loop.after(checkpoint_every, [this] {
    checkpoint();
    checkpoint_soon();
  });
}

void Sweeper::checkpoint() {
  if (checkpointing_ || !parts_.store.dirty()) return;
  // By its path another file would be found, or none.
  if (parts_.store.place() != DatabasePlace::State::in_place) return;
  checkpointing_ = true;
  parts_.store.note_checkpoint();
  auto outcome = std::make_shared<Result<>>(ok);
  parts_.workers.run([outcome, path = parts_.store.path()] { *outcome = Store::checkpoint(path); },
                     [this, outcome, alive = alive_] {
                       if (!*alive) return;
                       checkpointing_ = false;
                       report(*outcome);
                     });
}

void Sweeper::end_idle_sessions(EpochMs now) {
  const EpochMs idle_ms = parts_.settings.last_good().session.idle_minutes * 60'000;
  const std::set<std::string> waiting = parts_.scripts.waiting();
  const auto busy = [&](const std::string& session) { return parts_.jobs.session_has_running(session, waiting); };
  Result<std::vector<std::string>> ended = parts_.sessions.end_idle(now - idle_ms, now, busy);
  if (!ended) return tell(ended.error());
  // Nobody is left who could look after what its jobs left behind.
  for (const std::string& session : *ended) {
    for (const std::string& job : parts_.jobs.leftovers_of(session)) parts_.jobs.end(job);
    parts_.scripts.end_session(session);
    parts_.sandboxes.close_session(session);
    parts_.shells.forget(session);
    parts_.files.forget(session);
  }
}

void Sweeper::begin_pass() {
  if (pass_) return;
  pass_.emplace().now = parts_.store.timeline().now();
  continue_pass();
}

void Sweeper::continue_pass() {
  // While a checkpoint brings the log to the disk, a write to the log may wait for that, and everybody with us.
  if (checkpointing_) {
    next_pass_ = parts_.loop.after(checkpoint_pause, [this] { continue_pass(); });
    return;
  }
  const auto until = Clock::now() + step_time;
  std::vector<std::string> gone;
  bool more = true;
  while (more && Clock::now() < until) {
    const Result<bool> went_on = step(gone);
    // A locked database or a full disk: the next pass tries again. A lock passes soon, for our own checkpoints take it.
    if (!went_on) tell(went_on.error());
    if (!went_on && means_locked(went_on.error())) pass_->locked = true;
    more = went_on && *went_on;
  }
  if (!more && gone.empty()) return end_pass();
  parts_.workers.run(
      [gone = std::move(gone), home = parts_.jobs.home()] {
        for (const std::string& id : gone) (void)remove_tree(home.job(id));
      },
      [this, more, alive = alive_] {
        if (!*alive) return;
        if (more) continue_pass();
        else end_pass();
      });
}

void Sweeper::end_pass() {
  const bool locked = pass_ && pass_->locked, soon = pass_ && pass_->removed_jobs;
  pass_.reset();
  if (!locked && !soon) return;
  next_pass_ = parts_.loop.after(locked ? locked_again_after : pass_again_after, [this] { begin_pass(); });
}

Result<bool> Sweeper::step(std::vector<std::string>& gone) {
  using Stage = Pass::Stage;
  switch (pass_->stage) {
    case Stage::jobs:
      if (!TRY(forget_jobs(gone))) pass_->stage = Stage::sessions;
      return true;
    case Stage::sessions:
      if (!TRY(forget_sessions())) pass_->stage = Stage::events;
      return true;
    case Stage::events:
      if (!TRY(forget_events())) pass_->stage = Stage::over;
      return true;
    case Stage::over: break;
  }
  return false;
}

Result<bool> Sweeper::forget_jobs(std::vector<std::string>& gone) {
  const int64_t ttl_ms = parts_.settings.last_good().exec.job_ttl * 1000;
  std::vector<std::string> old = TRY(parts_.store.jobs().old_ones(pass_->now, ttl_ms, keep_newest,
                                                                  {.limit = jobs_at_once, .offset = pass_->jobs_left}));
  if (old.empty()) return false;
  // What one left running must stay visible, however long it runs.
  const auto alive = std::erase_if(old, [this](const std::string& id) { return parts_.jobs.live(id) != nullptr; });
  pass_->jobs_left += static_cast<int64_t>(alive);
  const Result<> removed = parts_.store.batch([&]() -> Result<> {
    for (const std::string& id : old) {
      TRY(parts_.store.jobs().remove(id));
      TRY(parts_.store.events().forget_job(id));
    }
    return ok;
  });
  const bool full = !removed && means_full_disk(removed.error());
  if (!removed && !full) return removed.error();
  // On a full disk their files are the room that the rest needs; their rows go with a later pass.
  gone.insert(gone.end(), old.begin(), old.end());
  pass_->removed_jobs = pass_->removed_jobs || (removed && !old.empty());
  return !full;
}

Result<bool> Sweeper::forget_sessions() {
  SessionTable::Swept swept;
  TRY(parts_.store.batch([&]() -> Result<> {
    swept = TRY(parts_.store.sessions().sweep(pass_->now - session_memory_ms, rows_at_once, pass_->sessions_left));
    return ok;
  }));
  pass_->sessions_left += swept.left;
  return swept.seen == rows_at_once;
}

Result<bool> Sweeper::forget_events() {
  int64_t given_up = 0;
  EventTable::PrunePlace place;
  TRY(parts_.store.batch([&]() -> Result<> {
    EventTable& events = parts_.store.events();
    given_up = TRY(events.give_up(pass_->now - event_memory_ms, most_events, pass_->now, rows_at_once));
    place = TRY(events.prune(pass_->now - told_memory_ms, events_place_, rows_at_once));
    return ok;
  }));
  return given_up > 0 || std::exchange(events_place_, place) != place;
}

void Sweeper::measure_folders() {
  if (measuring_) return;
  measuring_ = true;
  using Ids = Result<std::vector<std::string>>;
  auto ids = std::make_shared<Ids>(std::vector<std::string>());
  const auto limit = static_cast<uint64_t>(parts_.settings.last_good().jobs.max_total_bytes);
  parts_.workers.run([ids, limit, jobs = parts_.jobs.home().jobs(), path = parts_.store.path(),
                      live = parts_.jobs.live_ids()] { *ids = folders_that_may_go(jobs, path, live, limit); },
                     [this, ids, alive = alive_] {
                       if (!*alive) return;
                       measuring_ = false;
                       if (*ids) remove_folders(**std::move(ids));
                       else on_trouble_(ids->error().message());
                     });
}

void Sweeper::remove_folders(std::vector<std::string> ids) {
  std::erase_if(ids, [this](const std::string& id) { return parts_.jobs.live(id) != nullptr; });
  if (ids.empty()) return;
  parts_.workers.run([ids = std::move(ids), home = parts_.jobs.home()] {
    for (const std::string& id : ids) (void)remove_tree(home.job(id));
  });
}

void Sweeper::report(const Result<>& result) {
  if (!result) tell(result.error());
}

// That nothing can be written is said once, by who writes what waits.
void Sweeper::tell(const Error& error) {
  if (!means_locked(error) && !means_full_disk(error)) on_trouble_(error.message());
}

}  // namespace talaria
