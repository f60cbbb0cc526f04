#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/json.h"
#include "sandbox/profile.h"

namespace talaria {

// What one sandboxed command takes at one moment.
struct Usage {
  uint64_t processes = 0;            // that live, without the command's init
  uint64_t memory_bytes = 0;         // of them all
  uint64_t written_bytes = 0;        // to disks, since the command began
  Clock::duration system_time = {};  // that the kernel worked for it, since then
  bool operator==(const Usage&) const = default;
};

// The filesystem that holds the workspace.
struct DiskSample {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
  uint64_t files = 0;       // that there are
  uint64_t most_files = 0;  // that there can be; 0 where the filesystem makes room for them as they come
  bool operator==(const DiskSample&) const = default;
};
// Below this much free space the machine itself is in danger: 256 MiB, or 1% of a small disk.
uint64_t floor_of(uint64_t total_bytes);
// The same of the number of files that can still be made: 10,000, or 1% where there are few.
uint64_t files_floor_of(uint64_t most_files);

struct CommandSample {
  Usage usage = {};
  uint64_t free_at_start = 0;  // on the workspace's disk when the command began
  uint64_t files_at_start = 0;
};

// The limit that ended a command, as people read it.
struct LimitStop {
  std::string limit;  // one of those in limit_stop.cc
  uint64_t max = 0;
  uint64_t peak = 0;  // what was measured; of a floor: what was left free; of "guarded_files": how often they changed
  bool operator==(const LimitStop&) const = default;
};
JsonObject to_json(const LimitStop& stop);
Result<LimitStop> limit_stop_from_json(const JsonObject& object);

// Whether what the commands have written matters at all: only then it is worth being asked for.
bool disk_is_suspect(const Limits& limits, std::span<const CommandSample> commands, const DiskSample& disk);

struct Stop {
  size_t index = 0;  // of the command to be stopped
  LimitStop why;
  bool operator==(const Stop&) const = default;
};

// Which command of a session must be stopped now, if any: of a limit that all of them share, the one that takes most
// of it, and of two alike the later. The commands are in the order of their start, without those being stopped already.
// Without a disk sample the disk is not judged. No limits at all (profile full) means that nothing is ever stopped.
// `held` is memory that counts for the session and belongs to no command.
std::optional<Stop> decide(const Limits& limits, std::span<const CommandSample> commands,
                           const std::optional<DiskSample>& disk, uint64_t held = 0);

// All that must be stopped now. Of too many processes as many commands go as it takes, for each may have only one; of
// memory and disk one: what its end gives back is not known before.
std::vector<Stop> decide_all(const Limits& limits, std::vector<CommandSample> commands,
                             const std::optional<DiskSample>& disk, uint64_t held = 0);

}  // namespace talaria
