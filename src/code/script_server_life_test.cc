// Whoever uses a server may destroy it from inside every one of its callbacks, and end or begin runs there.
#include <gtest/gtest.h>

#include "code/script_trial.h"

namespace talaria {
namespace {

class ScriptServerLifeTest : public ScriptTrial {
 protected:
  bool gone() const { return !server_; }
};

TEST_F(ScriptServerLifeTest, MayBeDestroyedByACallThatBegins) {
  ScriptServer::Events wanted = events();
  wanted.call = [this](ScriptCall call, Done<ToolResult> done) {
    OperationPtr operation = start(std::move(call), std::move(done));
    server_.reset();
    return operation;
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("hold");
  channel.ask("hold");
  run_until([this] { return gone(); });
  EXPECT_EQ(alive_operations_, 0);
  EXPECT_EQ(channel.answer(), std::nullopt);
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByACallThatIsAnsweredAtOnce) {
  ScriptServer::Events wanted = events();
  wanted.call = [this](ScriptCall call, Done<ToolResult> done) {
    OperationPtr operation = start(std::move(call), std::move(done));
    server_.reset();
    return operation;
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("sync");
  run_until([this] { return gone(); });
  EXPECT_EQ(integer_or(channel.answer().value_or(JsonObject()), "id"), 1);
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByACallThatWaited) {
  ScriptServer::Events wanted = events();
  wanted.call = [this](ScriptCall call, Done<ToolResult> done) {
    OperationPtr operation = start(std::move(call), std::move(done));
    if (last_operation_ == 2) server_.reset();
    return operation;
  };
  serve(std::move(wanted));
  begin(100, 1);
  TrialChannel channel(theirs_.get());
  for (int i = 0; i < 3; ++i) channel.ask("echo");
  run_until([this] { return gone(); });
  EXPECT_EQ(alive_operations_, 0);
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByProgress) {
  ScriptServer::Events wanted = events();
  wanted.progress = [this](const ScriptProgress&) { server_.reset(); };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.send_text(R"({"progress": {"message": "x"}})");
  channel.send_text(R"({"progress": {"message": "y"}})");
  run_until([this] { return gone(); });
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByProgressThatWasHeldBack) {
  ScriptServer::Events wanted = events();
  wanted.progress = [this](const ScriptProgress& progress) {
    if (progress.message == "last") server_.reset();
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  for (int i = 0; i < 40; ++i) channel.send_text(R"({"progress": {"message": "x"}})");
  channel.send_text(R"({"progress": {"message": "last"}})");
  run_until([this] { return gone(); });
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByTheEndOfARun) {
  ScriptServer::Events wanted = events();
  wanted.ended = [this](const ScriptRunEnd& end) {
    server_.reset();
    EXPECT_EQ(end, (ScriptRunEnd{1, "ok", 0}));
  };
  serve(std::move(wanted));
  ASSERT_TRUE(server_->send_run(1, {}, "pass"));
  ASSERT_TRUE(send_some(theirs_.get(), R"({"ended": 1, "how": "ok", "exit_code": 0})"));
  run_until([this] { return gone(); });
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByAHello) {
  ScriptServer::Events wanted = events();
  wanted.hello = [this](int64_t) { server_.reset(); };
  serve(std::move(wanted));
  ASSERT_TRUE(server_->send_hello(1));
  ASSERT_TRUE(send_some(theirs_.get(), R"({"hello": 1})"));
  run_until([this] { return gone(); });
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByTheEndOfTheLobby) {
  ScriptServer::Events wanted = events();
  wanted.closed = [this] { server_.reset(); };
  serve(std::move(wanted));
  theirs_.reset();
  run_until([this] { return gone(); });
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByAMalformedFrame) {
  ScriptServer::Events wanted = events();
  std::string complaint;
  wanted.broken = [&](const Error& why) {
    server_.reset();
    complaint = why.message();
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("hold");
  channel.send_text("[]");
  channel.send_text("[]");
  run_until([this] { return gone(); });
  EXPECT_EQ(complaint, "the script sent a malformed frame (expected a JSON object, got a list): \"[]\"");
  EXPECT_EQ(cancelled_, 1);
}

TEST_F(ScriptServerLifeTest, MayBeDestroyedByAMalformedPacket) {
  ScriptServer::Events wanted = events();
  wanted.broken = [this](const Error&) { server_.reset(); };
  serve(std::move(wanted));
  ASSERT_TRUE(send_some(theirs_.get(), "[]"));
  run_until([this] { return gone(); });
}

TEST_F(ScriptServerLifeTest, ARunMayEndInsideACallThatBegins) {
  ScriptServer::Events wanted = events();
  RunTally tally;
  wanted.call = [&](ScriptCall call, Done<ToolResult> done) {
    OperationPtr operation = start(std::move(call), std::move(done));
    tally = server_->end();
    return operation;
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("hold");
  run_until([&] { return tally.calls == 1; });
  EXPECT_EQ(cancelled_, 1);
  EXPECT_TRUE(tally.records.at(0).cancelled);
  EXPECT_EQ(*channel.answer(),
            (JsonObject{{"id", 1}, {"error", "The run ended before this call did; it was cancelled."}}));
}

TEST_F(ScriptServerLifeTest, AProcessMayBeCutOffInsideACallThatBegins) {
  ScriptServer::Events wanted = events();
  RunTally tally;
  wanted.call = [&](ScriptCall call, Done<ToolResult> done) {
    OperationPtr operation = start(std::move(call), std::move(done));
    tally = server_->cut();
    return operation;
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("hold");
  channel.ask("hold");
  run_until([&] { return tally.calls == 1; });
  EXPECT_EQ(cancelled_, 1);
  EXPECT_EQ(last_operation_, 1);
  server_.reset();
  EXPECT_EQ(channel.answer(), std::nullopt);
}

TEST_F(ScriptServerLifeTest, AnAnswerThatComesTwiceOrTooLateIsIgnored) {
  ScriptServer::Events wanted = events();
  std::vector<Done<ToolResult>> kept;
  wanted.call = [&](const ScriptCall&, Done<ToolResult> done) {
    kept.push_back(std::move(done));
    return OperationPtr();
  };
  serve(std::move(wanted));
  begin();
  TrialChannel channel(theirs_.get());
  channel.ask("echo");
  run_until([&] { return kept.size() == 1; });
  kept[0](ToolResult{"", {{"a", 1}}});
  kept[0](ToolResult{"", {{"a", 2}}});
  EXPECT_EQ(*channel.answer(), (JsonObject{{"id", 1}, {"result", {{"a", 1}}}}));
  EXPECT_EQ(server_->end().calls, 1);
  kept[0](ToolResult{"", {{"a", 3}}});
  server_.reset();
  kept[0](ToolResult{"", {{"a", 4}}});
  EXPECT_EQ(channel.answer(), std::nullopt);
}

TEST_F(ScriptServerLifeTest, EventsThatNobodyWantsNeedNoFunction) {
  serve({.call = [this](ScriptCall call, Done<ToolResult> done) { return start(std::move(call), std::move(done)); },
         .progress = {},
         .ended = {},
         .hello = {},
         .broken = {},
         .closed = {}});
  begin();
  ASSERT_TRUE(server_->send_run(1, {}, "pass"));
  ASSERT_TRUE(server_->send_hello(1));
  ASSERT_TRUE(send_some(theirs_.get(), R"({"ended": 1, "how": "ok", "exit_code": 0})"));
  ASSERT_TRUE(send_some(theirs_.get(), R"({"hello": 1})"));
  TrialChannel channel(theirs_.get());
  channel.send_text(R"({"progress": {"message": "x"}})");
  channel.ask("sync");
  run_until([this] { return server_->tally().calls == 1; });
  EXPECT_TRUE(channel.answer());
  channel.send_text("[]");
  theirs_.reset();
  run_until([this] { return !server_->send_hello(1); });
}

}  // namespace
}  // namespace talaria
