#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>

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
  void forget_old_jobs(EpochMs now);
  void measure_folders();
  void remove_folders(std::vector<JobFolder> folders);
  void report(const Result<>& result);

  Parts& parts_;
  std::function<void(const std::string&)> on_trouble_;
  bool checkpointing_ = false;
  bool measuring_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Loop::Timer next_sweep_;
  Loop::Timer next_checkpoint_;
};

}  // namespace talaria
