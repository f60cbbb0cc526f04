#include "rpc/server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <thread>

#include "os/file.h"
#include "rpc/client.h"

namespace talaria {
namespace {

// Knows three methods: echo answers, flood sends until it is told to stop, never does not answer.
class TestHandler : public RpcHandler {
 public:
  TestHandler(RpcConnection& connection, Loop& loop, int& alive) : connection_(connection), loop_(loop), alive_(alive) {
    ++alive_;
  }
  ~TestHandler() override {
    if (--alive_ == 0) loop_.stop();
  }

  void handle(RpcRequest request) override {
    if (request.method == "echo") connection_.reply(request.id, request.params);
    if (request.method == "huge") connection_.reply(request.id, JsonObject{{"pad", std::string(longest_line, 'x')}});
    if (request.method == "fail") connection_.fail(request.id, {-32000, "no luck", "conflict"});
    if (request.method == "flood") {
      left_ = integer_or(request.params, "count");
      flood();
    }
  }

  void drained() override { flood(); }

 private:
  void flood() {
    while (left_ > 0 && !connection_.crowded()) connection_.notify("tick", {{"left", --left_}, {"pad", pad_}});
    EXPECT_LT(connection_.queued(), 3u << 20);
  }

  RpcConnection& connection_;
  Loop& loop_;
  int& alive_;
  int64_t left_ = 0;
  std::string pad_ = std::string(100'000, 'x');
};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/talaria-rpc-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    folder_ = pattern;
    Result<UniqueFd> listener = listen_unix(socket());
    ASSERT_TRUE(listener);
    server_.emplace(
        loop_, std::move(*listener),
        [this](RpcConnection& connection) { return std::make_unique<TestHandler>(connection, loop_, alive_); },
        [](const std::string&) {});
    thread_ = std::thread([this] { loop_.run(); });
  }

  // The loop ends with the last handler, so this also proves that every dropped connection was noticed.
  void TearDown() override {
    thread_.join();
    EXPECT_TRUE(remove_tree(folder_));
  }

  std::string socket() const { return folder_ + "/socket"; }

  std::string folder_;
  Loop loop_;
  int alive_ = 0;
  std::optional<RpcServer> server_;
  std::thread thread_;
};

TEST_F(ServerTest, AnswersOverARealSocket) {
  Result<RpcClient> client = RpcClient::connect(socket());
  ASSERT_TRUE(client);
  EXPECT_EQ(*client->call("echo", {{"a", 1}}), Json(JsonObject{{"a", 1}}));
  Result<Json> failed = client->call("fail", {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), Error(ErrorCode::conflict, "no luck"));
}

TEST_F(ServerTest, KeepsAnswersApartThatComeInAnotherOrder) {
  Result<RpcClient> client = RpcClient::connect(socket());
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->send("never", {}));
  Result<int64_t> early = client->send("echo", {{"n", 1}});
  EXPECT_EQ(*client->call("echo", {{"n", 2}}), Json(JsonObject{{"n", 2}}));
  EXPECT_EQ(*client->wait(), RpcMessage(RpcResponse{*early, Json(JsonObject{{"n", 1}})}));
}

TEST_F(ServerTest, HoldsTheSenderBackWhileTheClientDoesNotRead) {
  Result<RpcClient> client = RpcClient::connect(socket());
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->send("flood", {{"count", 200}}));
  for (int64_t expected = 199; expected >= 0; --expected) {
    Result<RpcMessage> message = client->wait();
    ASSERT_TRUE(message);
    ASSERT_EQ(integer_or(std::get<RpcNotification>(*message).params, "left", -1), expected);
  }
}

TEST_F(ServerTest, SendsABigRequestWhileAnswersPileUp) {
  Result<RpcClient> client = RpcClient::connect(socket());
  ASSERT_TRUE(client);
  const std::string pad(1 << 20, 'y');
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client->send("echo", {{"pad", pad}}));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client->wait());
}

TEST_F(ServerTest, SaysSoWhenAnAnswerIsTooLong) {
  Result<RpcClient> client = RpcClient::connect(socket());
  ASSERT_TRUE(client);
  Result<Json> answer = client->call("huge", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::invalid_argument);
}

TEST_F(ServerTest, RefusesALineThatIsTooLongAndGoesOn) {
  Result<UniqueFd> fd = connect_unix(socket());
  ASSERT_TRUE(fd);
  ASSERT_TRUE(write_all(fd->get(), std::string(longest_line + 10, ' ') + "\n" + write_request(1, "echo", {})));
  std::string answers;
  while (std::count(answers.begin(), answers.end(), '\n') < 2) {
    char buffer[4096];
    const ssize_t count = ::read(fd->get(), buffer, sizeof buffer);
    ASSERT_GT(count, 0);
    answers.append(buffer, static_cast<size_t>(count));
  }
  EXPECT_NE(answers.find("-32700"), std::string::npos);
  EXPECT_NE(answers.find(R"("id":1,"result":{})"), std::string::npos);
}

TEST_F(ServerTest, TellsTheClientThatTheConnectionIsGone) {
  Result<UniqueFd> hold = connect_unix(socket());
  auto pair = socket_pair(SOCK_STREAM);
  ASSERT_TRUE(pair);
  RpcClient client(std::move(pair->first));
  pair->second.reset();
  Result<Json> answer = client.call("echo", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::unavailable);
}

}  // namespace
}  // namespace talaria
