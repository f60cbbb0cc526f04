// What one connection may have, and what it cannot do to others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class ConnectionTest : public testing::Test {
 protected:
  JsonObject start_params(const std::string& id, const std::string& command, const std::string& session = "") {
    JsonObject place{{"cwd", house_.workspace()}};
    if (!session.empty()) place["name"] = session;
    return {{"arguments", JsonObject{{"command", command}}}, {"id", id}, {"session", std::move(place)}};
  }

  PlainHouse house_;
};

TEST_F(ConnectionTest, SubscriptionsHaveALimitAndCanBeGivenUpWhenItIsReached) {
  RpcClient client = house_.connect();
  constexpr int most = 1024;
  for (int i = 0; i <= most; ++i) ASSERT_TRUE(client.send("events/subscribe", {{"all", true}}));
  std::vector<int64_t> open;
  std::string refused;
  for (int i = 0; i <= most; ++i) {
    Result<RpcMessage> message = client.wait();
    ASSERT_TRUE(message) << message.error().message();
    const auto* response = std::get_if<RpcResponse>(&*message);
    ASSERT_NE(response, nullptr);
    if (const auto* error = std::get_if<RpcError>(&response->outcome)) refused += error->message;
    else open.push_back(integer_or(std::get<Json>(response->outcome).as_object(), "subscription"));
  }
  EXPECT_EQ(open.size(), static_cast<size_t>(most));
  EXPECT_THAT(refused, HasSubstr("1,024 subscriptions are open"));
  EXPECT_THAT(refused, HasSubstr("events/unsubscribe"));
  ASSERT_TRUE(client.call("events/unsubscribe", {{"subscription", open.front()}}));
  EXPECT_TRUE(client.call("events/subscribe", {{"all", true}}));
}

TEST_F(ConnectionTest, ASubscriptionThatIsGivenUpLeavesThoseOfOtherConnectionsAlone) {
  RpcClient mine = house_.connect(), other = house_.connect();
  ASSERT_TRUE(mine.call("jobs/start", [&] {
    JsonObject params = start_params("aaaabbbb", "cat");
    params["stdin"] = "pipe";
    return params;
  }()));
  const auto subscribe = [&](RpcClient& client) {
    const Result<JsonObject> made = client.call_object("jobs/subscribe", {{"id", "aaaabbbb"}});
    EXPECT_TRUE(made);
    return made ? integer_or(*made, "subscription") : 0;
  };
  const int64_t number = subscribe(mine);
  // Both count for themselves, so the other has one of the same number sooner or later.
  for (int64_t theirs = 0; theirs <= number; ++theirs) (void)other.call("jobs/unsubscribe", {{"subscription", theirs}});
  (void)subscribe(other);
  for (int64_t theirs = 0; theirs <= number; ++theirs) (void)other.call("jobs/unsubscribe", {{"subscription", theirs}});
  ASSERT_TRUE(other.call("jobs/write", {{"id", "aaaabbbb"}, {"eof", true}}));
  while (true) {
    Result<RpcMessage> message = mine.wait();
    ASSERT_TRUE(message);
    const auto* told = std::get_if<RpcNotification>(&*message);
    if (told && told->method == "jobs/ended") break;
  }
}

TEST_F(ConnectionTest, AStartThatNamesAForeignJobIsRefused) {
  RpcClient client = house_.connect();
  const Result<JsonObject> first = client.call_object("jobs/start", start_params("aaaabbbb", "sleep 60"));
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(status_of(*first), "running");
  RpcClient other = house_.connect();
  // The same client after a lost connection: the job is his.
  const Result<JsonObject> again = other.call_object("jobs/start", start_params("aaaabbbb", "sleep 60"));
  ASSERT_TRUE(again);
  EXPECT_EQ(integer_or(details_of(*again), "pid"), integer_or(details_of(*first), "pid"));
  for (const JsonObject& params :
       {start_params("aaaabbbb", "echo mine"), start_params("aaaabbbb", "sleep 60", "another")}) {
    const Result<JsonObject> foreign = other.call_object("jobs/start", params);
    ASSERT_TRUE(foreign);
    EXPECT_TRUE(boolean_or(*foreign, "isError")) << write_json(*foreign);
    EXPECT_THAT(text_of(*foreign), HasSubstr("the id aaaabbbb belongs to another job"));
    EXPECT_EQ(text_or(details_of(*foreign), "pid"), "");
  }
  // Also when it is over, and when another gateway asks.
  house_.process("kill", "aaaabbbb");
  house_.kill_gateway();
  RpcClient later = house_.connect();
  const Result<JsonObject> foreign = later.call_object("jobs/start", start_params("aaaabbbb", "echo mine"));
  ASSERT_TRUE(foreign);
  EXPECT_THAT(text_of(*foreign), HasSubstr("belongs to another job"));
}

TEST_F(ConnectionTest, TwoStartsOfTheSameJobAtOnceAreBothAnswered) {
  RpcClient one = house_.connect(), two = house_.connect();
  // A fresh gateway has yet to learn the environment, so both wait for it together.
  house_.kill_gateway();
  one = house_.connect();
  two = house_.connect();
  ASSERT_TRUE(one.send("jobs/start", start_params("aaaabbbb", "sleep 60")));
  ASSERT_TRUE(two.send("jobs/start", start_params("aaaabbbb", "sleep 60")));
  std::vector<int64_t> pids;
  for (RpcClient* client : {&one, &two}) {
    Result<RpcMessage> message = client->wait();
    ASSERT_TRUE(message);
    const auto* response = std::get_if<RpcResponse>(&*message);
    ASSERT_TRUE(response && std::holds_alternative<Json>(response->outcome));
    pids.push_back(integer_or(details_of(std::get<Json>(response->outcome).as_object()), "pid"));
  }
  EXPECT_GT(pids[0], 0);
  EXPECT_EQ(pids[0], pids[1]);
}

TEST_F(ConnectionTest, AGatewayWithoutAPlaceForUsIsStoppedAllTheSame) {
  const std::string job = id_of(house_.exec("sleep 300", {{"background", true}}));
  ASSERT_EQ(house_.run({"config", "set", "gateway.max_connections", "1"}).code, 0);
  // As many as fit, also into the places that are kept for this program. One that comes while another asks finds none.
  std::vector<Running> waiting;
  await("the gateway to have no place left", [&] {
    waiting.push_back(house_.start({"wait", job}));
    return house_.run({"ps"}).err.find("are connected") != std::string::npos;
  });
  const Ran stopped = house_.run({"serve", "--stop"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  // Those who wait start another gateway: none may be on its way when the home is removed.
  ASSERT_EQ(house_.run({"config", "set", "gateway.max_connections", "0"}).code, 0);
  await("the job to be ended", [&] { return house_.run({"kill", job}).code == 0; });
  for (Running& client : waiting) (void)client.finish();
}

TEST_F(ConnectionTest, AHigherLimitHoldsAtOnce) {
  ASSERT_EQ(house_.run({"config", "set", "gateway.max_connections", "1"}).code, 0);
  RpcClient first = house_.connect();
  ASSERT_TRUE(first.call("gateway/status", {}));
  {
    RpcClient refused = house_.connect();
    EXPECT_FALSE(refused.call("gateway/status", {}));
  }
  ASSERT_EQ(house_.run({"config", "set", "gateway.max_connections", "5"}).code, 0);
  RpcClient second = house_.connect();
  EXPECT_TRUE(second.call("gateway/status", {}));
}

TEST_F(ConnectionTest, JobsThatEndWithTheGatewayAreKeptAsEndedHoweverYoung) {
  const std::string job = id_of(house_.exec("echo hello; sleep 300", {{"background", true}}));
  ASSERT_EQ(house_.run({"serve", "--stop", "--end-jobs"}).code, 0);
  EXPECT_EQ(status_of(house_.process("poll", job)), "failed");
  EXPECT_THAT(house_.run({"log", job}).out, HasSubstr("hello"));
}

}  // namespace
}  // namespace talaria
