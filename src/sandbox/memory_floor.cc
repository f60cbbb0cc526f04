#include "sandbox/memory_floor.h"

#include <algorithm>

namespace talaria {
namespace {

// How many floors are left when one begins to look, and when one looks often.
constexpr uint64_t floors_to_notice = 8, floors_to_hurry = 3;
constexpr auto look_often = 10ms, look_seldom = 100ms;
constexpr auto remember_for = 5s, hurry_for = 1s;
constexpr uint64_t little = 8ULL << 20;  // of memory: no reason to look again
constexpr uint64_t growth_worth_stopping = 16ULL << 20;
constexpr uint64_t taken_a_second = 1ULL << 30;  // by a kernel that works for one who hides memory
constexpr int share_far = 20, share_near = 5;    // of the time that looking may take

uint64_t grown(const Usage& now, const Usage& before) {
  const uint64_t seen = now.memory_bytes - std::min(now.memory_bytes, before.memory_bytes);
  const auto worked = std::max<Clock::duration>(now.system_time - before.system_time, {});
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(worked).count();
  return seen + static_cast<uint64_t>(microseconds) * (taken_a_second / 1'000'000);
}

}  // namespace

uint64_t memory_floor_of(uint64_t total_bytes) { return std::min<uint64_t>(256ULL << 20, total_bytes / 20); }

bool MemoryFloor::wants_look(const MachineMemory& memory, Clock::time_point now) {
  const uint64_t floor = memory_floor_of(memory.total_bytes);
  if (floor == 0 || memory.available_bytes >= floors_to_notice * floor) {
    before_.clear();
    last_available_ = UINT64_MAX;
    return false;
  }
  const bool fell = before_.empty() || memory.available_bytes + little < last_available_;
  if (!before_.empty()) last_available_ = std::max(last_available_, memory.available_bytes);
  return now >= next_ && (fell || memory.available_bytes < floor);
}

Clock::duration MemoryFloor::pause(const MachineMemory& memory, Clock::time_point now) const {
  const bool little_left = memory.available_bytes < floors_to_hurry * memory_floor_of(memory.total_bytes);
  return little_left && now < looked_ + hurry_for ? look_often : look_seldom;
}

std::optional<Stop> MemoryFloor::judge(const MachineMemory& memory, std::span<const Command> commands,
                                       Clock::time_point now, Clock::duration cost) {
  const uint64_t floor = memory_floor_of(memory.total_bytes);
  last_available_ = memory.available_bytes;
  looked_ = now;
  next_ = now + cost * (memory.available_bytes < floors_to_hurry * floor ? share_near : share_far);
  const bool first = before_.empty() || now >= noticed_ + remember_for;
  std::optional<Stop> stop;
  uint64_t most = growth_worth_stopping;
  for (size_t i = 0; i < commands.size() && memory.available_bytes < floor; ++i) {
    const auto known = before_.find(commands[i].init);
    if (before_.empty()) continue;  // nobody knows yet who grows
    const uint64_t by = grown(commands[i].usage, known == before_.end() ? Usage() : known->second);
    if (by < most) continue;
    most = by;
    stop = Stop{i, {"memory_floor", floor, memory.available_bytes}};
  }
  if (!first) return stop;
  noticed_ = now;
  before_.clear();
  for (const Command& command : commands) before_[command.init] = command.usage;
  return stop;
}

}  // namespace talaria
