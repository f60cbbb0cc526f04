// How Jobs gets into the store: its memory is the truth, and rows follow (see store/write_queue.h).
#include <algorithm>
#include <utility>

#include "api/jobs.h"
#include "base/text.h"
#include "os/file.h"

namespace talaria {
namespace {

// What is over and cannot be stored waits in memory, up to here.
constexpr size_t most_waiting_jobs = 2000;
constexpr size_t most_waiting_bytes = 32 << 20;
constexpr size_t look_every = 64;

std::string row_key(const std::string& id) { return "job:" + id; }

}  // namespace

PendingWrite Jobs::row_write(const std::string& id, Clock::duration delay) {
  PendingWrite change;
  change.key = row_key(id);
  change.write = [this, id] { return write_row(id); };
  change.stored = [this, id] { row_stored(id); };
  change.delay = delay;
  return change;
}

Result<> Jobs::write_row(const std::string& id) {
  if (removed_.contains(id)) {
    TRY(store_.jobs().remove(id));
    return ok;
  }
  LiveJob* job = live(id);
  if (!job || job->removed) return ok;
  job->row.details_json = write_json(to_json(job->details));
  if (job->stored) {
    Result<> saved = store_.jobs().save(job->row);
    if (saved || saved.error().code() != ErrorCode::not_found) return saved;
  }
  TRY(store_.jobs().insert(job->row));
  return ok;
}

void Jobs::row_stored(const std::string& id) {
  if (removed_.erase(id) > 0 && removed_.empty() && std::exchange(removals_noted_, false)) {
    if (const Result<> cleared = store_.notebook().clear_removed(); !cleared) {
      events_.on_trouble(cleared.error().message());
    }
  }
  young_.erase(id);
  LiveJob* job = live(id);
  if (!job) return;
  job->stored = !job->removed;
  job->stored_end = job->stored && !job->running();
  if (!job->settled) return;
  // Later: whoever wrote may have this job in hand.
  loop_.post([this, alive = alive_, id] {
    if (*alive) drop_stored(id);
  });
}

void Jobs::drop_stored(const std::string& id) {
  const LiveJob* job = live(id);
  if (!job || !job->settled || store_.waits(row_key(id))) return;
  if (keeper_) keeper_->forget(id);
  live_.erase(id);
}

void Jobs::store_young() {
  if (young_.empty() || store_.trouble()) return;
  for (const std::string& id : std::exchange(young_, {})) store_.write_soon(row_write(id));
  (void)store_.write_waiting();  // what fails waits, and is told by who tries again
}

void Jobs::remove_row(const std::string& id) {
  removed_.insert(id);
  const Result<> removed = store_.write_now(row_write(id));
  if (!removed) events_.on_trouble(removed.error().message());
}

void Jobs::store_settled(LiveJob& job) {
  job.settled = true;
  store_.write_soon(row_write(job.row.id));
  drop_what_cannot_wait();
}

// What somebody's trigger refused for so long that it was given up: once a minute, for the trigger may have gone.
void Jobs::write_refused_again() {
  for (const auto& [id, job] : live_) {
    if (job->settled && !store_.waits(row_key(id))) store_.write_soon(row_write(id));
  }
  for (const std::string& id : removed_) {
    if (!store_.waits(row_key(id))) store_.write_soon(row_write(id));
  }
}

// Memory has an end, and a disk may be full for long: the oldest go, their output first.
void Jobs::drop_what_cannot_wait() {
  if ((!store_.trouble() && !store_.failing()) || ++settled_ % look_every != 0) return;
  std::vector<LiveJob*> waiting;
  size_t bytes = 0;
  for (const auto& [id, job] : live_) {
    if (!job->settled) continue;
    waiting.push_back(job.get());
    bytes += job->row.output_inline.value_or("").size();
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const LiveJob* a, const LiveJob* b) { return a->row.ended_ms < b->row.ended_ms; });
  for (LiveJob* job : waiting) {
    if (bytes <= most_waiting_bytes) break;
    const size_t size = job->row.output_inline.value_or("").size();
    if (size == 0) continue;
    bytes -= size;
    job->row.output_inline = "";
    job->output.reset();
    job->row.lost_bytes = job->row.output_bytes;
    job->row.note =
        "its output was dropped: it could not be stored on disk for too long, and the room in memory was used up";
  }
  size_t left = waiting.size();
  for (const LiveJob* job : waiting) {
    if (left <= most_waiting_jobs) break;
    if (job->stored) continue;  // its row would say for ever that it runs
    --left;
    const std::string id = job->row.id;
    tell_given_up();
    loop_.post([this, alive = alive_, id] {
      if (!*alive) return;
      if (keeper_) keeper_->forget(id);
      store_.drop_waiting(row_key(id));
      live_.erase(id);
    });
  }
}

// The first, and then now and then: there may be hundreds a second.
void Jobs::tell_given_up() {
  constexpr size_t say_every = 1000;
  if (given_up_++ % say_every != 0) return;
  events_.on_trouble(with_commas(given_up_) + (given_up_ == 1 ? " finished job was" : " finished jobs were") +
                     " given up: the database could not be written for too long, and of those that wait in memory "
                     "the newest " +
                     with_commas(most_waiting_jobs) + " are kept");
}

void Jobs::save(const LiveJob& job) {
  if (job.removed) return;
  const Result<> saved = store_.write_now(row_write(job.row.id));
  if (!saved) events_.on_trouble(saved.error().message());
}

Result<std::string> Jobs::forget(const std::string& id) {
  removed_.insert(id);
  if (LiveJob* job = live(id)) {
    job->removed = true;
    // Its keeper has said its last word on it, so nothing else will take it from here.
    if (job->gone) job->settled = true;
  }
  if (keeper_) keeper_->forget(id);  // before we answer: the next gateway must not find it there
  // The files first: on a full disk they are the room that the rest needs.
  remove_folder(id);
  TRY(store_.write_now(row_write(id)));
  if (!store_.waits(row_key(id))) return std::string();
  // Whoever comes after us must know it, too, also when we are killed before the database can be written.
  const Result<> noted = store_.notebook().note_removed(id);
  removals_noted_ = removals_noted_ || noted;
  if (noted) return std::string();
  return "the job is gone, but its removal could not be kept (" + noted.error().message() +
         "): it comes back if the gateway stops before the database can be written";
}

// Twice: the keeper may have been writing into it when it was told to forget the job.
void Jobs::remove_folder(const std::string& id) {
  constexpr auto again_after = 1s;
  const std::string folder = home_.job(id);
  workers_.run([folder] { (void)remove_tree(folder); });
  removed_folders_.push_back(folder);
  if (removed_folders_.size() > 1) return;
  remove_again_ = loop_.after(again_after, [this] {
    workers_.run([folders = std::exchange(removed_folders_, {})] {
      for (const std::string& left : folders) (void)remove_tree(left);
    });
  });
}

std::vector<std::string> Jobs::take_up_removed() {
  std::vector<std::string> ids = store_.notebook().removed();
  removals_noted_ = !ids.empty();
  for (const std::string& id : ids) {
    removed_.insert(id);
    remove_folder(id);
    store_.write_soon(row_write(id));
  }
  (void)store_.write_waiting();  // what fails waits, and is told by who tries again
  return ids;
}

Result<uint64_t> Jobs::reader_offset(const std::string& id, const std::string& reader) {
  const auto waiting = offsets_.find({id, reader});
  if (waiting != offsets_.end()) return waiting->second;
  return store_.jobs().reader_offset(id, reader);
}

Result<> Jobs::set_reader_offset(const std::string& id, const std::string& reader, uint64_t offset) {
  const std::pair<std::string, std::string> place{id, reader};
  offsets_[place] = offset;
  // An offset belongs to a row.
  if (const LiveJob* job = live(id); job && !job->stored) store_.write_soon(row_write(id));
  PendingWrite change;
  change.key = "offset:" + id + ":" + reader;
  change.after = row_key(id);
  change.write = [this, place]() -> Result<> {
    const auto waiting = offsets_.find(place);
    if (waiting == offsets_.end()) return ok;
    Result<> noted = store_.jobs().set_reader_offset(place.first, place.second, waiting->second);
    if (!noted && noted.error().code() == ErrorCode::not_found && !live(place.first)) offsets_.erase(place);
    return noted;
  };
  change.stored = [this, place] { offsets_.erase(place); };
  return store_.write_now(std::move(change));
}

}  // namespace talaria
