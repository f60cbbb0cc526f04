#include "sandbox/usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <thread>

#include "os/file.h"
#include "os/proc.h"
#include "os/socket.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

constexpr uint64_t mebibyte = 1ULL << 20;
constexpr uint64_t block = 64 * mebibyte;
constexpr uint64_t little = 40 * mebibyte;
class Family {
 public:
  using Body = std::function<void(int ready)>;  // a byte there, or its return, says that it is

  explicit Family(const std::vector<Body>& children) {
    auto [reading, writing] = *make_pipe();
    root_ = ::fork();
    CHECK(root_ >= 0);
    if (root_ == 0) be_root(children, writing.get());
    writing.reset();
    char done;
    CHECK(::read(reading.get(), &done, 1) == 1);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    ::kill(-root_, SIGKILL);
    ::waitpid(root_, nullptr, 0);
  }

  pid_t root() const { return root_; }

 private:
  [[noreturn]] static void be_root(const std::vector<Body>& children, int done) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const Body& body : children) {
      auto [reading, writing] = *make_pipe();
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        body(writing.get());
        (void)!::write(writing.get(), "r", 1);
        while (true) ::pause();
      }
      writing.reset();
      char ready;
      if (::read(reading.get(), &ready, 1) == 1) continue;
      siginfo_t ended;  // it closed its end before it was a zombie
      ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
    }
    (void)!::write(done, "d", 1);
    while (true) ::pause();
  }

  pid_t root_ = -1;
};

void* take(uint64_t bytes, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  CHECK(memory != MAP_FAILED);
  std::memset(memory, 1, bytes);
  return memory;
}

int filled_memory_file(uint64_t bytes) {
  const int file = ::memfd_create("test", MFD_CLOEXEC);
  CHECK(file >= 0 && ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0);
  return file;
}

void nothing(int) {}

uint64_t exact_memory_below(pid_t root) {
  ExactLook look({&root, 1});
  EXPECT_TRUE(look.step(Clock::time_point::max()));
  EXPECT_EQ(look.memory_of(root), look.sum());
  return look.sum();
}

// What so many processes take that do nothing, and a little: a sanitized program takes a lot.
uint64_t bare(size_t count) {
  return exact_memory_below(Family(std::vector<Family::Body>(count, nothing)).root()) + little;
}

TEST(UsageTest, CountsTheLivingBelowButNotTheRootAndNoZombie) {
  const Family family({nothing, [](int) { ::_exit(0); },
                       [](int) {
                         if (::fork() == 0) {
                           while (true) ::pause();
                         }
                       }});
  EXPECT_EQ(look_at(family.root()).processes, 3u);
}

TEST(UsageTest, IsNothingForOneThatIsGone) {
  pid_t gone = 0;
  { gone = Family({nothing}).root(); }
  EXPECT_EQ(look_at(gone), Usage{});
  EXPECT_EQ(exact_memory_below(gone), 0u);
}

TEST(UsageTest, SumsMemory) {
  const Family family({[](int) { take(block); }, [](int) { take(block); }});
  EXPECT_GE(look_at(family.root()).memory_bytes, 2 * block);
  const uint64_t exact = exact_memory_below(family.root());
  EXPECT_GE(exact, 2 * block);
  EXPECT_LT(exact, 2 * block + bare(2));
}

TEST(UsageTest, CountsSharedPagesOnceWhenItLooksExactly) {
  const Family family({[](int) {
    take(block);
    take(block, MAP_SHARED | MAP_ANONYMOUS);
    for (int i = 0; i < 7; ++i) {
      if (::fork() == 0) {
        while (true) ::pause();
      }
    }
  }});
  EXPECT_EQ(look_at(family.root()).processes, 8u);
  const uint64_t exact = exact_memory_below(family.root());
  EXPECT_GE(exact, 2 * block - mebibyte);  // a share is rounded
  EXPECT_LT(exact, 2 * block + bare(8));
}

TEST(UsageTest, CountsUnmappedMemoryFilesOnce) {
  const Family family({[](int) {
    filled_memory_file(block);
    if (::fork() == 0) {
      while (true) ::pause();
    }
  }});
  EXPECT_GE(unseen_memory(), block);
  const uint64_t exact = exact_memory_below(family.root());
  EXPECT_GE(exact, block);
  EXPECT_LT(exact, block + bare(2));
}

TEST(UsageTest, CountsMappedMemoryFilesOnceAndOtherSharedMemoryBesides) {
  const Family family({[](int) {
    take(block, MAP_SHARED, filled_memory_file(block));
    take(block, MAP_SHARED | MAP_ANONYMOUS);
  }});
  const uint64_t exact = exact_memory_below(family.root());
  EXPECT_GE(exact, 2 * block - mebibyte);
  EXPECT_LT(exact, 2 * block + bare(1));
}

TEST(UsageTest, CountsMappedMemoryFilesThatNobodyHoldsOpen) {
  const Family family({[](int) {
    const int file = filled_memory_file(block);
    take(block, MAP_SHARED, file);
    ::close(file);
    filled_memory_file(4096);
  }});
  const uint64_t exact = exact_memory_below(family.root());
  EXPECT_GE(exact, block - mebibyte);
  EXPECT_LT(exact, block + bare(1));
}

TEST(UsageTest, LooksExactlyInSteps) {
  const Family family({[](int) { take(block); }, nothing, nothing});
  const pid_t root = family.root();
  ExactLook look({&root, 1});
  EXPECT_FALSE(look.step(Clock::time_point::min()));
  const uint64_t first = look.sum();
  EXPECT_GE(first, block);  // the largest comes first
  EXPECT_FALSE(look.step(Clock::time_point::min()));
  EXPECT_TRUE(look.step(Clock::time_point::min()));
  EXPECT_GT(look.sum(), first);
  EXPECT_TRUE(look.step(Clock::time_point::min()));
  EXPECT_EQ(look.memory_of(root + 1), 0u);
}

TEST(UsageTest, LooksNoFurtherThanTheAnswerIsKnown) {
  const Family family({[](int) { take(block); }, nothing, nothing});
  const pid_t root = family.root();
  ExactLook over({&root, 1});
  EXPECT_TRUE(over.step(Clock::time_point::min(), block - 1));
  ExactLook under({&root, 1});
  EXPECT_TRUE(under.step(Clock::time_point::min(), 100 * block, 50 * block));
  EXPECT_LT(under.sum(), block);
  ExactLook perhaps({&root, 1});
  EXPECT_FALSE(perhaps.step(Clock::time_point::min(), 100 * block, 100 * block));
}

TEST(UsageTest, LeavesFilesThatCanBeReadAgainOutOfTheExactSum) {
  const SpaceTrial trial;
  const std::string path = trial.workspace + "/mapped";
  ASSERT_TRUE(write_file_atomically(path, std::string(block, 'x'), 0600, Durable::no));
  const Family family({[&path](int) {
    const UniqueFd file = *open_file(path, O_RDONLY);
    const void* memory = ::mmap(nullptr, block, PROT_READ, MAP_SHARED | MAP_POPULATE, file.get(), 0);
    CHECK(memory != MAP_FAILED);
  }});
  EXPECT_GE(look_at(family.root()).memory_bytes, block);
  EXPECT_LT(exact_memory_below(family.root()), bare(1));
}

TEST(UsageTest, SeesAProcessWhoseFirstThreadHasEnded) {
  const Family family({[](int ready) {
    take(block);
    filled_memory_file(block);
    std::thread([ready, first = ::getpid()] {
      while (state_of(first) != 'Z') ::sched_yield();
      if (::fork() > 0) (void)!::write(ready, "r", 1);
      while (true) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);  // this thread alone
  }});
  const Usage usage = look_at(family.root());
  EXPECT_EQ(usage.processes, 2u);
  EXPECT_GE(usage.memory_bytes, block);
  EXPECT_GE(exact_memory_below(family.root()), 2 * block);
}

// As between vfork and exec.
TEST(UsageTest, CountsMemoryThatAChildBorrowsOnce) {
  const Family family({[](int) {
    take(block);
    static char stack[64 << 10];
    const auto wait = [](void*) {
      while (true) ::pause();
      return 0;
    };
    CHECK(::clone(wait, stack + sizeof stack, CLONE_VM | SIGCHLD, nullptr) > 0);
  }});
  EXPECT_GE(look_at(family.root()).memory_bytes, 2 * block);
  EXPECT_EQ(look_at(family.root()).processes, 2u);
  const uint64_t exact = exact_memory_below(family.root());
  EXPECT_GE(exact, block);
  EXPECT_LT(exact, block + bare(1));
}

TEST(UsageTest, SeesTheDisk) {
  const std::optional<DiskSample> disk = look_at_disk("/tmp");
  ASSERT_TRUE(disk);
  EXPECT_GT(disk->free_bytes, 0u);
  EXPECT_GT(disk->total_bytes, disk->free_bytes);
  EXPECT_EQ(look_at_disk("/nowhere"), std::nullopt);
  EXPECT_EQ(look_at_disk("/proc"), std::nullopt);  // has no size
}

TEST(UsageTest, LooksAgainAfterAPauseThatFitsTheCost) {
  const auto now = Clock::now();
  LookPace pace(1s);
  EXPECT_TRUE(pace.due(now));
  pace.looked(now, 10ms);
  EXPECT_FALSE(pace.due(now + 199ms));
  EXPECT_TRUE(pace.due(now + 200ms));
  pace.looked(now, 10s);
  EXPECT_FALSE(pace.due(now + 999ms));
  EXPECT_TRUE(pace.due(now + 1s));
}

// A session of one command, with a clock and a machine that the test moves.
struct QuietSession {
  explicit QuietSession(const Family& family) : command{.init = family.root(), .written = 0, .free_at_start = 0} {}

  // Whether a command is to be stopped.
  bool look() {
    WatchRound round(pulse, 5s, now);
    return !watch.look({&command, 1}, round).empty();
  }
  bool was_looked_at() const { return watch.last_look() == now; }
  // Nothing moved for so long that it is left alone.
  void become_quiet() {
    for (int i = 0; i < 50; ++i, now += 100ms) EXPECT_FALSE(look());
  }

  SessionWatch::Command command;
  SessionWatch watch{Limits{.processes = 2, .memory_bytes = 1ULL << 40}, "/tmp"};
  MachinePulse pulse;
  Clock::time_point now = Clock::now();
};

TEST(UsageTest, ASessionInWhichNothingMovesIsLeftAloneForAWhile) {
  const Family two({nothing, nothing}), three({nothing, nothing, nothing});
  QuietSession session(two);
  session.become_quiet();
  EXPECT_EQ(session.watch.processes_of(two.root()), 2u);
  session.now += 100ms;
  EXPECT_FALSE(session.look());
  EXPECT_FALSE(session.was_looked_at());
  session.command.init = three.root();  // another command: it is looked at at once
  EXPECT_TRUE(session.look());
}

TEST(UsageTest, ASessionIsLookedAtAsSoonAsWhatTheMachineDidCouldPassItsLimit) {
  const Family two({nothing, nothing});
  for (const MachinePulse& moved :
       {MachinePulse{.taken_bytes = 0, .forks = 1}, MachinePulse{.taken_bytes = 1ULL << 39, .forks = 0}}) {
    QuietSession session(two);
    session.become_quiet();
    session.now += 100ms;
    session.pulse = moved;
    EXPECT_FALSE(session.look());
    EXPECT_TRUE(session.was_looked_at());
  }
  QuietSession session(two);
  session.become_quiet();
  session.now += 6s;
  EXPECT_FALSE(session.look());
  EXPECT_TRUE(session.was_looked_at());
}

// A command that takes memory when the test says so, and what it has.
class Grower {
 public:
  Grower() {
    auto [order, give] = *make_pipe();
    auto [taken, tell] = *make_pipe();
    give_ = std::move(give);
    taken_ = std::move(taken);
    family_.emplace(std::vector<Family::Body>{[&](int ready) {
      (void)!::write(ready, "r", 1);
      for (uint64_t bytes; ::read(order.get(), &bytes, sizeof bytes) == sizeof bytes;) {
        take(bytes);
        (void)!::write(tell.get(), "t", 1);
      }
    }});
  }
  void grow(uint64_t bytes) {
    char byte;
    CHECK(::write(give_.get(), &bytes, sizeof bytes) == sizeof bytes && ::read(taken_.get(), &byte, 1) == 1);
    bytes_ += bytes;
  }
  uint64_t bytes() const { return bytes_; }
  pid_t root() const { return family_->root(); }

 private:
  UniqueFd give_, taken_;
  uint64_t bytes_ = 0;
  std::optional<Family> family_;
};

// What a command has when it is stopped that takes so many bytes a second, by a clock that the test moves.
uint64_t stopped_at(uint64_t limit, uint64_t bytes_a_second, Clock::duration idle) {
  Grower grower;
  const SessionWatch::Command command{.init = grower.root(), .written = 0, .free_at_start = 0};
  SessionWatch watch(Limits{.memory_bytes = limit}, "/tmp");
  const auto begin = Clock::now();
  MachinePulse pulse;
  for (auto now = begin; grower.bytes() < 2 * limit;) {
    const Clock::duration pause = watch.pause(now);
    now += pause;
    if (now > begin + idle) {
      const uint64_t bytes =
          bytes_a_second / 1000 * std::chrono::duration_cast<std::chrono::milliseconds>(pause).count();
      grower.grow(bytes);
      pulse.taken_bytes += bytes;
    }
    WatchRound round(pulse, 5s, now);
    if (!watch.look({&command, 1}, round).empty()) return grower.bytes();
  }
  return grower.bytes();
}

TEST(UsageTest, ACommandThatGrowsIsStoppedSoonAfterItsLimit) {
  constexpr uint64_t limit = 300 * mebibyte;
  for (const Clock::duration idle : {0s, 4s}) {
    EXPECT_LE(stopped_at(limit, 500'000'000, idle), limit + limit / 10);
    EXPECT_LE(stopped_at(limit, 2'000'000'000, idle), limit + limit / 2);
  }
}

TEST(UsageTest, IsInAHurryOnlyWhereLittleTimeIsLeft) {
  constexpr uint64_t gibibyte = 1ULL << 30;
  EXPECT_EQ(memory_pause(0, 5 * gibibyte, true), 100ms);
  EXPECT_EQ(memory_pause(4 * gibibyte, 0, true), 100ms);
  EXPECT_EQ(memory_pause(4 * gibibyte, 4 * gibibyte, false), 100ms);
  EXPECT_EQ(memory_pause(4 * gibibyte, 2 * gibibyte + 1, true), 5ms);
  EXPECT_EQ(memory_pause(5 * gibibyte, 4 * gibibyte + 1, true), 2ms);
  EXPECT_LT(memory_pause(gibibyte / 4, 0, false), 50ms);
  EXPECT_EQ(memory_pause(mebibyte, 0, false), 5ms);
}

TEST(UsageTest, ThePulseOfTheMachineOnlyGrows) {
  PulseReader reader;
  const auto meminfo = [](int kilobytes) {
    return "MemFree: 7 kB\nMemAvailable:   " + std::to_string(kilobytes) + " kB\n";
  };
  EXPECT_EQ(reader.add(meminfo(1000), "0.1 0.2 0.3 1/100 50\n"), MachinePulse());
  EXPECT_EQ(reader.add(meminfo(900), "0.1 0.2 0.3 1/100 53\n"), (MachinePulse{100 * 1024, 3}));
  EXPECT_EQ(reader.add(meminfo(2000), "0.1 0.2 0.3 1/100 53\n"), (MachinePulse{100 * 1024, 3}));
  EXPECT_EQ(reader.add(meminfo(1999), "0.1 0.2 0.3 1/100 60\n"), (MachinePulse{101 * 1024, 10}));
  EXPECT_GT(reader.add(meminfo(1999), "0.1 0.2 0.3 1/100 7\n").forks, 100'000u);  // numbers began anew
  EXPECT_TRUE(PulseReader().read());
}

// Reported, never asserted: times belong to the benchmarks.
TEST(UsageTest, TellsWhatALookCosts) {
  for (const size_t count : {1, 10, 100, 500}) {
    const Family family(std::vector<Family::Body>(count, nothing));
    const auto report = [count](const char* how, const std::function<void()>& look) {
      std::vector<double> times;
      for (int i = 0; i < 11; ++i) {
        const auto start = Clock::now();
        look();
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      }
      std::ranges::sort(times);
      std::cout << count << how << times.front() << " / " << times[times.size() / 2] << " ms\n";
    };
    const pid_t root = family.root();
    report(" processes: ", [root] { look_at(root, WrittenLook::skip); });
    report(" with what they wrote: ", [root] { look_at(root); });
    report(" first step of an exact look: ", [root] { ExactLook({&root, 1}).step(Clock::now() + 25ms); });
  }
}

}  // namespace
}  // namespace talaria
