#pragma once
#include <cstdint>
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
  EpochMs started_ms = 0;
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
  std::optional<std::string> output_inline{};  // the whole output of a short job, raw, ≤ inline_output_most

  bool operator==(const JobRow&) const = default;
};

struct JobFilter {
  std::optional<std::string> session{};
  std::optional<JobState> state{};
  std::optional<int64_t> limit{};
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
  // Newest first, in the order they were inserted.
  Result<std::vector<JobRow>> list(const JobFilter& filter = {});
  // Starting and running ones, oldest first.
  Result<std::vector<JobRow>> unfinished();
  // True when it was there.
  Result<bool> remove(const std::string& id);
  // Removes those that ended `ttl_ms` or longer ago, but never one of the `keep_newest` that ended last; longest ended
  // first and `most` in one call, for the loop waits. Returns their ids, so that their files can follow.
  Result<std::vector<std::string>> sweep(EpochMs now, int64_t ttl_ms, int keep_newest = 50, int most = 200);

  // Where this reader stopped; 0 when it has not read yet. Offsets go with their job.
  Result<uint64_t> reader_offset(const std::string& job, const std::string& reader);
  Result<> set_reader_offset(const std::string& job, const std::string& reader, uint64_t offset);

 private:
  Database* database_;
};

}  // namespace talaria
