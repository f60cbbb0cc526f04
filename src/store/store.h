#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/agent_place_table.h"
#include "store/database.h"
#include "store/event_table.h"
#include "store/job_table.h"
#include "store/meta_table.h"
#include "store/secret_fingerprint_table.h"
#include "store/session_table.h"

namespace talaria {

// What the gateway remembers across restarts, in one SQLite file: sessions, jobs, events, readers' offsets, where
// agents could write, and the fingerprints of secrets.
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
  // renamed, a fresh one is made, and notices() tells. Locked, unwritable or a full disk is an error.
  static Result<Store> open(const std::string& path);

  // What a person should know about the last open, in sentences.
  const std::vector<std::string>& notices() const { return notices_; }
  const std::string& path() const { return database_->path(); }

  SessionTable& sessions() { return sessions_; }
  JobTable& jobs() { return jobs_; }
  EventTable& events() { return events_; }
  AgentPlaceTable& agent_places() { return agent_places_; }
  SecretFingerprintTable& secret_fingerprints() { return secret_fingerprints_; }
  MetaTable& meta() { return meta_; }

  // All that `work` writes happens together or, when it returns an error, not at all. One inside another is part of it.
  Result<> batch(const std::function<Result<>()>& work);

  // Whether something was written since the last note_checkpoint, or since before this open.
  bool dirty() const { return database_->changes() != clean_at_; }
  // Call before the checkpoint starts: what is written while it runs is for the next one.
  void note_checkpoint() { clean_at_ = database_->changes(); }

  // Brings what is in the log to the disk, and moves it into the file when the log is long. Blocks on the disk, never
  // the Store: it uses a connection of its own. For a worker; not two at a time.
  static Result<> checkpoint(const std::string& path);

 private:
  Store(Database database, std::vector<std::string> notices);

  std::unique_ptr<Database> database_;  // at one address, for the tables point to it
  std::vector<std::string> notices_;
  SessionTable sessions_;
  JobTable jobs_;
  EventTable events_;
  AgentPlaceTable agent_places_;
  SecretFingerprintTable secret_fingerprints_;
  MetaTable meta_;
  int64_t clean_at_ = -1;
};

}  // namespace talaria
