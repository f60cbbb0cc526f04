#include "api/sweeper.h"

#include <sys/stat.h>

#include <algorithm>

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
constexpr int keep_newest = 50;

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

std::vector<JobFolder> measure_all(const std::string& jobs) {
  std::vector<JobFolder> folders;
  const Result<std::vector<std::string>> names = list_directory(jobs);
  if (!names) return folders;
  for (const std::string& name : *names) {
    if (name.size() == id_length && looks_like_id(name)) folders.push_back(measure(jobs, name));
  }
  return folders;
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
}

Sweeper::~Sweeper() { *alive_ = false; }

void Sweeper::schedule() {
  next_sweep_ = parts_.loop.after(sweep_every, [this] {
    sweep_now();
    schedule();
  });
}

void Sweeper::sweep_now() {
  const EpochMs now = epoch_ms();
  parts_.jobs.settle_all();
  end_idle_sessions(now);
  forget_old_jobs(now);
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
  if (!ended) return on_trouble_(ended.error().message());
  // Nobody is left who could look after what its jobs left behind.
  for (const std::string& session : *ended) {
    for (const std::string& job : parts_.jobs.leftovers_of(session)) parts_.jobs.end(job);
    parts_.scripts.end_session(session);
    parts_.sandboxes.close_session(session);
    parts_.shells.forget(session);
    parts_.files.forget(session);
  }
}

void Sweeper::forget_old_jobs(EpochMs now) {
  const int64_t ttl_ms = parts_.settings.last_good().exec.job_ttl * 1000;
  Result<std::vector<std::string>> old = parts_.store.jobs().sweep(now, ttl_ms, keep_newest);
  if (!old) return on_trouble_(old.error().message());
  for (const std::string& id : *old) {
    // What it left running must stay visible, however long it runs.
    if (LiveJob* job = parts_.jobs.live(id)) {
      job->stored = false;
      parts_.jobs.save(*job);
    } else {
      report(parts_.jobs.forget(id));
    }
  }
  Result<std::vector<std::string>> sessions = parts_.store.sessions().sweep(now - session_memory_ms);
  if (!sessions) on_trouble_(sessions.error().message());
  Result<int64_t> events = parts_.store.events().prune(now - session_memory_ms, now - event_memory_ms);
  if (!events) on_trouble_(events.error().message());
}

void Sweeper::measure_folders() {
  if (measuring_) return;
  measuring_ = true;
  auto folders = std::make_shared<std::vector<JobFolder>>();
  parts_.workers.run([folders, jobs = parts_.jobs.home().jobs()] { *folders = measure_all(jobs); },
                     [this, folders, alive = alive_] {
                       if (!*alive) return;
                       measuring_ = false;
                       remove_folders(std::move(*folders));
                     });
}

void Sweeper::remove_folders(std::vector<JobFolder> folders) {
  Result<std::vector<JobRow>> rows = parts_.jobs.list(std::nullopt);
  if (!rows) return on_trouble_(rows.error().message());
  std::map<std::string, bool> finished_jobs;
  for (const JobRow& row : *rows) finished_jobs[row.id] = finished(row.state) && row.leftovers == 0;
  for (JobFolder& folder : folders) {
    const auto found = finished_jobs.find(folder.id);
    folder.known = found != finished_jobs.end() || parts_.jobs.live(folder.id);
    folder.finished = found != finished_jobs.end() && found->second && !parts_.jobs.live(folder.id);
  }
  const auto limit = static_cast<uint64_t>(parts_.settings.last_good().jobs.max_total_bytes);
  for (const std::string& id : folders_to_remove(std::move(folders), limit, epoch_ms())) {
    parts_.workers.run([path = parts_.jobs.home().job(id)] { (void)remove_tree(path); });
  }
}

void Sweeper::report(const Result<>& result) {
  if (!result) on_trouble_(result.error().message());
}

}  // namespace talaria
