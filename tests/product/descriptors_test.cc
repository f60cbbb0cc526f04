// Few descriptors: what cannot be had is refused in words, and nobody dies of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product/low_house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

TEST(DescriptorsTest, ClientsThatNeverReadCostTheGatewayNoDescriptorButTheirOwn) {
  LowHouse house(64);
  const pid_t gateway = house.gateway_pid();
  std::vector<RpcClient> silent;
  for (int i = 0; i < 40; ++i) {
    Result<RpcClient> client = RpcClient::connect(house.home().gateway_socket());
    ASSERT_TRUE(client) << client.error().message();
    // Many answers, so that they do not all fit into the socket.
    for (int request = 0; request < 50; ++request) {
      if (!client->send("tools/list", {})) break;  // refused: too many are connected
    }
    silent.push_back(*std::move(client));
  }
  EXPECT_THAT(house.run({"serve", "--status"}).out, HasSubstr("pid " + std::to_string(gateway) + ","));
  silent.clear();
  await("a place to be free", [&] { return static_cast<bool>(house.connect().call_object("gateway/status", {})); });
  EXPECT_EQ(text_of(house.exec("echo served")), "served\n");
  EXPECT_EQ(house.gateway_pid(), gateway);
}

TEST(DescriptorsTest, InputThatNobodyReadsCostsTheKeeperNoDescriptor) {
  LowHouse house(64);
  const pid_t keeper = house.keeper_pid();
  RpcClient client = house.connect();
  std::vector<std::string> jobs;
  for (int i = 0; i < 16; ++i) {
    const Result<std::string> job = house.start_job(client, "sleep 1000");
    if (!job) break;
    jobs.push_back(*job);
  }
  ASSERT_GE(jobs.size(), 4u);
  // The answers come when the input is taken, which is never: nobody waits for them.
  for (const std::string& job : jobs) {
    ASSERT_TRUE(client.send("jobs/write", {{"id", job}, {"data", std::string(200'000, 'x')}}));
  }
  EXPECT_EQ(status_of(house.process("kill", jobs.front())), "failed");
  EXPECT_EQ(house.keeper_pid(), keeper);
  for (size_t i = 1; i < jobs.size(); ++i) EXPECT_EQ(status_of(house.process("poll", jobs[i])), "running") << i;
}

TEST(DescriptorsTest, OneClientTooManyIsToldSoAndAPersonStillGetsIn) {
  LowHouse house(64);
  std::vector<RpcClient> agents;
  Result<JsonObject> answer = JsonObject();
  while (agents.size() < 64) {
    Result<RpcClient> agent = RpcClient::connect(house.home().gateway_socket());
    ASSERT_TRUE(agent) << agent.error().message();
    answer = agent->call_object("gateway/status", {});
    if (!answer) break;
    agents.push_back(*std::move(agent));
  }
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::conflict);
  EXPECT_EQ(
      answer.error().message(),
      "24 clients are connected to the gateway, which is the most that its limit of open files (64) allows: "
      "disconnect some, or raise the limit and restart from the same shell: ulimit -n NUMBER; talaria serve --replace");
  const Ran person = house.run({"ps"});
  EXPECT_EQ(person.code, 0) << person.err;
}

TEST(DescriptorsTest, ASettingSaysHowManyMayConnectAndHowManyJobsMayRun) {
  PlainHouse house;
  ASSERT_EQ(house.run({"config", "set", "exec.max_jobs", "2"}).code, 0);
  ASSERT_EQ(house.run({"config", "set", "gateway.max_connections", "3"}).code, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(status_of(house.exec("sleep 1000", {{"background", true}})), "running");
  EXPECT_THAT(text_of(house.exec("echo third")), HasSubstr("2 jobs are running, and exec.max_jobs allows 2. End some"));
  std::vector<RpcClient> others;
  for (int i = 0; i < 2; ++i) others.push_back(house.connect());
  RpcClient refused = house.connect();
  const Result<JsonObject> answer = refused.call_object("gateway/status", {});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(),
              HasSubstr("3 clients are connected to the gateway, and gateway.max_connections"));
}

TEST(DescriptorsTest, CommandsGetTheLimitOfWhoStartedTheGateway) {
  PlainHouse house;
  const std::string script = "ulimit -Sn 200 && ulimit -Hn 400 && exec \"$0\" exec 'ulimit -Sn; ulimit -Hn'";
  EXPECT_EQ(house.start_program("/bin/sh", {"-c", script, program_path("talaria")}).finish().out, "200\n400\n");
}

}  // namespace
}  // namespace talaria
