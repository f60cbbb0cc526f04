#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "sandbox/limit_stop.h"
#include "sandbox/memory_floor.h"

namespace talaria {

// What the whole machine did since somebody began to watch it: costs the same however many commands there are. Both
// only grow.
struct MachinePulse {
  uint64_t taken_bytes = 0;  // of memory, whoever took it; what was given back does not count
  uint64_t forks = 0;        // processes and threads
  bool operator==(const MachinePulse&) const = default;
};

// Adds up what two readings differ in.
class PulseReader {
 public:
  // Nothing where /proc cannot be read.
  std::optional<MachinePulse> read();
  // What `read` does with the texts of /proc/meminfo and /proc/loadavg.
  MachinePulse add(std::string_view meminfo, std::string_view loadavg);
  // As the last reading said; nothing before the first.
  const std::optional<MachineMemory>& memory() const { return memory_; }

 private:
  MachinePulse pulse_;
  std::optional<MachineMemory> memory_;
  std::optional<uint64_t> last_pid_;
};

// What the watchdogs of all sessions share in one round.
class WatchRound {
 public:
  // Without a pulse every session is looked at.
  explicit WatchRound(std::optional<MachinePulse> pulse = std::nullopt, Clock::duration quiet_pause = 1s,
                      Clock::time_point now = Clock::now())
      : now_(now), pulse_(pulse), quiet_pause_(quiet_pause) {}

  Clock::time_point now() const { return now_; }

  const std::optional<MachinePulse>& pulse() const { return pulse_; }
  // How long a session in which nothing moves may be left alone.
  Clock::duration quiet_pause() const { return quiet_pause_; }
  // Of the filesystem of that number, by a path on it; asked once a round.
  std::optional<DiskSample> disk(dev_t device, const std::string& path);

 private:
  Clock::time_point now_;
  std::optional<MachinePulse> pulse_;
  Clock::duration quiet_pause_;
  std::map<dev_t, std::optional<DiskSample>> disks_;
};

}  // namespace talaria
