#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/database.h"

namespace talaria {

// Something that happened to a job and that someone is to be told once.
struct EventRow {
  int64_t id = 0;  // given by add
  std::string session{};
  std::string job{};
  std::string kind{};  // "exit", "pattern", "lost" …
  std::string key{};   // tells apart the events of one kind of one job
  std::string text{};
  std::string details_json = "{}";
  EpochMs created_ms = 0;
  std::optional<EpochMs> delivered_ms{};

  bool operator==(const EventRow&) const = default;
};

class EventTable {
 public:
  explicit EventTable(Database& database) : database_(&database) {}

  // The new event's id; nothing when the job already has one of that kind and key, delivered or not.
  Result<std::optional<int64_t>> add(const EventRow& row);
  // Oldest first, of one session or of all.
  Result<std::vector<EventRow>> undelivered(const std::optional<std::string>& session = {});
  // True for the one call that marked it. Ask before telling: who gets false must not tell.
  Result<bool> mark_delivered(int64_t id, EpochMs now);
  // Nobody is told what of this job is still undelivered; the same event cannot come back either.
  Result<> withdraw(const std::string& job, EpochMs now);
  // Forgets events of jobs that are gone: those delivered before the first time, and all from before the second.
  // A job that is still there keeps its events, for they are what makes a repeated one known. The number removed.
  Result<int64_t> prune(EpochMs delivered_before, EpochMs created_before);

 private:
  Database* database_;
};

}  // namespace talaria
