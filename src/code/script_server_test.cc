#include "code/script_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "code/script_trial.h"

namespace talaria {
namespace {

class ScriptServerTest : public ScriptTrial {};

JsonObject answer_to(int64_t id, JsonObject arguments) {
  return {{"id", id}, {"result", {{"got", std::move(arguments)}}}};
}
JsonObject error_for(int64_t id, const char* text) { return {{"id", id}, {"error", text}}; }

TEST_F(ScriptServerTest, AnswersEveryThreadOfEveryProcessWithItsOwnResults) {
  serve();
  begin();
  // A child of a fork has a copy of the lobby's descriptor and makes channels of its own.
  const UniqueFd copy(::fcntl(theirs_.get(), F_DUPFD_CLOEXEC, 0));
  for (int thread = 0; thread < 8; ++thread) {
    script([this, thread, lobby = thread % 2 == 0 ? theirs_.get() : copy.get()] {
      TrialChannel channel(lobby);
      for (int64_t i = 1; i <= 200; ++i) {
        const JsonObject arguments{{"thread", thread}, {"number", i}};
        EXPECT_EQ(channel.call(i % 3 == 0 ? "sync" : "echo", arguments), answer_to(i, arguments));
      }
    });
  }
  run_scripts();
  const RunTally tally = server_->end();
  EXPECT_EQ(tally.calls, 1600);
  EXPECT_EQ(tally.refused, 0);
  EXPECT_EQ(tally.records.size(), 1600u);
  EXPECT_EQ(broken_, std::vector<std::string>());
}

TEST_F(ScriptServerTest, RunsNoMoreThanTheLimitAtOnceAndTakesTheOthersInOrder) {
  serve();
  begin(1000, 8);
  std::vector<std::unique_ptr<TrialChannel>> channels;
  for (int i = 0; i < 20; ++i) channels.push_back(std::make_unique<TrialChannel>(theirs_.get()));
  for (int i = 0; i < 20; ++i) {
    channels[i]->ask("hold", {{"number", i}});
    run_until([&] { return server_->tally().calls == i + 1; });
  }
  EXPECT_EQ(held_.size(), 8u);
  std::vector<int64_t> order;
  while (order.size() < 20) {
    run_until([&] { return held_.size() == std::min<size_t>(8, 20 - order.size()); });
    order.push_back(integer_or(held_.begin()->second.call.arguments, "number"));
    release();
  }
  EXPECT_EQ(most_held_, 8u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(order[i], i);
    EXPECT_EQ(*channels[i]->answer(), answer_to(1, {{"number", i}}));
  }
}

TEST_F(ScriptServerTest, RefusesWithoutCounting) {
  serve();
  begin(2);
  script([this] {
    TrialChannel channel(theirs_.get());
    EXPECT_EQ(channel.call("rm"), error_for(1,
                                            "Tool 'rm' is not available in execute_code. Available: big, echo, "
                                            "fail, gone, hold, sync"));
    EXPECT_EQ(channel.call("echo"), answer_to(2, {}));
    EXPECT_EQ(channel.call("echo"), answer_to(3, {}));
    for (int64_t id = 4; id < 104; ++id) {
      EXPECT_EQ(channel.call("echo"),
                error_for(id, "Tool call limit reached (2). No more tool calls allowed in this execution."));
    }
  });
  run_scripts();
  EXPECT_EQ(server_->tally().calls, 2);
  EXPECT_EQ(server_->tally().refused, 101);
  EXPECT_EQ(server_->tally().records.size(), 2u);
}

TEST_F(ScriptServerTest, ServesOnlyWhileARunIsOn) {
  serve();
  const char* late = "This call came after its run had ended.";
  TrialChannel channel(theirs_.get());
  const auto call = [&](const std::string& tool) {
    JsonObject got;
    std::atomic<bool> there = false;
    std::thread thread([&] { got = channel.call(tool), there = true; });
    run_until([&] { return there.load(); });
    thread.join();
    return got;
  };
  EXPECT_EQ(call("echo"), error_for(1, late));
  begin();
  EXPECT_EQ(call("echo"), answer_to(2, {}));
  EXPECT_EQ(server_->end().calls, 1);
  EXPECT_EQ(call("echo"), error_for(3, late));
  begin();
  EXPECT_EQ(call("echo"), answer_to(4, {}));
  EXPECT_EQ(server_->end().calls, 1);
  EXPECT_EQ(server_->end(), RunTally());
}

TEST_F(ScriptServerTest, FailuresAreAnswersToo) {
  serve();
  begin();
  script([this] {
    TrialChannel channel(theirs_.get());
    EXPECT_EQ(channel.call("fail"), (JsonObject{{"id", 1}, {"result", {{"path", "x"}, {"error", "it failed"}}}}));
    EXPECT_EQ(channel.call("gone"), error_for(2, "the tool is gone"));
    EXPECT_EQ(channel.call("big", {{"bytes", longest_script_frame}}),
              error_for(3,
                        "The result of big is longer than 16 MiB, the most that fits into one answer. Ask for less "
                        "at a time."));
    EXPECT_EQ(channel.call("echo"), answer_to(4, {}));
  });
  run_scripts();
  const RunTally tally = server_->end();
  std::vector<bool> failed;
  for (const CallRecord& record : tally.records) failed.push_back(record.failed);
  EXPECT_EQ(failed, (std::vector<bool>{true, true, true, false}));
}

TEST_F(ScriptServerTest, RecordsWhatWasCalled) {
  serve();
  begin();
  std::string request, answer;
  script([&] {
    TrialChannel channel(theirs_.get());
    request = write_json(JsonObject{{"id", 1}, {"tool", "echo"}, {"args", {{"path", "a b"}, {"content", "12345"}}}});
    channel.send_text(request);
    answer = write_json(*channel.answer());
  });
  run_scripts();
  RunTally tally = server_->end();
  ASSERT_EQ(tally.records.size(), 1u);
  CallRecord& record = tally.records[0];
  EXPECT_GT(record.began, 0s);
  EXPECT_GT(record.took, 0s);
  record.began = record.took = {};
  EXPECT_EQ(tally, (RunTally{.calls = 1,
                             .refused = 0,
                             .result_bytes = answer.size(),
                             .records = {{.tool = "echo",
                                          .arguments = "path=\"a b\" content=(5 bytes)",
                                          .argument_bytes = request.size(),
                                          .result_bytes = answer.size()}}}));
}

TEST_F(ScriptServerTest, TheEndOfARunCancelsWhatIsUnderWayOrWaits) {
  serve();
  begin(100, 2);
  TrialChannel channel(theirs_.get());
  for (int i = 0; i < 5; ++i) channel.ask("hold");
  run_until([&] { return server_->tally().calls == 5; });
  EXPECT_EQ(held_.size(), 2u);
  const RunTally tally = server_->end();
  EXPECT_EQ(cancelled_, 2);
  EXPECT_EQ(alive_operations_, 0);
  for (const CallRecord& record : tally.records) EXPECT_TRUE(record.cancelled);
  for (int64_t id = 1; id <= 5; ++id) {
    EXPECT_EQ(*channel.answer(), error_for(id, "The run ended before this call did; it was cancelled."));
  }
  begin();
  channel.ask("sync");
  run_until([&] { return server_->tally().calls == 1; });
  EXPECT_EQ(*channel.answer(), answer_to(6, {}));
}

TEST_F(ScriptServerTest, AProcessThatIsCutOffHearsNothingMore) {
  serve();
  ASSERT_TRUE(server_->send_run(1, {}, "pass"));
  begin(100, 2);
  TrialChannel channel(theirs_.get()), other(theirs_.get());
  for (int i = 0; i < 5; ++i) channel.ask("hold");
  run_until([&] { return server_->tally().calls == 5; });
  const RunTally tally = server_->cut();
  EXPECT_EQ(tally.calls, 5);
  for (const CallRecord& record : tally.records) EXPECT_TRUE(record.cancelled);
  EXPECT_EQ(cancelled_, 2);
  EXPECT_EQ(server_->end(), RunTally());
  begin();
  TrialChannel late(theirs_.get());
  for (TrialChannel* asking : {&channel, &other, &late}) asking->ask("sync");
  // What comes through the lobby is still heard, and it comes after the offer of the last channel.
  ASSERT_TRUE(send_some(theirs_.get(), R"({"ended": 1, "how": "interrupted", "exit_code": 130})"));
  run_until([&] { return !ends_.empty(); });
  run_until([look = 0]() mutable { return ++look > 5; });
  EXPECT_EQ(last_operation_, 2);
  // Neither answered nor closed: the process goes on waiting.
  for (const TrialChannel* asking : {&channel, &other, &late}) {
    char byte;
    EXPECT_EQ(::recv(asking->fd(), &byte, 1, MSG_DONTWAIT), -1);
    EXPECT_EQ(errno, EAGAIN);
  }
  server_.reset();
  EXPECT_EQ(late.answer(), std::nullopt);
}

TEST_F(ScriptServerTest, WhatIsUnsentWhenAProcessIsCutOffIsNeverSent) {
  serve();
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("big", {{"bytes", 10 << 20}});
  run_until([&] { return server_->tally().calls == 1 && alive_operations_ == 0; });
  (void)server_->cut();
  std::vector<char> buffer(1 << 20);
  size_t got = 0;
  run_until([&, look = 0]() mutable {
    for (ssize_t count; (count = ::recv(channel.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0;) {
      got += static_cast<size_t>(count);
    }
    return ++look > 5;
  });
  EXPECT_LT(got, 10u << 20);
}

TEST_F(ScriptServerTest, AThreadThatDiesTakesItsCallsWithIt) {
  serve();
  begin(100, 1);
  TrialChannel dying(theirs_.get()), living(theirs_.get());
  dying.ask("hold", {{"of", "dying"}});
  run_until([&] { return server_->tally().calls == 1; });
  living.ask("hold", {{"of", "living"}});
  run_until([&] { return server_->tally().calls == 2; });
  dying.ask("hold", {{"of", "dying, waiting"}});
  run_until([&] { return server_->tally().calls == 3; });
  dying.close();
  run_until([&] { return cancelled_ == 1 && held_.size() == 1; });
  EXPECT_EQ(held_.begin()->second.call.arguments, (JsonObject{{"of", "living"}}));
  release();
  EXPECT_EQ(*living.answer(), answer_to(1, {{"of", "living"}}));
  run_until([&] { return alive_operations_ == 0; });
  const RunTally tally = server_->end();
  EXPECT_TRUE(tally.records[0].cancelled);
  EXPECT_FALSE(tally.records[1].cancelled);
  EXPECT_TRUE(tally.records[2].cancelled);
}

TEST_F(ScriptServerTest, SaysHowARunEndedAndWhoSaysHello) {
  serve();
  ASSERT_TRUE(server_->send_run(3, {}, "pass"));
  ASSERT_TRUE(server_->send_hello(8));
  ASSERT_TRUE(send_some(theirs_.get(), R"({"ended": 3, "how": "error", "exit_code": 1})"));
  ASSERT_TRUE(send_some(theirs_.get(), R"({"hello": 8})"));
  run_until([&] { return !hellos_.empty(); });
  EXPECT_EQ(ends_, (std::vector<ScriptRunEnd>{{3, "error", 1}}));
  EXPECT_EQ(hellos_, std::vector<int64_t>{8});
  EXPECT_EQ(closed_, 0);
}

TEST_F(ScriptServerTest, AChannelComesWithTheProgram) {
  serve();
  ASSERT_TRUE(server_->send_run(1, {}, "pass"));
  char buffer[4096];
  Result<Received> received = receive_some(theirs_.get(), buffer, sizeof buffer);
  ASSERT_TRUE(received);
  ASSERT_EQ(received->fds.size(), 2u);
  EXPECT_TRUE(check_channel(received->fds[1].get()));
  begin();
  TrialChannel channel(std::move(received->fds[1]));
  channel.ask("sync");
  run_until([&] { return server_->tally().calls == 1; });
  EXPECT_TRUE(channel.answer());
  EXPECT_EQ(broken_, std::vector<std::string>());
}

TEST_F(ScriptServerTest, OnlyWhatWasAskedForIsAnEndOrAHello) {
  serve();
  const auto send_packet = [this](const char* packet) { EXPECT_TRUE(send_some(theirs_.get(), packet)); };
  for (const char* packet : {R"({"hello": 1})", R"({"ended": 1, "how": "ok", "exit_code": 0})"}) send_packet(packet);
  run_until([look = 0]() mutable { return ++look > 5; });
  ASSERT_TRUE(server_->send_hello(3));
  ASSERT_TRUE(server_->send_run(4, {}, "pass"));
  for (int i = 0; i < 2; ++i) {
    send_packet(R"({"hello": 2})");
    send_packet(R"({"hello": 3})");
    send_packet(R"({"ended": 5, "how": "ok", "exit_code": 0})");
    send_packet(R"({"ended": 4, "how": "exit", "exit_code": 7})");
  }
  run_until([&] { return !hellos_.empty() && !ends_.empty(); });
  ASSERT_TRUE(server_->send_hello(9));
  send_packet(R"({"hello": 9})");
  run_until([&] { return !hellos_.empty() && hellos_.back() == 9; });
  EXPECT_EQ(hellos_, (std::vector<int64_t>{3, 9}));
  EXPECT_EQ(ends_, (std::vector<ScriptRunEnd>{{4, "exit", 7}}));
  EXPECT_EQ(broken_, std::vector<std::string>());
}

TEST_F(ScriptServerTest, SaysOnceThatNobodyHoldsTheLobby) {
  serve();
  ASSERT_TRUE(server_->send_hello(1));
  UniqueFd copy(::fcntl(theirs_.get(), F_DUPFD_CLOEXEC, 0));
  theirs_.reset();
  ASSERT_TRUE(send_some(copy.get(), R"({"hello": 1})"));
  run_until([&] { return !hellos_.empty(); });
  EXPECT_EQ(closed_, 0);
  copy.reset();
  run_until([&] { return closed_ > 0; });
  EXPECT_EQ(closed_, 1);
  EXPECT_EQ(broken_, std::vector<std::string>());
  EXPECT_FALSE(server_->send_hello(1));
}

TEST_F(ScriptServerTest, SendsAProgramOfFiveMegabytesThatNobodyCanChange) {
  serve();
  std::string source;
  while (source.size() < 5'000'000) source += "x = 'Grüße'\n";
  ASSERT_TRUE(server_->send_run(7, {.keep = false, .staging = "/tmp/s", .argv = {"execute_code"}}, source));
  char buffer[4096];
  Result<Received> received = receive_some(theirs_.get(), buffer, sizeof buffer);
  ASSERT_TRUE(received);
  EXPECT_EQ(std::string_view(buffer, received->count),
            R"({"run":7,"keep":false,"staging":"/tmp/s","argv":["execute_code"]})");
  ASSERT_EQ(received->fds.size(), 2u);
  const int program = received->fds[0].get();
  std::string got(source.size() + 1, '\0');
  size_t length = 0;
  for (ssize_t count = 1; count > 0; length += static_cast<size_t>(count)) {
    count = ::read(program, got.data() + length, got.size() - length);  // from where it stands
    ASSERT_GE(count, 0);
  }
  got.resize(length);
  EXPECT_TRUE(got == source);
  EXPECT_EQ(::pwrite(program, "y", 1, 0), -1);
  EXPECT_EQ(::ftruncate(program, 0), -1);
}

TEST_F(ScriptServerTest, TheLobbyIsTheSocketOfThatNumber) {
  struct stat status {};
  ASSERT_EQ(::fstat(theirs_.get(), &status), 0);
  EXPECT_EQ(status.st_ino, inode_);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
}

TEST_F(ScriptServerTest, TellsAProcessThatReadsNothingFromOneThatIsGone) {
  serve();
  Result<> sent = ok;
  for (int i = 0; i < 100'000 && sent; ++i) sent = server_->send_hello(i);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code(), ErrorCode::conflict);
}

TEST_F(ScriptServerTest, ProgressComesThroughButNotWithoutEnd) {
  serve();
  begin();
  script([this] {
    TrialChannel channel(theirs_.get());
    channel.send_text(R"({"progress": {"message": "first", "fraction": 0.25}})");
    for (int i = 0; i < 5000; ++i) channel.send_text(R"({"progress": {"message": "more"}})");
    channel.send_text(R"({"progress": {"message": "last"}})");
    EXPECT_EQ(channel.call("echo"), answer_to(1, {}));
  });
  run_scripts();
  run_until([&] { return progress_.back().message == "last"; });
  EXPECT_EQ(progress_.front(), (ScriptProgress{"first", 0.25}));
  EXPECT_LT(progress_.size(), 500u);
}

}  // namespace
}  // namespace talaria
