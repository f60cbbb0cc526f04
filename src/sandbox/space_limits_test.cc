// What a sandboxed command takes, as seen from outside, and what holds it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <csignal>

#include "base/clock.h"
#include "os/proc.h"
#include "sandbox/space_trial.h"
#include "sandbox/usage.h"

namespace talaria {
namespace {

constexpr uint64_t mebibyte = 1ULL << 20;
constexpr uint64_t everything = UINT64_MAX / 2;  // as if the disk had been empty when the command began

// The next report, at most ten seconds away.
CommandReport next_report(const SpaceTrial::Background& command) {
  pollfd watched{command.control.get(), POLLIN, 0};
  CHECK(::poll(&watched, 1, 10'000) == 1);
  return *receive_report(command.control.get());
}

// Waits until the command has said that it is ready, at most ten seconds.
void wait_for(const SpaceTrial::Background& command) {
  pollfd watched{command.output.get(), POLLIN, 0};
  CHECK(::poll(&watched, 1, 10'000) == 1);
  char byte;
  CHECK(::read(command.output.get(), &byte, 1) == 1);
}

SessionWatch::Command watched(const SpaceTrial::Background& command) {
  return {.init = *parent_of(command.pid), .written = 0, .free_at_start = everything};
}

// As the keeper's watchdog, which is given the places where a sandbox holds memory.
SessionWatch watch_over(SpaceTrial& trial, const Limits& limits) {
  SessionWatch session(limits, trial.workspace);
  session.watch_also(trial.space().memory());
  return session;
}

std::optional<Stop> one_look(SpaceTrial& trial, const Limits& limits, const SessionWatch::Command& command) {
  WatchRound round;
  const std::vector<Stop> stops = watch_over(trial, limits).look({&command, 1}, round);
  return stops.empty() ? std::nullopt : std::optional(stops.front());
}

// An exact look may need several; at most ten seconds.
Stop stop_of(SpaceTrial& trial, const Limits& limits, const SessionWatch::Command& command) {
  SessionWatch session = watch_over(trial, limits);
  const auto deadline = Clock::now() + 10s;
  while (Clock::now() < deadline) {
    WatchRound round;
    const std::vector<Stop> stops = session.look({&command, 1}, round);
    if (!stops.empty()) return stops.front();
    ::sched_yield();
  }
  return {0, {"none", 0, 0}};
}

SPACE_TEST(SpaceLimitsTest, SeesTheProcessesOfACommand) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start("sleep 1000 & sleep 1000 & echo; wait");
  wait_for(command);
  EXPECT_EQ(look_at(*parent_of(command.pid)).processes, 3u);
  EXPECT_EQ(one_look(trial, {.processes = 3}, watched(command)), std::nullopt);
  EXPECT_EQ(stop_of(trial, {.processes = 2}, watched(command)), (Stop{0, {"processes", 2, 3}}));
}

SPACE_TEST(SpaceLimitsTest, SeesTheMemoryOfACommand) {
  SpaceTrial trial;
  const SpaceTrial::Background command =
      trial.start("exec perl -e '$| = 1; $n = 64 << 20; $x = chr(1) x $n; fork; print \"r\"; sleep 1000'");
  wait_for(command);
  wait_for(command);
  const pid_t init = *parent_of(command.pid);
  EXPECT_GE(look_at(init).memory_bytes, 128 * mebibyte);
  ExactLook look({&init, 1});
  EXPECT_TRUE(look.step(Clock::time_point::max()));
  const uint64_t exact = look.sum();
  EXPECT_GE(exact, 64 * mebibyte);
  EXPECT_LT(exact, 120 * mebibyte);
  EXPECT_EQ(one_look(trial, {.memory_bytes = 120 * mebibyte}, watched(command)), std::nullopt);
  EXPECT_EQ(stop_of(trial, {.memory_bytes = 60 * mebibyte}, watched(command)).why.limit, "memory");
}

SPACE_TEST(SpaceLimitsTest, SeesMemoryThatACommandHidesInAFileOfMemory) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start(
      "exec perl -e '$| = 1; open($f, \"+<&=\", syscall(319, $n = \"x\", 0)) or die; $x = chr(1) x (1 << 20); "
      "syswrite($f, $x) for 1 .. 64; print \"r\"; sleep 1000'");
  wait_for(command);
  EXPECT_LT(look_at(*parent_of(command.pid)).memory_bytes, 32 * mebibyte);
  EXPECT_EQ(stop_of(trial, {.memory_bytes = 64 * mebibyte}, watched(command)).why.limit, "memory");
  EXPECT_EQ(one_look(trial, {.memory_bytes = 100 * mebibyte}, watched(command)), std::nullopt);
}

// Takes segments of so many MiB each, writes to them and attaches none of them for longer than that.
std::string take_segments(int count, int mebibytes) {
  return "exec perl -e '$| = 1; $n = " + std::to_string(mebibytes) + " << 20; for (1 .. " + std::to_string(count) +
         ") { $id = shmget(0, $n, 01600); die \"refused: $!\\n\" if !defined $id; "
         "shmwrite($id, chr(1) x $n, 0, $n) or die } undef $x; print \"r\"; sleep 1000'";
}

SPACE_TEST(SpaceLimitsTest, SegmentsThatNobodyHasAttachedAreRefusedAtTheLimitOfMemory) {
  SpaceTrial trial;
  trial.profile.limits.memory_bytes = 64 * mebibyte;
  EXPECT_THAT(trial.run(take_segments(1, 65)).output, testing::HasSubstr("refused: Invalid argument"));
  EXPECT_THAT(trial.run(take_segments(5, 16)).output, testing::HasSubstr("refused: No space left on device"));
  EXPECT_EQ(trial.run("cat /proc/sys/kernel/msgmni").output, "256\n");
  EXPECT_NE(trial.run("echo 99999 > /proc/sys/kernel/shmall").status, 0);
}

SPACE_TEST(SpaceLimitsTest, SeesSegmentsThatNobodyHasAttached) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start(take_segments(4, 16));
  wait_for(command);
  EXPECT_GE(trial.space().memory().look().bytes, 64 * mebibyte);
  EXPECT_EQ(stop_of(trial, {.memory_bytes = 70 * mebibyte}, watched(command)).why.limit, "memory");
  EXPECT_EQ(one_look(trial, {.memory_bytes = 200 * mebibyte}, watched(command)), std::nullopt);
}

SPACE_TEST(SpaceLimitsTest, CountsASegmentThatIsAttachedOnce) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start(
      "exec perl -e '$| = 1; $n = 64 << 20; $id = shmget(0, $n, 01600); $at = syscall(30, $id, 0, 0); "
      "open($f, \"<\", \"/dev/zero\"); syscall(0, fileno($f), $at, $n) == $n or die; print \"r\"; sleep 1000'");
  wait_for(command);
  const pid_t init = *parent_of(command.pid);
  ExactLook look({&init, 1}, trial.space().memory().look());
  EXPECT_TRUE(look.step(Clock::time_point::max()));
  EXPECT_GE(look.sum(), 64 * mebibyte);
  EXPECT_LT(look.sum(), 100 * mebibyte);
}

SPACE_TEST(SpaceLimitsTest, SeesFilesThatLieInMemory) {
  SpaceTrial trial;
  for (const char* folder : {"/tmp", "/dev/shm", "$HOME", "/run/user/$(id -u)"}) {
    const std::string file = std::string(folder) + "/big";
    const SpaceTrial::Background command =
        trial.start("head -c 15728640 /dev/zero > " + file + "; echo; exec sleep 1000");
    wait_for(command);
    const uint64_t held = trial.space().memory().look().bytes;
    EXPECT_GE(held, 15 * mebibyte) << folder;
    EXPECT_LT(held, 20 * mebibyte) << folder;
    EXPECT_EQ(stop_of(trial, {.memory_bytes = 12 * mebibyte}, watched(command)).why.limit, "memory") << folder;
    trial.run("rm " + file);
  }
  EXPECT_LT(trial.space().memory().look().bytes, mebibyte);
}

SPACE_TEST(SpaceLimitsTest, CountsAFileInMemoryThatIsMappedOnce) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start(
      "head -c 62914560 /dev/zero > /dev/shm/big; exec perl -e '$| = 1; open($f, \"<\", \"/dev/shm/big\") or die; "
      "$at = syscall(9, 0, 60 << 20, 1, 0x8001, fileno($f), 0); print \"r\"; sleep 1000'");
  wait_for(command);
  const pid_t init = *parent_of(command.pid);
  EXPECT_GE(look_at(init).memory_bytes, 60 * mebibyte);
  ExactLook look({&init, 1}, trial.space().memory().look());
  EXPECT_TRUE(look.step(Clock::time_point::max()));
  EXPECT_GE(look.sum(), 60 * mebibyte);
  EXPECT_LT(look.sum(), 100 * mebibyte);
}

SPACE_TEST(SpaceLimitsTest, WhoeverComesAfterASessionIsFullCanCleanUp) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  SessionWatch session = watch_over(trial, {.memory_bytes = 40 * mebibyte});
  auto now = Clock::now();
  // Whether it is stopped by one of some looks, each a second after the other.
  const auto is_stopped = [&](const SpaceTrial::Background& command) {
    const SessionWatch::Command one = watched(command);
    for (int i = 0; i < 20; ++i, now += 1s) {
      WatchRound round(std::nullopt, 1s, now);
      if (!session.look({&one, 1}, round).empty()) return true;
    }
    return false;
  };
  const SpaceTrial::Background full = trial.start("head -c 50331648 /dev/zero > /tmp/big; echo; exec sleep 1000");
  wait_for(full);
  EXPECT_TRUE(is_stopped(full));
  const SpaceTrial::Background next = trial.start("echo; exec sleep 1000");
  wait_for(next);
  EXPECT_FALSE(is_stopped(next));
  const SpaceTrial::Background grows = trial.start("head -c 20971520 /dev/zero > /tmp/more; echo; exec sleep 1000");
  wait_for(grows);
  EXPECT_TRUE(is_stopped(grows));
}

SPACE_TEST(SpaceLimitsTest, SeesWhatACommandWritesToTheDisk) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start(
      "exec perl -e '$| = 1; open($f, \">\", \"big\") or die; $x = chr(1) x (1 << 20); syswrite($f, $x) for 1 .. 20; "
      "print \"r\"; sleep 1000'");
  wait_for(command);
  const uint64_t written = look_at(*parent_of(command.pid)).written_bytes;
  EXPECT_GE(written, 20 * mebibyte);
  EXPECT_EQ(stop_of(trial, {.growth_bytes = 20 * mebibyte - 1}, watched(command)),
            (Stop{0, {"disk", 20 * mebibyte - 1, written}}));
  EXPECT_EQ(one_look(trial, {.growth_bytes = 40 * mebibyte}, watched(command)), std::nullopt);
}

SPACE_TEST(SpaceLimitsTest, SeesHowManyFilesACommandMakes) {
  SpaceTrial trial;
  const uint64_t before = look_at_disk(trial.workspace)->files;
  ASSERT_GT(before, 0u);
  const SpaceTrial::Background command = trial.start(
      "exec perl -e '$| = 1; mkdir \"many\"; for (1 .. 4000) { open($f, \">\", \"many/$_\") or die } "
      "print \"r\"; sleep 1000'");
  wait_for(command);
  SessionWatch::Command watched_files = watched(command);
  watched_files.files_at_start = before;
  const Stop stop = stop_of(trial, {.files = 1000}, watched_files);
  EXPECT_EQ(stop.why.limit, "files");
  EXPECT_GT(stop.why.peak, 1000u);
  watched_files.files_at_start = look_at_disk(trial.workspace)->files;
  EXPECT_EQ(one_look(trial, {.files = 1'000'000}, watched_files), std::nullopt);
}

SPACE_TEST(SpaceLimitsTest, ReportsWhatAShortCommandWrote) {
  SpaceTrial trial;
  const SpaceTrial::Background command = trial.start("head -c 4194304 /dev/zero > a; (head -c 4194304 /dev/zero > b)");
  const CommandReport ended = next_report(command);
  EXPECT_EQ(ended.kind, CommandReport::Kind::ended);
  EXPECT_GE(ended.written, 8 * mebibyte);
  EXPECT_LT(ended.written, 16 * mebibyte);
}

// They are nobody's children but the init's.
SPACE_TEST(SpaceLimitsTest, ReportsWhatProcessesWroteThatACommandLetGo) {
  SpaceTrial trial;
  const SpaceTrial::Background command =
      trial.start("(head -c 17825792 /dev/zero > a &); (head -c 17825792 /dev/zero > b &); sleep 1000");
  const pid_t init = *parent_of(command.pid);
  CommandReport report;
  do {
    report = next_report(command);
    EXPECT_EQ(report.kind, CommandReport::Kind::wrote);
    EXPECT_EQ(report.sender, init);
  } while (report.written < 34 * mebibyte);
  EXPECT_LT(look_at(init).written_bytes, mebibyte);
  const SessionWatch::Command heard{.init = init, .written = report.written, .free_at_start = everything};
  EXPECT_EQ(stop_of(trial, {.growth_bytes = 30 * mebibyte}, heard).why.limit, "disk");
}

TEST(SpaceLimitsTest, LooksAtNothingWithoutLimitsOrBeforeTheFirstProcessIsKnown) {
  const SessionWatch::Command unknown{.init = 0, .written = 0, .free_at_start = everything};
  WatchRound round;
  EXPECT_TRUE(SessionWatch({}, "/tmp").look({&unknown, 1}, round).empty());
  EXPECT_TRUE(SessionWatch({.processes = 1}, "/tmp").look({&unknown, 1}, round).empty());
  EXPECT_TRUE(SessionWatch({.processes = 1}, "/tmp").look({}, round).empty());
}

TEST(SpaceLimitsTest, LeavesTheSizeOfAddressSpacesAlone) {
  const ResourceLimits resources = resource_limits({.processes = 7, .memory_bytes = 1 << 20, .file_bytes = 9});
  EXPECT_EQ(resources.data, ResourceLimits::as_it_is);
  EXPECT_EQ(resources.processes, 7u);
  EXPECT_EQ(resources.file_size, 9u);
  EXPECT_EQ(resources.open_files_at_first, ResourceLimits::as_it_is);
}

// Forks as many as it may, says how many that were, and ends them.
constexpr const char* count_forks =
    "exec perl -e 'for (1 .. 100) { $p = fork; last unless defined $p; $p or sleep 1000; push @p, $p } "
    "print scalar @p; kill 9, @p'";

SPACE_TEST(SpaceLimitsTest, StopsForkingAtTheLimitWhateverTheUserRunsElsewhere) {
  std::vector<pid_t> others;  // more than the sandbox may have
  for (int i = 0; i < 40; ++i) {
    others.push_back(::fork());
    if (others.back() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (true) ::pause();
    }
  }
  SpaceTrial trial, other;
  trial.profile.limits.processes = other.profile.limits.processes = 30;
  const SpaceTrial::Background neighbour = other.start("for i in {1..20}; do sleep 1000 & done; echo; wait");
  wait_for(neighbour);
  const int forked = std::atoi(trial.run(count_forks).output.c_str());
  EXPECT_GE(forked, 20);
  EXPECT_LE(forked, 30);
  for (const pid_t pid : others) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

// How an init that was given this file to join begins; it is not in any sandbox, so it does not come far.
CommandReport begin_with_cgroup(UniqueFd file) {
  auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
  const pid_t init = ::fork();
  if (init == 0) {
    CommandOrder order;
    order.argv = {"/bin/true"};
    CommandStreams streams;
    streams.cgroup = std::move(file);
    become(Who::ordinary_user);
    run_command(order, std::move(theirs), std::move(streams));
  }
  theirs.reset();
  const CommandReport report = *receive_report(mine.get());
  ::waitpid(init, nullptr, 0);
  return report;
}

TEST(SpaceLimitsTest, HasTheInitJoinItsCgroupBeforeAnythingElse) {
  const SpaceTrial trial;
  const std::string path = trial.workspace + "/cgroup.procs";
  ASSERT_TRUE(write_file_atomically(path, "x"));
  const CommandReport joined = begin_with_cgroup(*open_file(path, O_WRONLY));
  EXPECT_EQ(*read_file(path), "0");
  EXPECT_EQ(joined.kind, CommandReport::Kind::failed);
  EXPECT_EQ(static_cast<SpaceStep>(joined.value), SpaceStep::mounts);  // the step after it
  const CommandReport refused = begin_with_cgroup(*open_file(path, O_RDONLY));
  EXPECT_EQ(refused.kind, CommandReport::Kind::failed);
  EXPECT_EQ(static_cast<SpaceStep>(refused.value), SpaceStep::limits);
  EXPECT_EQ(refused.other, EBADF);
  EXPECT_STREQ(refused.detail, "join the command's cgroup");
}

}  // namespace
}  // namespace talaria
