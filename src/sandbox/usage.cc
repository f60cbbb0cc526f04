#include "sandbox/usage.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <ctime>
#include <functional>

namespace talaria {
namespace {

constexpr auto step_time = 25ms;  // of an exact look; a sanitized process alone takes several of them
constexpr auto lively_time = 1s;
constexpr auto count_at_most_every = 100ms;
constexpr uint64_t little_movement = 1 << 20;  // of memory: no reason to look more often
constexpr uint64_t least_alarm = 4ULL << 20;   // not for every page an exact look is due at once
constexpr Clock::duration longest_pause = 100ms, shortest_pause = 5ms, pause_near_limit = 2ms;
constexpr uint64_t fastest_growth = 8ULL << 30;  // bytes a second: faster than two cores can fill pages

// By this thread. A machine so busy that we have to wait does not make a look dearer.
Clock::duration time_worked() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Usage look_at(pid_t init, WrittenLook written) {
  const ProcessTree tree = look_at_tree(init, written);
  Usage usage{.processes = tree.members.size(), .written_bytes = tree.written_bytes, .system_time = tree.system_time};
  for (const TreeMember& member : tree.members) usage.memory_bytes += member.resident_bytes;
  return usage;
}

std::optional<DiskSample> look_at_disk(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0 || info.f_blocks == 0) return std::nullopt;
  return DiskSample{.free_bytes = info.f_bavail * info.f_frsize,
                    .total_bytes = info.f_blocks * info.f_frsize,
                    .files = info.f_files - std::min(info.f_files, info.f_ffree),
                    .most_files = info.f_files};
}

ExactLook::ExactLook(std::span<const pid_t> inits, HeldMemory held) : held_(std::move(held)), sum_(held_.bytes) {
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
    const uint64_t bytes = exact_memory(next.member, command.files, held_);
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

Clock::duration memory_pause(uint64_t limit, uint64_t taken, bool moves) {
  if (limit == 0) return longest_pause;
  if (moves && taken > limit / 5 * 4) return pause_near_limit;
  if (moves && taken > limit / 2) return shortest_pause;
  // Even the fastest one shall be found before it has half as much again as it may.
  const uint64_t room = limit - std::min(limit, taken) + limit / 4;
  const auto time = std::chrono::milliseconds(room / (fastest_growth / 1000));
  return std::clamp<Clock::duration>(time, shortest_pause, longest_pause);
}

Clock::duration SessionWatch::pause(Clock::time_point now) const {
  if (exact_) return shortest_pause;  // one is under way
  return memory_pause(limits_.memory_bytes, seen_ ? seen_->resident + seen_->held.bytes : 0, now < lively_until_);
}

std::vector<Stop> SessionWatch::look(std::span<const Command> commands, WatchRound& round) {
  if (limits_ == Limits() || commands.empty() || !pace_.due(round.now())) return {};
  if (!may_have_moved(commands, round)) return {};
  const Clock::duration start = time_worked();
  std::vector<Stop> stops = look_now(commands, round);
  cost_ = time_worked() - start;
  // What comes near its limit may cost more: a tree of hundreds must not pass it while nobody looks.
  const bool near = pause(round.now()) < longest_pause;
  pace_.looked(round.now() + cost_, cost_, near ? 5 : 20);
  return stops;
}

// Others that were there at the last look, one that saw something move not long ago, a limit that may be reached by
// what the machine did since; and now and then in any case: one may take what another gives back.
bool SessionWatch::may_have_moved(std::span<const Command> commands, WatchRound& round) {
  if (!seen_ || exact_ || !round.pulse() || !seen_->pulse) return true;
  if (round.now() < lively_until_ || round.now() >= seen_->when + round.quiet_pause()) return true;
  if (commands.size() != seen_->processes.size() || limit_in_reach(*round.pulse())) return true;
  std::vector<CommandSample> samples(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!seen_->processes.contains(commands[i].init)) return true;
    samples[i].free_at_start = commands[i].free_at_start;
    samples[i].files_at_start = commands[i].files_at_start;
  }
  const std::optional<DiskSample> disk = disk_in(round);
  return disk && disk_is_suspect(limits_, samples, *disk);
}

// If all that the machine did since the last look was this session's.
bool SessionWatch::limit_in_reach(const MachinePulse& pulse) const {
  const uint64_t forks = pulse.forks - seen_->pulse->forks, taken = pulse.taken_bytes - seen_->pulse->taken_bytes;
  if (limits_.processes > 0 && seen_->sum + forks > limits_.processes) return true;
  // Twice, for what is given back meanwhile.
  return limits_.memory_bytes > 0 && seen_->resident + seen_->unseen + 2 * taken > limits_.memory_bytes;
}

std::optional<DiskSample> SessionWatch::disk_in(WatchRound& round) {
  struct stat info {};
  if (!device_ && ::stat(workspace_.c_str(), &info) == 0) device_ = info.st_dev;
  return device_ ? round.disk(*device_, workspace_) : look_at_disk(workspace_);
}

void SessionWatch::remember(Seen seen) {
  const auto differs = [](uint64_t a, uint64_t b) { return std::max(a, b) - std::min(a, b) > little_movement; };
  if (!seen_ || seen.sum != seen_->sum ||
      differs(seen.resident + seen.held.bytes, seen_->resident + seen_->held.bytes)) {
    lively_until_ = seen.when + lively_time;
  }
  counted_ = Clock::now();
  seen_ = std::move(seen);
}

std::optional<uint64_t> SessionWatch::processes_of(pid_t init) const {
  if (!seen_) return std::nullopt;
  const auto found = seen_->processes.find(init);
  return found == seen_->processes.end() ? std::nullopt : std::optional(found->second);
}

void SessionWatch::count(std::span<const Command> commands) {
  const auto now = Clock::now();
  if (now < counted_ + count_at_most_every) return;
  counted_ = now;
  if (!seen_) seen_ = Seen{};
  for (const Command& command : commands) {
    seen_->processes[command.init] = look_at(command.init, WrittenLook::skip).processes;
  }
}

std::vector<Stop> SessionWatch::look_now(std::span<const Command> commands, WatchRound& round) {
  Seen seen{.when = round.now(), .pulse = round.pulse()};
  std::vector<CommandSample> samples(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    samples[i].free_at_start = commands[i].free_at_start;
    samples[i].files_at_start = commands[i].files_at_start;
  }
  const std::optional<DiskSample> disk = disk_in(round);
  const bool suspect = disk && disk_is_suspect(limits_, samples, *disk);
  // What a cgroup counts need not be looked for here.
  const bool needed = suspect || limits_.memory_bytes > 0 || limits_.processes > 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    Usage& usage = samples[i].usage;
    const pid_t init = commands[i].init;
    if (init > 0 && needed) usage = look_at(init, suspect ? WrittenLook::take : WrittenLook::skip);
    usage.written_bytes += commands[i].written;
    seen.sum += seen.processes[init] = usage.processes;
    seen.resident += usage.memory_bytes;
  }
  Limits limits = limits_;
  uint64_t held = 0;
  if (limits.memory_bytes > 0) {
    seen.unseen = unseen_memory();
    if (memory_) seen.held = memory_->look();
    limits.memory_bytes = memory_allowed(commands);
  }
  if (seen.resident + seen.unseen <= limits.memory_bytes) {
    exact_.reset();
  } else if (limits.memory_bytes > 0 && !look_exactly(commands, samples, seen)) {
    limits.memory_bytes = 0;  // not known well enough to stop anyone
  } else {
    held = seen.held.bytes;
  }
  remember(std::move(seen));
  std::vector<Stop> stops = decide_all(limits, std::move(samples), disk, held);
  for (Stop& stop : stops) {
    if (stop.why.limit == "memory") stop.why.max = limits_.memory_bytes;
  }
  return stops;
}

// What earlier commands left in the session's memory may alone be more than is allowed. Those that come then get a
// little room of their own, or nobody could clean up.
uint64_t SessionWatch::memory_allowed(std::span<const Command> commands) {
  const auto is_known = [this](const Command& command) { return seen_->processes.contains(command.init); };
  if (seen_ && std::ranges::none_of(commands, is_known)) left_over_ = seen_->held.bytes;
  return std::max(limits_.memory_bytes, left_over_ + limits_.memory_bytes / 4);
}

// False while the exact sum is not known.
bool SessionWatch::look_exactly(std::span<const Command> commands, std::vector<CommandSample>& samples,
                                const Seen& seen) {
  const auto start = Clock::now();
  const uint64_t taken = seen.resident + seen.held.bytes;
  if (!exact_) {
    if (!exact_pace_.due(start) && taken < alarm_) return false;
    std::vector<pid_t> inits;
    for (const Command& command : commands) {
      if (command.init > 0) inits.push_back(command.init);
    }
    exact_.emplace(inits, seen.held);
    exact_cost_ = {};
  }
  const bool known = exact_->step(start + step_time, limits_.memory_bytes, seen.unseen);
  const auto end = Clock::now();
  exact_cost_ += end - start;
  if (!known) return false;
  // One that came later counts as nothing: the next look sees it.
  for (size_t i = 0; i < commands.size(); ++i) samples[i].usage.memory_bytes = exact_->memory_of(commands[i].init);
  const uint64_t room = limits_.memory_bytes - std::min(limits_.memory_bytes, exact_->sum());
  // One that grew by a part of its room is asked again, however dear that is: it pays for it itself.
  alarm_ = taken + std::max({room / 4, limits_.memory_bytes / 64, least_alarm});
  exact_pace_.looked(end, exact_cost_);
  exact_.reset();
  return true;
}

}  // namespace talaria
