#include "sandbox/limit_stop.h"

#include <algorithm>
#include <array>

#include "json/fields.h"

namespace talaria {
namespace {

// One who wrote less than this did not fill the disk.
constexpr uint64_t worth_stopping = 16ULL << 20;

constexpr uint64_t files_worth_stopping = 1000;
// No filesystem makes a file in less. Who did not work for so long has not made as many as are new.
constexpr auto shortest_making = 2us;

constexpr std::array<std::string_view, 8> limit_names = {"memory",     "memory_floor", "processes",   "disk",
                                                         "disk_floor", "files",        "files_floor", "guarded_files"};

// The command with the most of something, and how much that is; none when nobody has any.
struct Largest {
  size_t index = 0;
  uint64_t amount = 0;
};
template <class Amount>
Largest largest(std::span<const CommandSample> commands, Amount amount_of) {
  Largest most;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (const uint64_t amount = amount_of(commands[i]); amount > 0 && amount >= most.amount) most = {i, amount};
  }
  return most;
}

std::optional<Stop> judge_shared(const char* name, uint64_t max, std::span<const CommandSample> commands,
                                 uint64_t Usage::*amount, uint64_t besides = 0) {
  if (max == 0 || commands.empty()) return std::nullopt;
  uint64_t sum = besides;
  for (const CommandSample& command : commands) sum += command.usage.*amount;
  if (sum <= max) return std::nullopt;
  const Largest most = largest(commands, [amount](const CommandSample& command) { return command.usage.*amount; });
  return Stop{most.index, {name, max, sum}};
}

uint64_t taken_since_start(const CommandSample& command, const DiskSample& disk) {
  return command.free_at_start - std::min(command.free_at_start, disk.free_bytes);
}

// Others write to the same disk, and a command may write and delete: only what is both written and gone is its growth.
std::optional<Stop> judge_growth(uint64_t max, std::span<const CommandSample> commands, const DiskSample& disk) {
  if (max == 0) return std::nullopt;
  const Largest most = largest(commands, [&disk](const CommandSample& command) {
    return std::min(taken_since_start(command, disk), command.usage.written_bytes);
  });
  if (most.amount <= max) return std::nullopt;
  return Stop{most.index, {"disk", max, most.amount}};
}

uint64_t files_since_start(const CommandSample& command, const DiskSample& disk) {
  if (command.files_at_start == 0) return 0;  // nobody could say then
  return disk.files - std::min(command.files_at_start, disk.files);
}

// Others make files on the same disk, and nobody counts who made which.
uint64_t files_made(const CommandSample& command, const DiskSample& disk) {
  const auto at_most = static_cast<uint64_t>(command.usage.system_time / shortest_making);
  return std::min(files_since_start(command, disk), at_most);
}

std::optional<Stop> judge_files(uint64_t max, std::span<const CommandSample> commands, const DiskSample& disk) {
  const Largest most = largest(commands, [&disk](const CommandSample& command) { return files_made(command, disk); });
  if (max > 0 && most.amount > max) return Stop{most.index, {"files", max, most.amount}};
  const uint64_t floor = files_floor_of(disk.most_files),
                 left = disk.most_files - std::min(disk.most_files, disk.files);
  if (left >= floor || most.amount <= files_worth_stopping) return std::nullopt;
  return Stop{most.index, {"files_floor", floor, left}};
}

bool files_are_suspect(const Limits& limits, std::span<const CommandSample> commands, const DiskSample& disk) {
  if (disk.most_files - std::min(disk.most_files, disk.files) < files_floor_of(disk.most_files)) return true;
  return limits.files > 0 && std::ranges::any_of(commands, [&](const CommandSample& command) {
           return files_since_start(command, disk) > limits.files;
         });
}

std::optional<Stop> judge_floor(std::span<const CommandSample> commands, const DiskSample& disk) {
  const uint64_t floor = floor_of(disk.total_bytes);
  if (disk.free_bytes >= floor) return std::nullopt;
  const Largest most = largest(commands, [](const CommandSample& command) { return command.usage.written_bytes; });
  if (most.amount <= worth_stopping) return std::nullopt;
  return Stop{most.index, {"disk_floor", floor, disk.free_bytes}};
}

}  // namespace

uint64_t floor_of(uint64_t total_bytes) { return std::min<uint64_t>(256ULL << 20, total_bytes / 100); }

uint64_t files_floor_of(uint64_t most_files) { return std::min<uint64_t>(10'000, most_files / 100); }

JsonObject to_json(const LimitStop& stop) { return {{"limit", stop.limit}, {"max", stop.max}, {"peak", stop.peak}}; }

Result<LimitStop> limit_stop_from_json(const JsonObject& object) {
  Fields fields(object, "limit stop");
  const auto limit = TRY(fields.text("limit"));
  const auto max = TRY(fields.integer("max", 0, INT64_MAX));
  const auto peak = TRY(fields.integer("peak", 0, INT64_MAX));
  TRY(fields.no_others());
  if (!limit || !max || !peak) return invalid("limit stop \"limit\", \"max\" and \"peak\" are needed");
  if (std::ranges::find(limit_names, *limit) == limit_names.end()) {
    return invalid("limit stop \"limit\" is one that nobody knows: " + *limit);
  }
  return LimitStop{*limit, static_cast<uint64_t>(*max), static_cast<uint64_t>(*peak)};
}

bool disk_is_suspect(const Limits& limits, std::span<const CommandSample> commands, const DiskSample& disk) {
  if (disk.free_bytes < floor_of(disk.total_bytes) || files_are_suspect(limits, commands, disk)) return true;
  return limits.growth_bytes > 0 && std::ranges::any_of(commands, [&](const CommandSample& command) {
           return taken_since_start(command, disk) > limits.growth_bytes;
         });
}

std::optional<Stop> decide(const Limits& limits, std::span<const CommandSample> commands,
                           const std::optional<DiskSample>& disk, uint64_t held) {
  if (limits == Limits()) return std::nullopt;
  if (auto stop = judge_shared("processes", limits.processes, commands, &Usage::processes)) return stop;
  if (auto stop = judge_shared("memory", limits.memory_bytes, commands, &Usage::memory_bytes, held)) return stop;
  if (!disk) return std::nullopt;
  if (auto stop = judge_growth(limits.growth_bytes, commands, *disk)) return stop;
  if (auto stop = judge_files(limits.files, commands, *disk)) return stop;
  return judge_floor(commands, *disk);
}

std::vector<Stop> decide_all(const Limits& limits, std::vector<CommandSample> commands,
                             const std::optional<DiskSample>& disk, uint64_t held) {
  std::vector<Stop> stops;
  while (std::optional<Stop> stop = decide(limits, commands, disk, held)) {
    const bool first = stops.empty(), processes = stop->why.limit == "processes";
    if (!first && !processes) break;
    commands[stop->index].usage = {};
    if (!first) stop->why.peak = stops.front().why.peak;
    stops.push_back(*std::move(stop));
    if (!processes) break;
  }
  return stops;
}

}  // namespace talaria
