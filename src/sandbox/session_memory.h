#pragma once
#include <sys/types.h>

#include <cstdint>
#include <set>
#include <vector>

#include "os/fd.h"

namespace talaria {

// What a session holds in memory that belongs to no process, at one moment.
struct HeldMemory {
  uint64_t bytes = 0;
  bool segments = false;         // whether shared memory segments are among it
  std::set<dev_t> devices = {};  // the file systems in memory that are
};

// The places in which a session holds memory without a process: its shared memory segments and the file systems that
// were made for it in memory. Its first process hands them over, as only a process of the session's namespaces can open
// them.
class SessionMemory {
 public:
  SessionMemory() = default;
  // Directories are file systems; anything else is the list of segments, /proc/sysvipc/shm.
  explicit SessionMemory(std::vector<UniqueFd> fds);

  // The file system of this number, in the order of the plan; -1: there is none.
  int folder(size_t number) const { return number < folders_.size() ? folders_[number].fd.get() : -1; }

  // What cannot be asked counts as nothing.
  HeldMemory look() const;

 private:
  UniqueFd segments_;
  struct Folder {
    UniqueFd fd;
    dev_t device = 0;
  };
  std::vector<Folder> folders_;
};

}  // namespace talaria
