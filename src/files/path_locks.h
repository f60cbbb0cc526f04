#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace talaria {

// Holds files, by real path, so that of two calls which read a file and write it anew none loses the other's change.
// One for the whole process.
class PathLocks {
 public:
  // Some files held; free again when it goes.
  class Hold {
   public:
    Hold(Hold&& other) noexcept : locks_(std::exchange(other.locks_, nullptr)), paths_(std::move(other.paths_)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold();

   private:
    friend class PathLocks;
    Hold(PathLocks& locks, std::vector<std::string> paths) : locks_(&locks), paths_(std::move(paths)) {}
    PathLocks* locks_;
    std::vector<std::string> paths_;
  };

  // All of them or, after `patience`, none.
  Result<Hold> hold(std::vector<std::string> paths, std::chrono::milliseconds patience = 30s);

 private:
  bool are_free(const std::vector<std::string>& paths) const;

  std::mutex mutex_;
  std::condition_variable freed_;
  std::set<std::string> held_;
};

}  // namespace talaria
