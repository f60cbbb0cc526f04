#include "sandbox/watch_round.h"

#include <algorithm>
#include <charconv>

#include "os/file.h"
#include "sandbox/usage.h"

namespace talaria {
namespace {

// More than any limit of processes: somebody has to look.
constexpr uint64_t very_many = 1 << 20;

uint64_t leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

uint64_t bytes_in(std::string_view meminfo, std::string_view name) {
  const size_t at = meminfo.find(name);
  return at == std::string_view::npos ? 0 : leading_number(meminfo.substr(at)) * 1024;
}

}  // namespace

std::optional<MachinePulse> PulseReader::read() {
  const Result<std::string> meminfo = read_file("/proc/meminfo"), loadavg = read_file("/proc/loadavg");
  if (!meminfo || !loadavg) return std::nullopt;
  return add(*meminfo, *loadavg);
}

// The last word of loadavg is the pid given out last; every namespace below has its processes counted there, too.
MachinePulse PulseReader::add(std::string_view meminfo, std::string_view loadavg) {
  const MachineMemory memory{bytes_in(meminfo, "MemAvailable:"), bytes_in(meminfo, "MemTotal:")};
  const uint64_t last_pid = leading_number(loadavg.substr(loadavg.find_last_of(' ') + 1));
  if (memory_ && memory.available_bytes < memory_->available_bytes) {
    pulse_.taken_bytes += memory_->available_bytes - memory.available_bytes;
  }
  if (last_pid_) pulse_.forks += last_pid >= *last_pid_ ? last_pid - *last_pid_ : very_many;  // numbers begin anew
  memory_ = memory;
  last_pid_ = last_pid;
  return pulse_;
}

std::optional<DiskSample> WatchRound::disk(dev_t device, const std::string& path) {
  const auto known = disks_.find(device);
  if (known != disks_.end()) return known->second;
  return disks_[device] = look_at_disk(path);
}

}  // namespace talaria
