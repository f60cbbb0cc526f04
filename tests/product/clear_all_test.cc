// talaria clear --all: every finished job is forgotten, and what still runs stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class ClearAllTest : public testing::Test {
 protected:
  PlainHouse house_;
};

TEST_F(ClearAllTest, ForgetsEveryFinishedJobAndSaysHowMany) {
  EXPECT_EQ(house_.run({"clear", "--all"}).out, "There was no finished job to forget.\n");
  const std::string running = id_of(house_.exec("sleep 60", {{"background", true}}));
  for (int i = 0; i < 3; ++i) {
    const std::string id = id_of(house_.exec("true", {{"background", true}}));
    EXPECT_EQ(house_.run({"wait", id}).code, 0);
  }
  const Ran cleared = house_.run({"clear", "--all"});
  EXPECT_EQ(cleared.code, 0) << cleared.err;
  EXPECT_EQ(cleared.out, "Forgot 3 finished jobs.\n");
  EXPECT_EQ(house_.run({"ps", "--all", "-q"}).out, running + "\n");

  const std::string last = id_of(house_.exec("true", {{"background", true}}));
  EXPECT_EQ(house_.run({"wait", last}).code, 0);
  EXPECT_EQ(house_.run({"clear", "-a", "--json"}).out, R"({"cleared":1,"ids":[")" + last + "\"],\"kept\":[]}\n");
  EXPECT_EQ(house_.run({"clear"}).code, 2);
  EXPECT_EQ(house_.run({"clear", "--all", running}).code, 2);
}

TEST_F(ClearAllTest, KeepsAJobWhoseProcessesStillRun) {
  const std::string id = id_of(house_.exec("setsid sleep 60 & echo started", {{"background", true}}));
  EXPECT_EQ(house_.run({"wait", id}).code, 0);
  const Ran cleared = house_.run({"clear", "--all"});
  EXPECT_EQ(cleared.out, "There was no finished job to forget.\n");
  EXPECT_THAT(cleared.err, HasSubstr(id + " left processes that still run"));
  EXPECT_EQ(house_.run({"ps", "-q"}).out, id + "\n");
}

}  // namespace
}  // namespace talaria
