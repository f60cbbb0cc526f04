#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/agent_place_table.h"
#include "store/database.h"
#include "store/database_copy.h"
#include "store/database_place.h"
#include "store/event_table.h"
#include "store/job_table.h"
#include "store/meta_table.h"
#include "store/notebook.h"
#include "store/secret_fingerprint_table.h"
#include "store/session_table.h"
#include "store/timeline.h"
#include "store/write_queue.h"

namespace talaria {

// What the gateway remembers across restarts, in one SQLite file: sessions, jobs, events, readers' offsets, where
// agents could write, and the fingerprints of secrets.
//
// A call never waits for a lock that another process holds. What must not fail for that reason, or for a full disk,
// goes through write_soon and write_now: it waits in memory and is tried again (see api/write_behind.h).
//
// Every call is quick enough for the loop's thread: a change is appended to the log (talaria.db-wal) and survives a
// kill of the process at once, but it reaches the disk, and so survives a power cut, only at the next checkpoint.
// Whoever owns the Store asks about once a second, and hands the slow part to a worker:
//
//   if (store.dirty()) {
//     store.note_checkpoint();
//     workers.run([path = store.path()] { log_failure(Store::checkpoint(path)); });
//   }
class Store {
 public:
  // Makes the file (0600) when it is absent or empty. One that is damaged, or that a newer or another program wrote, is
  // renamed, a fresh one is made, and notices() tells. A file that cannot be read (locked, a full disk that has no room
  // for what SQLite makes beside it) is an error; one that can only not be written now is not.
  static Result<Store> open(const std::string& path, Clocks clocks = system_clocks());

  // What a person should know about the last open, in sentences.
  const std::vector<std::string>& notices() const { return notices_; }
  const std::string& path() const { return database_->path(); }

  // What "now" is for rows: ages, durations and expiry are differences of its times.
  const Timeline& timeline() const { return timeline_; }

  SessionTable& sessions() { return sessions_; }
  JobTable& jobs() { return jobs_; }
  EventTable& events() { return events_; }
  AgentPlaceTable& agent_places() { return agent_places_; }
  SecretFingerprintTable& secret_fingerprints() { return secret_fingerprints_; }
  MetaTable& meta() { return meta_; }
  // For what must be kept also while nothing can be written here.
  const Notebook& notebook() const { return notebook_; }

  // All that `work` writes happens together or, when it returns an error, not at all. One inside another is part of it.
  Result<> batch(const std::function<Result<>()>& work);

  // Makes the change soon, with others that wait. The memory of whoever asks is the truth until it is stored.
  void write_soon(PendingWrite change);
  // Makes it now, with others that wait. When that meets a lock or a full disk it waits too, and that is no error; an
  // error is a change that the tables refuse.
  Result<> write_now(PendingWrite change);
  // Makes what waits and is due, a bounded part of it. An error says why it has to wait on.
  Result<> write_waiting();
  // All that waits, due or not, as far as it is possible. Not inside a batch.
  void write_everything();
  bool waits(const std::string& key) const { return queue_->contains(key); }
  void drop_waiting(const std::string& key) { queue_->drop(key); }
  size_t waiting() const { return queue_->size(); }
  bool more_is_due() const { return queue_->due(Clock::now()); }
  // Why nothing can be written now, if that is so.
  const std::optional<Error>& trouble() const { return trouble_; }
  // Whether somebody else has the lock for writing just now. Asked of SQLite, which is quick, also when nothing waits.
  bool locked() const;
  // Changes that cannot be written while others can.
  std::optional<WriteQueue::Failing> failing() const { return queue_->failing(); }

  // Whether the file is still at its path: somebody may remove or replace it while it is open.
  DatabasePlace::State place() const { return place_.look(); }
  // Writes all of it again where it was removed, and uses that from then on; a small part at each call, true at the
  // end. Nothing that came before or meanwhile is lost. Between two calls to the tables, not inside a batch.
  Result<bool> write_again();
  // Another file is at its path, and may be used by somebody: what we have open must not become a part of it.
  void leave_place() const { place_.remove_companions(); }
  // For a person, beside those of the last open.
  void add_notice(const std::string& notice);
  // What is wrong with its place just now; empty while all is well.
  const std::string& place_notice() const { return place_notice_; }
  void set_place_notice(std::string notice) { place_notice_ = std::move(notice); }

  struct WriteEvents {
    std::function<void()> on_waiting;              // something waits
    std::function<void(const Error&)> on_refused;  // a change that nobody waited for was dropped
  };
  void set_write_events(WriteEvents events) { write_events_ = std::move(events); }

  // Whether something was written since the last note_checkpoint, or since before this open.
  bool dirty() const { return database_->changes() != clean_at_; }
  // Call before the checkpoint starts: what is written while it runs is for the next one.
  void note_checkpoint() { clean_at_ = database_->changes(); }

  // Brings what is in the log to the disk, and moves it into the file when the log is long, so that the log starts
  // over. Blocks on the disk, and uses a connection of its own, so the Store can be read; for its last step, which is
  // short, what is written has to wait. For a worker; not two at a time.
  static Result<> checkpoint(const std::string& path);

 private:
  Store(Database database, std::vector<std::string> notices, Clocks clocks);

  Result<std::vector<WriteQueue::Refusal>> write_due(Clock::time_point now);
  Result<bool> copy_and_use();
  Result<> use_again(const std::string& copy);

  std::unique_ptr<Database> database_;  // at one address, for the tables point to it
  std::unique_ptr<WriteQueue> queue_;
  WriteEvents write_events_;
  std::optional<Error> trouble_;
  std::vector<std::string> notices_;
  Timeline timeline_;
  SessionTable sessions_;
  JobTable jobs_;
  EventTable events_;
  AgentPlaceTable agent_places_;
  SecretFingerprintTable secret_fingerprints_;
  MetaTable meta_;
  Notebook notebook_;
  DatabasePlace place_;
  std::string place_notice_;
  int64_t clean_at_ = -1;
  std::unique_ptr<DatabaseCopy> copy_;  // last, so gone before what it copies
};

}  // namespace talaria
