#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/process_arguments.h"
#include "store/job_table.h"

namespace talaria {

// So many rows at most in one answer.
inline constexpr int64_t most_listed = 500;

// Which jobs a list is to have, and which piece of it: running ones first, then finished ones, newest first.
struct JobQuery {
  std::optional<std::string> session{};  // of one, or of all
  std::string state{};                   // "running", "finished", or how it ended: "completed", "failed", "lost"
  std::string text{};                    // in its command, name or label, in any case of letters
  std::optional<EpochMs> started_from{};
  std::optional<EpochMs> started_until{};
  std::optional<int64_t> limit{};
  int64_t offset = 0;

  bool wants_running() const { return state.empty() || state == "running"; }
  bool wants_finished() const { return state != "running"; }
  // Finished ones must be looked at one by one: nobody has counted those that match.
  bool must_look() const;
  bool operator==(const JobQuery&) const = default;
};

Result<JobQuery> job_query(const ProcessArguments& arguments, std::optional<std::string> session, EpochMs now);
bool matches(const JobQuery& query, const JobRow& row);

// A piece of the finished jobs that match, and how many there are in all.
struct FoundJobs {
  std::vector<JobRow> rows{};
  int64_t total = 0;
};
// For a worker: history may be long. Opens a connection of its own.
Result<FoundJobs> find_finished(const std::string& database, const JobQuery& query, JobPage page,
                                const std::atomic<bool>& cancelled);

}  // namespace talaria
