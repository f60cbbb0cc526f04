#pragma once
#include <sys/types.h>

#include <cstdint>
#include <set>
#include <vector>

#include "base/clock.h"
#include "sandbox/session_memory.h"

namespace talaria {

// A process that lives below another, as /proc shows it to one who may ask.
struct TreeMember {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t thread = 0;  // one that lives: a process goes on when its first thread has ended
  uint64_t mapped_bytes = 0;
  uint64_t resident_bytes = 0;
};

enum class WrittenLook { take, skip };

struct ProcessTree {
  std::vector<TreeMember> members;  // the living, without the root
  // Of the members and those they reaped, where it was asked for.
  uint64_t written_bytes = 0;        // to disks
  Clock::duration system_time = {};  // in the kernel; that of the root and those it reaped is in it, too
};
ProcessTree look_at_tree(pid_t root, WrittenLook written);

// A child between vfork and exec lives in its parent's memory.
bool shares_memory_of_parent(const TreeMember& member, const std::vector<TreeMember>& members);

// The memory files that processes hold open, each once, whether anyone maps them or not.
struct MemoryFiles {
  std::set<ino_t> inodes;
  uint64_t bytes = 0;
};
MemoryFiles memory_files_of(const std::vector<TreeMember>& members);

// What a process holds besides those and besides what its session holds: its share of what it has in common with
// others, and what is swapped out, but no file that can be read again. Where the kernel does not say: what is resident.
uint64_t exact_memory(const TreeMember& member, const MemoryFiles& files, const HeldMemory& held);

// All shared memory and swap of the machine in use: the most that a look at what is resident can have missed.
uint64_t unseen_memory();

}  // namespace talaria
