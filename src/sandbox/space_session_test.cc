// How sessions live and end.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "base/clock.h"
#include "os/proc.h"
#include "sandbox/space.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// Waits for the text on a pipe, at most ten seconds.
bool says(const UniqueFd& output, std::string_view text) {
  std::string got;
  const auto deadline = Clock::now() + 10s;
  while (Clock::now() < deadline) {
    pollfd watched{output.get(), POLLIN, 0};
    char buffer[512];
    if (::poll(&watched, 1, 100) <= 0) continue;
    const ssize_t count = ::read(output.get(), buffer, sizeof buffer);
    if (count <= 0) return false;
    got.append(buffer, static_cast<size_t>(count));
    if (got.find(text) != std::string::npos) return true;
  }
  return false;
}

bool ends(const UniqueFd& pidfd) {
  pollfd watched{pidfd.get(), POLLIN, 0};
  return ::poll(&watched, 1, 10'000) == 1;
}

UniqueFd pidfd_of(pid_t pid) { return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

constexpr const char* server =
    "perl -MIO::Socket -e '$s = IO::Socket::INET->new(LocalAddr => \"127.0.0.1:8123\", Listen => 1) or die; "
    "$| = 1; print \"ready\\n\"; while ($c = $s->accept) { print $c \"hello from inside\\n\"; close $c }'";

SPACE_TEST(SpaceSessionTest, LetsTwoCommandsTalkOverLoopback) {
  SpaceTrial trial;
  const SpaceTrial::Background listening = trial.start(server);
  ASSERT_TRUE(says(listening.output, "ready"));
  EXPECT_EQ(trial.run("cat < /dev/tcp/127.0.0.1/8123"), (Outcome{0, "hello from inside\n"}));
  SpaceTrial other;
  EXPECT_THAT(other.run("cat < /dev/tcp/127.0.0.1/8123").output, HasSubstr("Connection refused"));
}

SPACE_TEST(SpaceSessionTest, ReachesNothingOutside) {
  const UniqueFd host(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(host.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(host.get(), 1), 0);
  ASSERT_EQ(::getsockname(host.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string connect = "exec 5<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port));
  SpaceTrial trial;
  EXPECT_THAT(trial.run(connect).output, HasSubstr("Connection refused"));
  EXPECT_THAT(trial.run("exec 5<>/dev/tcp/10.0.0.1/80").output, HasSubstr("Network is unreachable"));
  EXPECT_EQ(trial.run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").output, "lo\n");
  SpaceTrial on;
  on.profile.network = NetworkMode::on;
  EXPECT_EQ(on.run(connect).status, 0);
}

SPACE_TEST(SpaceSessionTest, GivesATerminalOfItsOwn) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  Pty pty = *trial.space().terminal({.rows = 33, .cols = 99});
  auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
  CommandOrder order = trial.order_of({"/bin/bash", "-c", "tty; stty size; echo > /dev/tty; ls /dev/pts"});
  order.terminal = true;
  UniqueFd output(::dup(pty.slave.get())), errors(::dup(pty.slave.get()));
  ASSERT_TRUE(
      trial.space().command(order, std::move(theirs), {std::move(pty.slave), std::move(output), std::move(errors)}));
  EXPECT_TRUE(says(pty.master, "/dev/pts/0\r\n33 99\r\n\r\n0  ptmx\r\n"));
}

SPACE_TEST(SpaceSessionTest, ReportsWhatACommandLeavesAndEndsItWithItsControl) {
  SpaceTrial trial;
  SpaceTrial::Background command = trial.start("setsid sleep 1000 & exit 7");
  const CommandReport ended = *receive_report(command.control.get());
  EXPECT_EQ(ended.kind, CommandReport::Kind::ended);
  EXPECT_EQ(WEXITSTATUS(ended.value), 7);
  EXPECT_EQ(ended.other, 1);
  ASSERT_EQ(descendants_of(trial.space().pid()).size(), 2u);  // its init, and sleep
  const UniqueFd left = pidfd_of(descendants_of(trial.space().pid()).back());
  command.control.reset();
  EXPECT_TRUE(ends(left));
}

SPACE_TEST(SpaceSessionTest, SignalsAWholeCommand) {
  SpaceTrial trial;
  const SpaceTrial::Background command =
      trial.start("trap 'echo got it' USR1; echo ready; while :; do read -t 1; done");
  EXPECT_TRUE(descends_from(command.pid, trial.space().pid()));
  ASSERT_TRUE(says(command.output, "ready"));
  const CommandSignal poke{CommandSignal::Kind::signal, SIGUSR1};
  ASSERT_GT(::send(command.control.get(), &poke, sizeof poke, 0), 0);
  EXPECT_TRUE(says(command.output, "got it"));
  const CommandSignal end{CommandSignal::Kind::end, 0};
  ASSERT_GT(::send(command.control.get(), &end, sizeof end, 0), 0);
  EXPECT_EQ(receive_report(command.control.get())->value, SIGKILL);
}

SPACE_TEST(SpaceSessionTest, NamesTheStepThatFailed) {
  SpaceTrial trial;
  EXPECT_EQ(trial.run_program({"/nowhere/program"}).output,
            "set up the sandbox, step exec: /nowhere/program: No such file or directory");
  trial.run("true");
  CommandOrder order = trial.order_of({"/bin/true"});
  order.cwd = "/nowhere";
  Result<int> status = run_in_space(
      trial.space(), order,
      {*open_file("/dev/null", O_RDONLY), *open_file("/dev/null", O_WRONLY), *open_file("/dev/null", O_WRONLY)});
  EXPECT_EQ(status.error().message(), "set up the sandbox, step cwd: /nowhere: No such file or directory");
  SpacePlan plan = trial.session().space;
  plan.mounts.steps.push_back({.kind = MountKind::bind, .target = "/tmp/x", .source = "/nowhere"});
  EXPECT_EQ(SessionSpace::start(plan).error().message(),
            "set up the sandbox, step mounts: bind /tmp/x: open /nowhere: No such file or directory");
}

SPACE_TEST(SpaceSessionTest, MakesTheSameSandboxFromAPlanThatTravelled) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const SpacePlan& plan = trial.session().space;
  EXPECT_EQ(*space_plan_from_json(*parse_json_object(write_json(to_json(plan)))), plan);
}

// The one who started it is gone without a word: so is the sandbox.
SPACE_TEST(SpaceSessionTest, DiesWithTheOneWhoStartedIt) {
  auto [reading, writing] = *make_pipe();
  const pid_t owner = ::fork();
  if (owner == 0) {
    SpaceTrial trial;
    const SpaceTrial::Background command = trial.start("sleep 1000 & sleep 1000");
    const pid_t pids[] = {trial.space().pid(), command.pid};
    (void)!::write(writing.get(), pids, sizeof pids);
    (void)remove_tree(trial.root);
    ::raise(SIGKILL);
  }
  pid_t pids[2] = {};
  ASSERT_EQ(::read(reading.get(), pids, sizeof pids), static_cast<ssize_t>(sizeof pids));
  const UniqueFd holder = pidfd_of(pids[0]), command = pidfd_of(pids[1]);
  ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
  EXPECT_TRUE(!holder || ends(holder));
  EXPECT_TRUE(!command || ends(command));
}

// As a spawner does it: the sandbox is a child of the one above, and ends with the spawner's socket.
SPACE_TEST(SpaceSessionTest, CanBeTheChildOfItsStartersParent) {
  auto [reading, writing] = *make_pipe();
  const pid_t spawner = ::fork();
  if (spawner == 0) {
    SpaceTrial trial;
    if (!trial.prepare().empty()) ::_exit(1);
    Result<SessionSpace> space = SessionSpace::start(trial.session().space, SpaceParent::callers_parent);
    const pid_t pid = space ? space->pid() : 0;
    (void)!::write(writing.get(), &pid, sizeof pid);
    (void)remove_tree(trial.root);
    ::_exit(space ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(spawner, &status, 0), spawner);
  ASSERT_EQ(status, 0);
  pid_t pid = 0;
  ASSERT_EQ(::read(reading.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
}

size_t count_of(const std::string& folder) { return list_directory(folder)->size(); }

SPACE_TEST(SpaceSessionTest, LeavesNothingBehindAfterFiftyInARow) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const SessionPlan plan = trial.session();
  trial.end();
  const std::string mounts = *read_file("/proc/self/mountinfo");
  const size_t fds = count_of("/proc/self/fd");
  for (int i = 0; i < 50; ++i) {
    SessionSpace space = *SessionSpace::start(plan.space);
    CommandOrder order = trial.order_of({"/bin/bash", "-c", "setsid sleep 1000 & true"});
    ASSERT_EQ(*run_in_space(space, order,
                            {*open_file("/dev/null", O_RDONLY), *open_file("/dev/null", O_WRONLY),
                             *open_file("/dev/null", O_WRONLY)}),
              0);
  }
  EXPECT_EQ(descendants_of(::getpid()), std::vector<pid_t>());
  EXPECT_EQ(*read_file("/proc/self/mountinfo"), mounts);
  EXPECT_EQ(count_of("/proc/self/fd"), fds);
  EXPECT_EQ(*list_directory(trial.workspace), std::vector<std::string>());
}

// Reported, never asserted: times belong to the benchmarks.
SPACE_TEST(SpaceSessionTest, TellsHowLongItTakes) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const auto median = [](auto&& action) {
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
      const auto start = Clock::now();
      action();
      times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return std::to_string(times.front()) + " / " + std::to_string(times[times.size() / 2]) + " ms";
  };
  std::cout << "session (least / median): " << median([&] { EXPECT_TRUE(SessionSpace::start(trial.session().space)); })
            << "\ncommand: " << median([&] { EXPECT_EQ(trial.run_program({"/bin/true"}).status, 0); }) << std::endl;
}

}  // namespace
}  // namespace talaria
