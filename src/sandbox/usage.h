#pragma once
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sandbox/limit_stop.h"
#include "sandbox/process_tree.h"
#include "sandbox/profile.h"
#include "sandbox/session_memory.h"
#include "sandbox/watch_round.h"

namespace talaria {

// What lives below the first process of a command, at this moment. Cheap: memory is all that is mapped and resident,
// what several processes share once for each. What cannot be read counts as nothing. `written_bytes` are those of the
// living and of what they reaped: CommandReport tells of the others.
Usage look_at(pid_t init, WrittenLook written = WrittenLook::take);

// Nothing where it cannot be asked. May wait for the server of a network filesystem.
std::optional<DiskSample> look_at_disk(const std::string& path);

// The exact memory of some commands: shared pages once, swapped ones too, no files that can be read again, and what
// lies in memfds, and what their session holds without them. The kernel walks through every page for it, which can take
// seconds, so it is asked in steps.
class ExactLook {
 public:
  explicit ExactLook(std::span<const pid_t> inits, HeldMemory held = {});

  // Goes on, the largest process first, until the sum is known to be over `limit`, or all is known, or it is late.
  // False when it is late. `unseen` is that of the machine: with it, the sum may be known not to reach the limit.
  bool step(Clock::time_point deadline, uint64_t limit = UINT64_MAX, uint64_t unseen = UINT64_MAX);

  // As far as it is known.
  uint64_t memory_of(pid_t init) const;
  uint64_t sum() const { return sum_; }  // with what is held
  uint64_t held() const { return held_.bytes; }

 private:
  struct Command {
    MemoryFiles files;
    uint64_t bytes = 0;
  };
  struct Waiting {
    pid_t init;
    TreeMember member;
  };
  HeldMemory held_;
  std::map<pid_t, Command> commands_;
  std::vector<Waiting> waiting_;  // the largest last
  uint64_t resident_ = 0;         // of those that wait
  uint64_t sum_ = 0;
};

// When to look again: one look that took long is not soon repeated, so that a small part of the time is enough for all.
class LookPace {
 public:
  explicit LookPace(Clock::duration longest_pause) : longest_pause_(longest_pause) {}

  bool due(Clock::time_point now) const { return now >= next_; }
  // `share`: the whole time is so many times what looking may take of it.
  void looked(Clock::time_point now, Clock::duration cost, int share = 20) {
    next_ = now + std::min(cost * share, longest_pause_);
  }

 private:
  Clock::duration longest_pause_;
  Clock::time_point next_ = {};
};

// How soon a session must be asked again, so that what it takes until then is little beside its limit of memory. It
// is 100 ms far from a limit that is large, and 5 ms above half of it while something moves.
Clock::duration memory_pause(uint64_t limit, uint64_t taken, bool moves);

// The watchdog of one session: looks at its commands, cheaply while nothing is wrong, and says which to stop. To be
// asked every `pause`; it knows itself when a look is too dear to be taken so often, and when nothing can have moved
// that a look would show.
class SessionWatch {
 public:
  struct Command {
    pid_t init = 0;              // its first process; 0 while it is not known
    uint64_t written = 0;        // as its last CommandReport said
    uint64_t free_at_start = 0;  // on the workspace's disk
    uint64_t files_at_start = 0;
  };

  // Limits that something else holds already, as a cgroup does, are 0 here.
  SessionWatch(const Limits& limits, std::string workspace) : limits_(limits), workspace_(std::move(workspace)) {}

  // What the session holds without a process counts as its memory, too. `memory` lives longer than this.
  void watch_also(const SessionMemory& memory) { memory_ = &memory; }

  // As decide_all() does; the rules of decide() for the list hold here too.
  std::vector<Stop> look(std::span<const Command> commands, WatchRound& round);

  // How many processes the command of that init had when it was counted last; nothing when it never was.
  std::optional<uint64_t> processes_of(pid_t init) const;
  // Counts them now, unless that was done a moment ago.
  void count(std::span<const Command> commands);
  // How long nobody need ask after a round at `now`.
  Clock::duration pause(Clock::time_point now) const;
  std::optional<Clock::time_point> last_look() const { return seen_ ? std::optional(seen_->when) : std::nullopt; }
  // What the last look took.
  Clock::duration cost() const { return cost_; }

 private:
  // What the last look saw.
  struct Seen {
    Clock::time_point when = {};
    std::map<pid_t, uint64_t> processes = {};  // by init
    uint64_t sum = 0;                          // of them
    uint64_t resident = 0;
    uint64_t unseen = 0;
    HeldMemory held = {};
    std::optional<MachinePulse> pulse = {};
  };
  bool may_have_moved(std::span<const Command> commands, WatchRound& round);
  bool limit_in_reach(const MachinePulse& pulse) const;
  std::optional<DiskSample> disk_in(WatchRound& round);
  void remember(Seen seen);
  std::vector<Stop> look_now(std::span<const Command> commands, WatchRound& round);
  bool look_exactly(std::span<const Command> commands, std::vector<CommandSample>& samples, const Seen& seen);
  uint64_t memory_allowed(std::span<const Command> commands);

  Limits limits_;
  std::string workspace_;
  const SessionMemory* memory_ = nullptr;
  uint64_t left_over_ = 0;  // what was held when the last of the earlier commands was looked at
  LookPace pace_{500ms};
  std::optional<dev_t> device_;  // of the workspace
  std::optional<Seen> seen_;
  Clock::time_point lively_until_ = {};  // something moved not long before
  Clock::time_point counted_ = {};
  Clock::duration cost_ = {};
  // Exact looks are taken only when a cheap one is over the limit.
  std::optional<ExactLook> exact_;
  Clock::duration exact_cost_ = {};
  LookPace exact_pace_{2s};
  uint64_t alarm_ = 0;  // with this much resident and held the limit may have been passed since the last one
};

}  // namespace talaria
