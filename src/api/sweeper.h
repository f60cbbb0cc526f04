#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/parts.h"

namespace talaria {

// What of jobs/ should go: pure, so that it can be tested without waiting an hour.
struct JobFolder {
  std::string id;
  uint64_t bytes = 0;
  EpochMs modified_ms = 0;
  bool known = false;     // the store or the keeper has the job
  bool finished = false;  // and it is over
  bool operator==(const JobFolder&) const = default;
};
// Orphans older than an hour, then the oldest finished ones until the rest fits.
std::vector<std::string> folders_to_remove(std::vector<JobFolder> folders, uint64_t max_total_bytes, EpochMs now);

// Housekeeping, on a timer: forgets old jobs and their files, ends idle sessions, brings the store to the disk.
//
// Old rows go in passes of small steps: a step works a few milliseconds on the loop, then a worker removes the files of
// the jobs that went, then comes the next step. While there is something to remove, a pass follows the last one soon.
class Sweeper {
 public:
  Sweeper(Parts& parts, std::function<void(const std::string&)> on_trouble);
  ~Sweeper();

  void sweep_now();

 private:
  void schedule();
  void checkpoint_soon();
  void checkpoint();
  void end_idle_sessions(EpochMs now);
  void begin_pass();
  void continue_pass();
  void end_pass();
  // One small piece of work of the pass; false when the pass is over.
  Result<bool> step(std::vector<std::string>& gone);
  Result<bool> forget_jobs(std::vector<std::string>& gone);
  Result<bool> forget_sessions();
  Result<bool> forget_events();
  void measure_folders();
  void remove_folders(std::vector<std::string> ids);
  void report(const Result<>& result);
  void tell(const Error& error);

  // Where a pass is.
  struct Pass {
    enum class Stage { jobs, sessions, events, over };
    Stage stage = Stage::jobs;
    EpochMs now = 0;
    int64_t jobs_left = 0;  // old, and still alive
    int64_t sessions_left = 0;
    bool removed_jobs = false;
    bool locked = false;  // by another, or by a checkpoint of ours
  };

  Parts& parts_;
  std::function<void(const std::string&)> on_trouble_;
  bool checkpointing_ = false;
  bool measuring_ = false;
  std::optional<Pass> pass_;
  EventTable::PrunePlace events_place_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Loop::Timer next_sweep_;
  Loop::Timer next_pass_;
  Loop::Timer next_checkpoint_;
};

}  // namespace talaria
