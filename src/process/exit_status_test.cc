#include "process/exit_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace talaria {
namespace {

using testing::HasSubstr;

TEST(ExitStatusTest, ReadsRealWaitStatuses) {
  EXPECT_EQ(ExitStatus::from_wait(::system("exit 3")), (ExitStatus{.code = 3, .signal = 0}));
  EXPECT_EQ(ExitStatus::from_wait(::system("kill -TERM $$")), (ExitStatus{.code = 0, .signal = SIGTERM}));
  EXPECT_TRUE(ExitStatus::from_wait(::system("true")).success());
}

TEST(ExitStatusTest, ReadsRealWaitidResults) {
  const auto end_of = [](auto child) {
    const pid_t pid = ::fork();
    if (pid == 0) child();
    siginfo_t info{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED), 0);
    return ExitStatus::from_waitid(info.si_code, info.si_status);
  };
  EXPECT_EQ(end_of([] { ::_exit(7); }), (ExitStatus{.code = 7, .signal = 0}));
  EXPECT_EQ(end_of([] { ::raise(SIGKILL); }), (ExitStatus{.code = 0, .signal = SIGKILL}));
}

TEST(ExitStatusTest, GivesTheCodeAShellWouldSee) {
  EXPECT_EQ((ExitStatus{.code = 2, .signal = 0}).shell_code(), 2);
  EXPECT_EQ((ExitStatus{.code = 0, .signal = SIGKILL}).shell_code(), 137);
}

TEST(ExitStatusTest, NamesSignals) {
  EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
  EXPECT_EQ(signal_name(SIGABRT), "SIGABRT");
  EXPECT_EQ(signal_name(SIGRTMIN), "SIGRTMIN");
  EXPECT_EQ(signal_name(SIGRTMIN + 3), "SIGRTMIN+3");
  EXPECT_EQ(signal_name(99), "signal 99");
}

TEST(ExitStatusTest, ParsesSignals) {
  for (const char* text : {"TERM", "SIGTERM", "sigterm", " Term ", "15"}) EXPECT_EQ(*parse_signal(text), SIGTERM);
  EXPECT_EQ(*parse_signal("RTMIN+2"), SIGRTMIN + 2);
  EXPECT_EQ(*parse_signal("SIGRTMAX"), SIGRTMAX);
}

TEST(ExitStatusTest, EverySignalNameParsesBack) {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number == 32 || number == 33) continue;
    EXPECT_EQ(*parse_signal(signal_name(number)), number);
    EXPECT_EQ(*parse_signal(std::to_string(number)), number);
  }
}

TEST(ExitStatusTest, AnUnknownSignalIsAnErrorThatListsThem) {
  for (const char* text :
       {"", "0", "-9", "32", "65", "9999999999", "TREM", "SIG", "RTMIN+", "RTMIN+99", "RTMIN+-1", "9x"}) {
    const Result<int> signal = parse_signal(text);
    ASSERT_FALSE(signal) << text;
    EXPECT_THAT(signal.error().message(), HasSubstr("known: HUP, INT, "));
  }
  EXPECT_THAT(parse_signal("SIGTEM").error().message(), HasSubstr("near: TERM"));
}

}  // namespace
}  // namespace talaria
