// A keeper that lives and says nothing: nobody waits for it for ever, and it loses nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

TEST(SilentKeeperTest, CallsAreAnsweredAndItsJobsGoOnWhenItSpeaksAgain) {
  PlainHouse house;
  const std::string id = id_of(house.exec("read word; echo got $word", {{"background", true}}));
  const pid_t keeper = house.keeper_pid();
  const std::string named = "the keeper (pid " + std::to_string(keeper) + ") does not answer";
  ASSERT_EQ(::kill(keeper, SIGSTOP), 0);
  EXPECT_THAT(text_of(house.exec("echo never")), HasSubstr(named));
  EXPECT_THAT(text_of(house.process("kill", id)), HasSubstr(named));
  EXPECT_THAT(house.run({"serve", "--status"}).out, HasSubstr(named));
  EXPECT_THAT(text_of(house.process("poll", id)), HasSubstr(named));
  ASSERT_EQ(::kill(keeper, SIGCONT), 0);
  await("service", [&] { return text_of(house.exec("echo served")) == "served\n"; });
  EXPECT_EQ(house.keeper_pid(), keeper);
  EXPECT_EQ(status_of(house.process("write", id, {{"data", "word\n"}})), "running");
  await("its answer", [&] { return text_of(house.process("log", id)).find("got word") != std::string::npos; });
}

}  // namespace
}  // namespace talaria
