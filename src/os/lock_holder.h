#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace talaria {

// Who holds the flock(2) of a file.
struct LockHolder {
  bool held = false;
  pid_t pid = 0;  // 0: it cannot be told, because another pid namespace hides it
  bool operator==(const LockHolder&) const = default;
};

// As the kernel lists it. On file systems where it lists a lock under another number (overlays, btrfs) the lock itself
// says whether it is held, and FileLock::sign, by whom. An absent file is held by nobody.
Result<LockHolder> holder_of(const std::string& path);

// Whether a living process of this user is the program of that name, which has at most 15 characters.
bool is_our_program(pid_t pid, const std::string& name);

}  // namespace talaria
