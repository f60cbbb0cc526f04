#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "base/clock.h"
#include "sandbox/limit_stop.h"

namespace talaria {

struct MachineMemory {
  uint64_t available_bytes = 0;
  uint64_t total_bytes = 0;
  bool operator==(const MachineMemory&) const = default;
};
// Below this much the machine itself is in danger: 256 MiB, or 5% of a small one.
uint64_t memory_floor_of(uint64_t total_bytes);

// Watches over the memory of the machine. Some of what a command can take shows in no process and no session (files in
// flight between sockets, buffers of sockets), so when the machine has little left, the command goes that grew most
// since it became less: by its memory and, for what nobody sees, by how long the kernel worked for it.
class MemoryFloor {
 public:
  struct Command {
    pid_t init = 0;
    Usage usage;  // memory and system time
  };

  // Whether so little is left that one has to know who grows, and something was taken since the last look.
  bool wants_look(const MachineMemory& memory, Clock::time_point now);
  // How soon to ask again: often only while little is left and that becomes less.
  Clock::duration pause(const MachineMemory& memory, Clock::time_point now) const;
  // Which of all commands must be stopped now, if any. `cost` is what it took to look at them.
  std::optional<Stop> judge(const MachineMemory& memory, std::span<const Command> commands, Clock::time_point now,
                            Clock::duration cost = {});

 private:
  std::map<pid_t, Usage> before_;  // as they were when it was noticed, or some seconds ago
  Clock::time_point noticed_ = {};
  Clock::time_point next_ = {};
  Clock::time_point looked_ = {};
  uint64_t last_available_ = UINT64_MAX;
};

}  // namespace talaria
