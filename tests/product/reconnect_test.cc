// What the command line does when the gateway goes away under it, at the worst moments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/file.h"
#include "product/fake_gateway.h"
#include "product/house.h"
#include "rpc/base64.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class ReconnectTest : public testing::Test {
 protected:
  // The answers of a gateway that has the job of any id.
  static std::string started(const JsonObject& request) {
    const std::string id = text_or(request.at("params").as_object(), "id");
    return answer_line(request, {{"content", JsonArray()}, {"details", {{"sessionId", id}, {"status", "running"}}}});
  }
  static std::string subscribed(const JsonObject& request) {
    return answer_line(request, {{"subscription", 1}, {"id", "x"}});
  }
  static std::string unavailable(const JsonObject& request) {
    const JsonObject error{{"code", -32000}, {"message", "no keeper"}, {"data", {{"code", "unavailable"}}}};
    return write_json(JsonObject{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"error", error}}) + "\n";
  }
  static std::string ended(int exit_code) {
    return notice_line("jobs/ended", {{"subscription", 1},
                                      {"id", "x"},
                                      {"text", ""},
                                      {"details", {{"status", "completed"}, {"exitCode", exit_code}}}});
  }
  static std::string printed(uint64_t offset, const std::string& data) {
    return notice_line("jobs/output", {{"subscription", 1},
                                       {"id", "x"},
                                       {"offset", offset},
                                       {"next", offset + data.size()},
                                       {"data", base64_encode(data)}});
  }
  static std::string method_of(const JsonObject& request) { return text_or(request, "method"); }
  // One that reads what the first connection asks for and goes away.
  FakeGateway dying() const {
    return {house_.home(), 1, [](int, const JsonObject&) { return FakeAnswer{"", true}; }};
  }

  PlainHouse house_;
};

TEST_F(ReconnectTest, AnEndThatComesWithTheAnswerToANewSubscriptionEndsIt) {
  for (const char* command : {"exec", "log"}) {
    FakeGateway gateway(house_.home(), 2, [](int connection, const JsonObject& request) -> FakeAnswer {
      if (method_of(request) == "jobs/start") return {started(request)};
      if (connection == 0) return {subscribed(request) + printed(0, "one\n"), true};
      return {subscribed(request) + printed(4, "two\n") + ended(0)};
    });
    Running client = command == std::string("exec") ? house_.start({"exec", "--no-stdin", "anything"})
                                                    : house_.start({"log", "--follow", "k3f9k3f9"});
    const Ran ran = client.finish();
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.err;
    EXPECT_EQ(ran.out, "one\ntwo\n") << command;
  }
}

TEST_F(ReconnectTest, AnEndBeforeWhichNothingCameEndsItToo) {
  FakeGateway gateway(house_.home(), 2, [](int connection, const JsonObject& request) -> FakeAnswer {
    if (method_of(request) == "jobs/start") return {started(request), connection == 0};
    return {subscribed(request) + ended(7)};
  });
  EXPECT_EQ(house_.run({"exec", "--no-stdin", "anything"}).code, 7);
}

TEST_F(ReconnectTest, InputThatCouldNotReachTheKeeperIsSentAgain) {
  std::string taken;
  int refused = 0;
  FakeGateway gateway(house_.home(), 1, [&](int, const JsonObject& request) -> FakeAnswer {
    const JsonObject& params = request.at("params").as_object();
    if (method_of(request) == "jobs/start") return {started(request)};
    if (method_of(request) != "jobs/write") return {subscribed(request)};
    EXPECT_EQ(integer_or(params, "at"), static_cast<int64_t>(taken.size()));
    if (++refused % 3 != 0) return {unavailable(request)};
    taken += *base64_decode(text_or(params, "data"));
    return {answer_line(request, {{"accepted", 1}}) + (boolean_or(params, "eof") ? ended(6) : "")};
  });
  const Ran ran = house_.run({"exec", "anything"}, "all of it");
  EXPECT_EQ(ran.code, 6) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("input")));
  gateway.finish();
  EXPECT_EQ(taken, "all of it");
}

TEST_F(ReconnectTest, AQuietCommandIsFollowedThroughAnyNumberOfRestarts) {
  FakeGateway gateway(house_.home(), 9, [](int connection, const JsonObject& request) -> FakeAnswer {
    if (method_of(request) == "jobs/start") return {started(request)};
    if (connection < 8) return {subscribed(request), true};
    return {subscribed(request) + ended(3)};
  });
  const Ran ran = house_.run({"exec", "--no-stdin", "anything"});
  EXPECT_EQ(ran.code, 3) << ran.err;
}

TEST_F(ReconnectTest, WaitGoesOnThroughAnyNumberOfRestarts) {
  FakeGateway gateway(house_.home(), 9, [](int connection, const JsonObject& request) -> FakeAnswer {
    const JsonObject& arguments = request.at("params").at("arguments").as_object();
    if (integer_or(arguments, "timeout") == 0)
      return {
          answer_line(request, {{"content", JsonArray()}, {"details", {{"status", "running"}, {"timedOut", true}}}})};
    if (connection < 8) return {"", true};
    return {answer_line(request, {{"content", JsonArray()}, {"details", {{"status", "completed"}, {"exitCode", 5}}}})};
  });
  const Ran ran = house_.run({"wait", "k3f9k3f9"});
  EXPECT_EQ(ran.code, 5) << ran.err;
}

TEST_F(ReconnectTest, WaitGivesUpWhenNoGatewayEverAnswers) {
  FakeGateway gateway(house_.home(), 6, [](int, const JsonObject&) { return FakeAnswer{"", true}; });
  const Ran ran = house_.run({"wait", "k3f9k3f9"});
  EXPECT_EQ(ran.code, 125);
  EXPECT_THAT(ran.err, HasSubstr("the gateway closed the connection"));
}

TEST_F(ReconnectTest, WhatOnlyReadsIsAskedOfTheNextGateway) {
  const std::string id(trim(house_.run({"exec", "-b", "echo hello"}).out));
  ASSERT_EQ(house_.run({"wait", id}).code, 0);
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/file", "text\n", 0600, Durable::no));
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
      {{"ps", "-q"}, id + "\n"},
      {{"log", id}, "hello\n"},
      {{"log", "--raw", id}, "hello\n"},
      {{"poll", id}, "hello\n"},
      {{"poll", "--offset", "0", id}, "hello\n"},
      {{"wait", id}, ""},
      {{"read", "file"}, "text\n"},
  };
  for (const auto& [command, expected] : commands) {
    ASSERT_EQ(house_.run({"serve", "--stop"}).code, 0);
    FakeGateway gateway = dying();
    const Ran ran = house_.run(command);
    EXPECT_EQ(ran.code, 0) << command.front() << ": " << ran.err;
    EXPECT_EQ(ran.out, expected) << command.front();
    EXPECT_THAT(gateway.finish(), SizeIs(1)) << command.front();
  }
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"tool", "--list"}, {"tools"}, {"tool", "read_file", R"({"path": "file"})"}, {"skills", "list"}}) {
    ASSERT_EQ(house_.run({"serve", "--stop"}).code, 0);
    FakeGateway gateway = dying();
    const Ran ran = house_.run(command);
    EXPECT_EQ(ran.code, 0) << command.front() << ": " << ran.err;
  }
}

TEST_F(ReconnectTest, ABackgroundCommandIsStartedOnceWhoeverAnswers) {
  FakeGateway gateway = dying();
  const Ran ran = house_.run({"exec", "-b", "echo x >> marks"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(house_.run({"wait", std::string(trim(ran.out))}).code, 0);
  EXPECT_EQ(*read_file(house_.workspace() + "/marks"), "x\n");
}

TEST_F(ReconnectTest, WhatMayHaveRunSaysSoAndIsNotRepeated) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"kill", "k3f9"},
                                             {"write", "k3f9", "text"},
                                             {"submit", "k3f9"},
                                             {"rm", "k3f9"},
                                             {"tool", "exec", R"({"command": "true"})"},
                                             {"tool", "write_file", R"({"path": "file", "content": ""})"},
                                             {"patch", "file", "--old", "a", "--new", "b"}}) {
    FakeGateway gateway = dying();
    const Ran ran = house_.run(command);
    EXPECT_NE(ran.code, 0) << command.front();
    EXPECT_THAT(ran.err, HasSubstr("the gateway went away before it answered; the call may have run"))
        << command.front();
    EXPECT_THAT(gateway.finish(), SizeIs(1)) << command.front();
  }
  EXPECT_FALSE(exists(house_.home().gateway_socket()));
}

TEST_F(ReconnectTest, APollWhoseAnswerWasLostSaysWhereTheRestIs) {
  const std::string id(trim(house_.run({"exec", "-b", "echo hello"}).out));
  ASSERT_EQ(house_.run({"wait", id}).code, 0);
  ASSERT_EQ(house_.run({"serve", "--stop"}).code, 0);
  FakeGateway gateway = dying();
  EXPECT_THAT(house_.run({"poll", id}).err, HasSubstr("talaria log " + id + " has what may be missing here"));
}

TEST_F(ReconnectTest, ALostRangeIsSaidOnceAtItsPlace) {
  FakeGateway gateway(house_.home(), 1, [](int, const JsonObject& request) -> FakeAnswer {
    if (method_of(request) == "jobs/start") return {started(request)};
    const auto lost = [](uint64_t offset, uint64_t count, const std::string& data) {
      return notice_line("jobs/output", {{"subscription", 1},
                                         {"id", "x"},
                                         {"offset", offset},
                                         {"next", offset + data.size()},
                                         {"data", base64_encode(data)},
                                         {"lost", count},
                                         {"lostBecause", "the disk was full"}});
    };
    return {subscribed(request) + printed(0, "one\n") + lost(1000, 996, "") + lost(1004, 4, "") +
            lost(2004, 1000, "two\n") + ended(0)};
  });
  const Ran ran = house_.run({"exec", "--no-stdin", "anything"});
  EXPECT_EQ(ran.code, 125);
  EXPECT_EQ(ran.out, "one\ntwo\n");
  EXPECT_EQ(ran.err,
            "[2,000 bytes of output were lost: the disk was full]\n"
            "talaria: the output is not whole; the command's own exit code was 0\n");
}

}  // namespace
}  // namespace talaria
