#pragma once
#include <fcntl.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// The Landlock version of the running kernel; 0 where there is none, be it too old or switched off at boot.
int landlock_abi();

// What may be done below a path.
enum class PathAccess {
  read,     // read files, list directories, run programs
  write,    // that, and change, create, rename and remove anything but device nodes
  devices,  // read and write what is there and control it, but create nothing: for /dev
};

// Like the first arguments of openat(2); an empty path is the descriptor itself, which may be O_PATH.
struct LandlockRule {
  PathAccess access = PathAccess::read;
  std::string path;
  int at = AT_FDCWD;
};

struct LandlockRules {
  std::vector<LandlockRule> paths;
  // Only processes under the same ruleset can be signalled (needs version 6).
  bool scope_signals = true;
  // Only they can be reached by abstract unix sockets (version 6). For the host's network: a network namespace of its
  // own has none of the host's, and this would keep two commands of one session apart.
  bool scope_abstract_sockets = false;
  // Use no more than this version knows.
  int abi = 1000;
};

// A ruleset that refuses all that the version knows of files, except what the paths allow. TCP stays open: it is a
// matter of the network namespace. Rules hold for the files the paths lead to now, in the mount namespace of now.
Result<UniqueFd> make_ruleset(const LandlockRules& rules);

// Puts the calling thread and all it starts under the ruleset, for good; 0 or an errno. no_new_privs must be set. One
// system call, so it may stand between fork and exec.
int restrict_self(int ruleset);

}  // namespace talaria
