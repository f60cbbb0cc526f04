#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/exec_arguments.h"
#include "keeper/client.h"
#include "process/environment.h"
#include "store/job_table.h"
#include "store/timeline.h"

namespace talaria {

// What we remember of a job beside the columns of its row; kept as the row's details_json.
struct JobDetails {
  double timeout_seconds = 0;
  Notify notify{};
  bool handed_back = false;     // its caller was told that it runs on
  bool stop_requested = false;  // someone ended it on purpose, so it does not announce itself
  int sent_signal = 0;          // the last one a caller sent; ending by it is no news to them
  bool exit_seen = false;       // a caller was told how it ended
  bool elevated = false;
  std::string door{};
  JsonObject sandbox{};     // which sandbox held, as results say it; empty: the plain host
  JsonObject stopped_by{};  // the limit that ended it
  JsonArray violations{};   // what it, or others beside it, left in the workspace
  bool may_leave = false;   // the configuration lets a call run outside the sandbox
  NetworkTried network_tried = NetworkTried::no;
  JsonArray private_files{};  // that it left where they go with the sandbox
  JsonObject script{};        // of execute_code: {session?, mode, python}; empty: an ordinary command
  JsonObject result{};        // what execute_code came to, for those who look later
  bool operator==(const JobDetails&) const = default;
};

JsonObject to_json(const JobDetails& details);
JobDetails job_details_from(const JsonObject& object);
// Of a stored row. What cannot be read counts as absent: we wrote it ourselves.
JobDetails details_of(const JobRow& row);

// What the keeper keeps for us with a job, enough to make its row again.
JsonObject job_meta(const JobRow& row, const JobDetails& details);
JobRow row_from_meta(const JobStatus& status, const Timeline& timeline);
// A command of our own, no job: see Jobs::run_errand.
JsonObject errand_meta();
bool is_errand(const JobStatus& status);

// The keeper's word, written into the row and its details.
void take_status(JobRow& row, JobDetails& details, const JobStatus& status, const Timeline& timeline);

// The part of it that is news while the job runs: what was found in its workspace so far.
void take_violations(JobRow& row, JobDetails& details, const JobStatus& status);

// The variables whose values are probably secrets.
Environment secrets_in(const Environment& environment);

using SharedEnvironment = std::shared_ptr<const Environment>;

// A job that has a process left, or whose last news we have not stored yet.
struct LiveJob {
  JobRow row;
  JobDetails details;
  bool stored = false;      // it has a row
  bool stored_end = false;  // and the row says how it ended
  bool gone = false;        // nothing of it is left, its output is complete
  bool settled = false;     // and all that is to be stored of it is here: when it is stored, it is forgotten here
  std::optional<Error> start_error;
  uint64_t lost_begin = 0;
  uint64_t lost_end = 0;
  std::optional<std::string> output;       // all of it, for a short job that has ended
  SharedEnvironment secrets;               // masked in what a model reads
  int open_polls = 0;                      // calls that are about to tell how it ended
  std::map<std::string, int> empty_polls;  // by reader, in a row
  bool removed = false;                    // its owner does not want to hear of it again

  KeeperClient::Call starting;
  KeeperClient::Call ending;
  KeeperClient::Call collecting;
  std::vector<std::weak_ptr<std::function<void(LiveJob&)>>> watchers;

  bool running() const { return !finished(row.state); }
};

// A standing interest in one job, called when it starts, ends, goes or is lost. Drop it and it is never called again.
using JobWatch = std::shared_ptr<std::function<void(LiveJob&)>>;

}  // namespace talaria
