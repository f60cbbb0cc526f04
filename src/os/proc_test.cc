#include "os/proc.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace talaria {
namespace {

TEST(ProcTest, SeesAChildUntilItIsReaped) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(parent_of(child), ::getpid());
  EXPECT_TRUE(descends_from(child, ::getpid()));
  EXPECT_FALSE(descends_from(::getpid(), child));
  const std::vector<pid_t> below = descendants_of(::getpid());
  EXPECT_NE(std::find(below.begin(), below.end(), child), below.end());
  EXPECT_GT(private_bytes(child).value_or(0), 0u);
  ::kill(child, SIGKILL);
  siginfo_t info;
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_EQ(state_of(child), 'Z');
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(state_of(child), std::nullopt);
  EXPECT_EQ(parent_of(child), std::nullopt);
}

TEST(ProcTest, ReadsTheEnvironmentAProcessWasStartedWith) {
  EXPECT_EQ(started_with(::getpid(), "NO_SUCH_VARIABLE"), std::nullopt);
  ASSERT_TRUE(::getenv("PATH"));
  EXPECT_EQ(started_with(::getpid(), "PATH"), ::getenv("PATH"));
}

}  // namespace
}  // namespace talaria
