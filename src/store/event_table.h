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
  EpochMs created_ms = 0;  // of the store's Timeline, as delivered_ms
  std::optional<EpochMs> delivered_ms{};
  int64_t created_skew_ms = 0;  // how far the wall clock was ahead then

  bool operator==(const EventRow&) const = default;
};

class EventTable {
 public:
  explicit EventTable(Database& database) : database_(&database) {}

  // The new event's id; nothing when the job already has one of that kind and key, delivered or not.
  Result<std::optional<int64_t>> add(const EventRow& row);
  // With the id it has; one that is there already stays.
  Result<> put(const EventRow& row);
  // The highest id that was ever given.
  Result<int64_t> last_id();
  // Whether the job has one of that kind and key, delivered or not.
  Result<bool> known(const std::string& job, const std::string& kind, const std::string& key);
  // Whether it is there and nobody was told.
  Result<bool> is_undelivered(int64_t id);
  // Those after the event `after`, oldest first and `most` of them, of one session or of all.
  Result<std::vector<EventRow>> undelivered(const std::optional<std::string>& session = {}, int64_t after = 0,
                                            int most = 100);
  // True for the one call that marked it. Ask before telling: who gets false must not tell.
  Result<bool> mark_delivered(int64_t id, EpochMs now);
  // Nobody is told what of this job is still undelivered; the same event cannot come back either.
  Result<> withdraw(const std::string& job, EpochMs now);
  // Those that say how this job ended and that nobody was told: not a pattern that was seen.
  Result<std::vector<int64_t>> untold_ends(const std::string& session, const std::string& job);
  // The job is gone, and with it what makes a repeated event known. What nobody was told yet stays.
  Result<> forget_job(const std::string& job);

  // Nobody came for them: counts as delivered what is older than `created_before` or not among the `keep` newest of
  // those undelivered; oldest first, at most `most`. The number of them.
  Result<int64_t> give_up(EpochMs created_before, int keep, EpochMs now, int most = 100);

  // How far a pass over the delivered events has come.
  struct PrunePlace {
    EpochMs delivered_ms = 0;
    int64_t id = 0;
    bool operator==(const PrunePlace&) const = default;
  };
  // Looks at the next `most` that were delivered before then, and forgets those whose job is gone: the others go with
  // their job. Returns the new place; the same one when there are no more.
  Result<PrunePlace> prune(EpochMs delivered_before, PrunePlace place, int most = 100);

 private:
  Database* database_;
};

}  // namespace talaria
