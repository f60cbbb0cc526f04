#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/database.h"

namespace talaria {

enum class JobState {
  starting,
  running,
  ended,
  lost,  // its keeper is gone: how it ended is not known
};

// As stored and as programs meet it: "running".
std::string_view state_name(JobState state);
inline bool finished(JobState state) { return state == JobState::ended || state == JobState::lost; }

inline constexpr size_t inline_output_most = 64 << 10;

// One process tree, as stored.
struct JobRow {
  std::string id{};
  std::string session{};
  std::string command{};
  std::string cwd{};
  std::string host{};
  std::string label{};  // given by the caller
  std::string name{};   // derived from the command
  JobState state = JobState::starting;
  int64_t pid = 0;
  bool tty = false;
  bool background = false;
  bool persist = false;
  bool stdin_open = false;
  EpochMs started_ms = 0;  // of the store's Timeline, as ended_ms: for durations, ages and order
  std::optional<EpochMs> ended_ms{};
  std::optional<int> exit_code{};
  std::optional<int> exit_signal{};
  std::string reason{};  // "", "timeout", "killed", "lost", "spawn" …
  std::string note{};
  uint64_t output_bytes = 0;
  uint64_t lost_bytes = 0;  // of output_bytes, no longer kept
  int leftovers = 0;        // children that outlived the command
  std::string keeper{};     // instance id of the keeper that owns it
  std::string details_json = "{}";
  int64_t started_skew_ms = 0;  // how far the wall clock was ahead then
  int64_t ended_skew_ms = 0;
  std::optional<std::string> output_inline{};  // the whole output of a short job, raw, ≤ inline_output_most

  bool operator==(const JobRow&) const = default;
};

// What the wall clock showed, for people.
inline EpochMs started_at(const JobRow& row) { return row.started_ms + row.started_skew_ms; }
inline EpochMs ended_at(const JobRow& row) { return row.ended_ms.value_or(row.started_ms) + row.ended_skew_ms; }
// How long it ran, or has run until `now`.
inline int64_t runtime_ms(const JobRow& row, EpochMs now) {
  return std::max<int64_t>(row.ended_ms.value_or(now) - row.started_ms, 0);
}

// A piece of a list: `limit` rows after the first `offset`.
struct JobPage {
  int64_t limit = 20;
  int64_t offset = 0;
};

// The jobs, and how far each reader has read their output. What lists jobs leaves output_inline out; what finds one
// brings it.
class JobTable {
 public:
  explicit JobTable(Database& database) : database_(&database) {}

  // The row as stored: an id that is there already is left as it is and returned.
  Result<JobRow> insert(const JobRow& row);
  // Replaces all but id and session. An absent output_inline leaves the stored one, so a listed row may be saved.
  Result<> save(const JobRow& row);
  Result<std::optional<JobRow>> find(const std::string& id);
  // The one whose id is `prefix` or alone begins with it, of one session if given. The errors are for the person or
  // model that typed it: unknown (not_found), or several with the candidates named (conflict).
  Result<JobRow> find_by_prefix(const std::string& prefix, const std::optional<std::string>& session = {});
  // Starting and running ones, oldest first.
  Result<std::vector<JobRow>> unfinished();
  // Ended and lost ones, of one session or of all, the last ended first.
  Result<std::vector<JobRow>> finished_ones(const std::optional<std::string>& session, JobPage page);
  // All of them in the same order, one at a time, that ended at `ended_from` or later; stops when `visit` says false.
  // For a worker with a connection of its own: history may be long.
  Result<> visit_finished(const std::optional<std::string>& session, EpochMs ended_from,
                          const std::function<bool(JobRow&&)>& visit);
  // How many are ended or lost: kept, not counted.
  Result<int64_t> count_finished(const std::optional<std::string>& session = {});
  // Whether it is finished and left nothing running; nothing when there is no such job.
  Result<std::optional<bool>> is_over(const std::string& id);
  // True when it was there.
  Result<bool> remove(const std::string& id);
  // Those that ended `ttl_ms` or longer ago, but never one of the `keep_newest` that ended last: `page` of them,
  // longest ended first.
  Result<std::vector<std::string>> old_ones(EpochMs now, int64_t ttl_ms, int keep_newest, JobPage page);

  // Where this reader stopped; 0 when it has not read yet. Offsets go with their job.
  Result<uint64_t> reader_offset(const std::string& job, const std::string& reader);
  Result<> set_reader_offset(const std::string& job, const std::string& reader, uint64_t offset);

 private:
  Database* database_;
};

}  // namespace talaria
