// One sandbox never has more processes than it may, however many are started at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

constexpr size_t process_limit = 30;

class ProcessLimitTest : public testing::Test {
 protected:
  ProcessLimitTest() {
    EXPECT_TRUE(make_directories(house_.root()));
    EXPECT_TRUE(write_file_atomically(
        house_.home().config(),
        "sandbox:\n  profile: small\n  profiles:\n    small:\n      base: workspace-write\n      limits:\n"
        "        processes: " +
            std::to_string(process_limit) + "\n"));
  }
  size_t sleeping(pid_t keeper) {
    const std::vector<pid_t> all = descendants_of(keeper);
    return static_cast<size_t>(std::ranges::count_if(all, [](pid_t pid) {
      const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
      return name && *name == "sleep\n";
    }));
  }

  House house_;
};

TEST_F(ProcessLimitTest, StartsBeyondItAreRefusedWithTheReason) {
  constexpr int wanted = 600, at_once = 50;
  const pid_t keeper = house_.keeper_pid();
  RpcClient client = house_.connect();
  size_t running = 0, refused = 0, most = 0;
  std::string reason;
  const auto take_answer = [&] {
    Result<RpcMessage> message = client.wait();
    ASSERT_TRUE(message) << message.error().message();
    const auto* response = std::get_if<RpcResponse>(&*message);
    ASSERT_TRUE(response && std::holds_alternative<Json>(response->outcome));
    const JsonObject& result = std::get<Json>(response->outcome).as_object();
    if (!boolean_or(result, "isError")) ++running;
    else ++refused, reason = text_of(result);
  };
  for (int i = 0; i < wanted + at_once; ++i) {
    if (i < wanted) {
      ASSERT_TRUE(client.send("jobs/start", {{"arguments", JsonObject{{"command", "sleep 1000"}}},
                                             {"client", "cli"},
                                             {"session", JsonObject{{"cwd", house_.workspace()}}}}));
    }
    if (i >= at_once) take_answer();
    if (i % at_once == 0) most = std::max(most, sleeping(keeper));
  }
  EXPECT_EQ(running, process_limit);
  EXPECT_EQ(refused, wanted - process_limit);
  EXPECT_LE(std::max(most, sleeping(keeper)), process_limit);
  EXPECT_THAT(reason, HasSubstr("this sandbox has 30 processes, and 30 is its limit"));
}

}  // namespace
}  // namespace talaria
