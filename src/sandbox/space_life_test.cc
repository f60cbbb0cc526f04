// Sandboxes by the thousand: what one leaves behind, a thousand make visible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::IsEmpty;

struct Traces {
  std::string mounts = *read_file("/proc/self/mountinfo");
  size_t fds = list_directory("/proc/self/fd")->size();
  std::vector<pid_t> processes = descendants_of(::getpid());
  bool operator==(const Traces&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Traces& traces) {
  return out << traces.fds << " fds, " << traces.processes.size() << " processes\n" << traces.mounts;
}

CommandStreams no_streams() {
  return {*open_file("/dev/null", O_RDONLY), *open_file("/dev/null", O_WRONLY), *open_file("/dev/null", O_WRONLY)};
}

// A signal that crosses the end on its way must not hide how it ended.
TEST(SpaceReportTest, IsSeenAlsoFromOneThatLeftSomethingUnread) {
  for (const int flags : {0, static_cast<int>(MSG_PEEK)}) {
    auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
    ASSERT_TRUE(prepare_control(mine.get()));
    const CommandSignal signal{CommandSignal::Kind::signal, SIGINT};
    ASSERT_EQ(::send(mine.get(), &signal, sizeof signal, 0), static_cast<ssize_t>(sizeof signal));
    for (const int code : {1, 2}) {
      const CommandReport report{.kind = CommandReport::Kind::ended, .value = code};
      ASSERT_EQ(::send(theirs.get(), &report, sizeof report, 0), static_cast<ssize_t>(sizeof report));
    }
    theirs.reset();
    for (const int code : {1, 2}) {
      const Result<CommandReport> report = receive_report(mine.get(), flags);
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->value, code);
      if (flags != 0) drop_report(mine.get());
    }
    EXPECT_FALSE(receive_report(mine.get(), flags));
  }
}

SPACE_TEST(SpaceLifeTest, AThousandInARowLeaveNothing) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const SessionPlan plan = trial.session();
  const CommandOrder daemon = trial.order_of({"/bin/sh", "-c", "setsid sleep 1000 & :"});
  trial.end();
  const Traces before;
  for (int i = 0; i < 1000; ++i) {
    SessionSpace space = *SessionSpace::start(plan.space);
    if (i % 3 == 0) continue;  // never used
    ASSERT_EQ(*run_in_space(space, daemon, no_streams()), 0);
  }
  EXPECT_EQ(Traces(), before);
  EXPECT_THAT(*list_directory(trial.workspace), IsEmpty());
}

SPACE_TEST(SpaceLifeTest, FiftyAtOnceLeaveNothing) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const SessionPlan plan = trial.session();
  const CommandOrder order = trial.order_of({"/bin/sleep", "1000"});
  trial.end();
  const Traces before;
  {
    std::vector<SessionSpace> spaces;
    std::vector<UniqueFd> controls;
    for (int i = 0; i < 50; ++i) spaces.push_back(*SessionSpace::start(plan.space));
    for (SessionSpace& space : spaces) {
      auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
      ASSERT_TRUE(prepare_control(mine.get()));
      ASSERT_TRUE(space.command(order, std::move(theirs), no_streams()));
      ASSERT_EQ(receive_report(mine.get())->kind, CommandReport::Kind::started);
      controls.push_back(std::move(mine));
    }
    EXPECT_EQ(descendants_of(::getpid()).size(), 150u);  // each: the first process, the command's first, the command
    EXPECT_EQ(Traces().mounts, before.mounts);
  }
  EXPECT_EQ(Traces(), before);
}

}  // namespace
}  // namespace talaria
