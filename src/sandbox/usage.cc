#include "sandbox/usage.h"

#include <sys/statvfs.h>

#include <functional>

namespace talaria {
namespace {

constexpr auto step_time = 25ms;               // of an exact look; a sanitized process alone takes several of them
constexpr uint64_t least_alarm = 64ULL << 20;  // not for every page an exact look is due at once

}  // namespace

Usage look_at(pid_t init, WrittenLook written) {
  const ProcessTree tree = look_at_tree(init, written);
  Usage usage{.processes = tree.members.size(), .written_bytes = tree.written_bytes};
  for (const TreeMember& member : tree.members) usage.memory_bytes += member.resident_bytes;
  return usage;
}

std::optional<DiskSample> look_at_disk(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0 || info.f_blocks == 0) return std::nullopt;
  return DiskSample{.free_bytes = info.f_bavail * info.f_frsize, .total_bytes = info.f_blocks * info.f_frsize};
}

ExactLook::ExactLook(std::span<const pid_t> inits) {
  for (const pid_t init : inits) {
    const ProcessTree tree = look_at_tree(init, WrittenLook::skip);
    Command& command = commands_[init];
    command.files = memory_files_of(tree.members);
    sum_ += command.bytes = command.files.bytes;
    for (const TreeMember& member : tree.members) {
      if (shares_memory_of_parent(member, tree.members)) continue;
      waiting_.push_back({init, member});
      resident_ += member.resident_bytes;
    }
  }
  std::ranges::sort(waiting_, std::less(), [](const Waiting& one) { return one.member.resident_bytes; });
}

bool ExactLook::step(Clock::time_point deadline, uint64_t limit, uint64_t unseen) {
  while (!waiting_.empty() && sum_ <= limit) {
    if (unseen < limit && sum_ + resident_ <= limit - unseen) return true;
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    resident_ -= next.member.resident_bytes;
    Command& command = commands_.at(next.init);
    const uint64_t bytes = exact_memory(next.member, command.files);
    command.bytes += bytes;
    sum_ += bytes;
    if (Clock::now() >= deadline && !waiting_.empty() && sum_ <= limit) return false;
  }
  return true;
}

uint64_t ExactLook::memory_of(pid_t init) const {
  const auto found = commands_.find(init);
  return found == commands_.end() ? 0 : found->second.bytes;
}

std::optional<Stop> SessionWatch::look(std::span<const Command> commands) {
  const auto start = Clock::now();
  if (limits_ == Limits() || commands.empty() || !pace_.due(start)) return std::nullopt;
  std::optional<Stop> stop = look_now(commands);
  const auto end = Clock::now();
  pace_.looked(end, end - start);
  return stop;
}

std::optional<Stop> SessionWatch::look_now(std::span<const Command> commands) {
  std::vector<CommandSample> samples(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) samples[i].free_at_start = commands[i].free_at_start;
  const std::optional<DiskSample> disk = look_at_disk(workspace_);
  const bool suspect = disk && disk_is_suspect(limits_, samples, *disk);
  uint64_t resident = 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    Usage& usage = samples[i].usage;
    if (commands[i].init > 0) usage = look_at(commands[i].init, suspect ? WrittenLook::take : WrittenLook::skip);
    usage.written_bytes += commands[i].written;
    resident += usage.memory_bytes;
  }
  Limits limits = limits_;
  const uint64_t unseen = limits.memory_bytes > 0 ? unseen_memory() : 0;
  if (resident + unseen <= limits.memory_bytes) {
    exact_.reset();
  } else if (limits.memory_bytes > 0 && !look_exactly(commands, samples, resident, unseen)) {
    limits.memory_bytes = 0;  // not known well enough to stop anyone
  }
  return decide(limits, samples, disk);
}

// False while the exact sum is not known.
bool SessionWatch::look_exactly(std::span<const Command> commands, std::vector<CommandSample>& samples,
                                uint64_t resident, uint64_t unseen) {
  const auto start = Clock::now();
  if (!exact_) {
    if (!exact_pace_.due(start) && resident < alarm_) return false;
    std::vector<pid_t> inits;
    for (const Command& command : commands) {
      if (command.init > 0) inits.push_back(command.init);
    }
    exact_.emplace(inits);
    exact_cost_ = {};
  }
  const bool known = exact_->step(start + step_time, limits_.memory_bytes, unseen);
  const auto end = Clock::now();
  exact_cost_ += end - start;
  if (!known) return false;
  // One that came later counts as nothing: the next look sees it.
  for (size_t i = 0; i < commands.size(); ++i) samples[i].usage.memory_bytes = exact_->memory_of(commands[i].init);
  const uint64_t room = limits_.memory_bytes - std::min(limits_.memory_bytes, exact_->sum());
  alarm_ = resident + std::max(room, least_alarm);
  exact_pace_.looked(end, exact_cost_);
  exact_.reset();
  return true;
}

}  // namespace talaria
