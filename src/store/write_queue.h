#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/database.h"

namespace talaria {

// A change that can be made later: whoever asks for it has it in memory until it is stored.
struct PendingWrite {
  std::string key;                    // what it changes: a later one for the same replaces it, in its place
  std::function<Result<>()> write;    // inside a transaction; again when that one fails
  std::function<void()> stored = {};  // once, after it was committed
  Clock::duration delay = {};         // it may become needless by then
  std::string after = {};             // the key of a change that it builds on: while that one fails, it waits
};

// Changes that wait, and are written together, in the order they came. A lock that someone else holds or a full disk
// leaves all of them waiting; a change that the tables refuse is dropped and its reason given. One that fails for a
// reason of its own (somebody's trigger) is from then on tried alone, for a minute, and then dropped likewise: the
// others do not wait for it.
class WriteQueue {
 public:
  explicit WriteQueue(Database& database) : database_(database) {}

  void add(PendingWrite change, Clock::time_point now);
  bool contains(const std::string& key) const { return by_key_.contains(key); }
  // It is not wanted any more.
  void drop(const std::string& key);
  size_t size() const { return waiting_.size(); }

  struct Refusal {
    std::string key;
    Error error;
  };
  // Writes the oldest that are due, a bounded number of them in one transaction. Those that were refused.
  Result<std::vector<Refusal>> write_due(Clock::time_point now);
  // All of them are due.
  void hurry(Clock::time_point now);
  // Whether some are due.
  bool due(Clock::time_point now) const;

  // Those that alone cannot be written, and why the last of them could not.
  struct Failing {
    size_t count = 0;
    Error error{ErrorCode::system, ""};
  };
  std::optional<Failing> failing() const;

 private:
  // What a change that fails alone has behind it.
  struct Trial {
    Error error;
    Clock::time_point begun;
  };
  struct Entry {
    PendingWrite change;
    Clock::time_point due;
    std::optional<Trial> trial = {};
  };
  using Place = std::list<Entry>::iterator;
  using Places = std::vector<Place>;
  // How a transaction went.
  struct Outcome {
    std::vector<Refusal> refused;
    std::optional<Place> culprit;  // for whose own reason nothing was written
    std::optional<Error> error;    // why nothing was, for a reason of all
  };
  enum class OnTrial { no, yes };
  Places ready(Clock::time_point now, OnTrial on_trial, size_t most);
  bool builds_on_failing(const Entry& entry) const;
  Outcome write_together(const Places& places);
  std::optional<Error> write_ready(Clock::time_point now, std::vector<Refusal>& refused);
  void try_alone(Clock::time_point now, std::vector<Refusal>& refused);
  void note_failure(Entry& entry, Error error, Clock::time_point now);
  void take_out(const Places& places, const std::vector<Refusal>& refused);

  Database& database_;
  std::list<Entry> waiting_;
  std::map<std::string, Place, std::less<>> by_key_;
};

}  // namespace talaria
