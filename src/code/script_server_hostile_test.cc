// What a script may do to us that it should not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "code/script_trial.h"

namespace talaria {
namespace {

class HostileScriptTest : public ScriptTrial {
 protected:
  std::string only_complaint() {
    run_until([this] { return !broken_.empty(); });
    EXPECT_EQ(broken_.size(), 1u);
    return broken_.at(0);
  }
  // Sends a packet with copies of these descriptors.
  void send_packet(std::string_view packet, const std::vector<int>& fds = {}) {
    ASSERT_TRUE(send_some(theirs_.get(), packet, fds));
  }
};

std::string header_of(uint32_t length) {
  std::string header;
  for (int i = 0; i < 4; ++i) header += static_cast<char>(length >> (8 * i) & 0xFF);
  return header;
}

TEST_F(HostileScriptTest, AFrameThatIsNoneEndsTheServiceWithItsName) {
  serve();
  begin();
  TrialChannel good(theirs_.get()), bad(theirs_.get());
  good.ask("hold");
  run_until([&] { return held_.size() == 1; });
  bad.send_text("{\"id\": 1, ");
  EXPECT_EQ(
      only_complaint(),
      "the script sent a malformed frame (not valid JSON at line 1, column 11: incomplete JSON): \"{\\\"id\\\": 1, "
      "\"");
  EXPECT_EQ(cancelled_, 1);
  EXPECT_EQ(good.answer(), std::nullopt);
  EXPECT_EQ(bad.answer(), std::nullopt);
  EXPECT_FALSE(server_->send_hello(1));
  const RunTally tally = server_->end();
  EXPECT_EQ(tally.calls, 1);
  EXPECT_TRUE(tally.records.at(0).cancelled);
  begin();
  EXPECT_EQ(server_->tally(), RunTally());
}

TEST_F(HostileScriptTest, GarbageOnAChannelEndsTheService) {
  serve();
  begin();
  TrialChannel channel(theirs_.get());
  channel.send_bytes(std::string("\x05\0\0\0\xff\xfe\x00\x01\x02 and more", 18));
  EXPECT_TRUE(only_complaint().starts_with("the script sent a malformed frame (")) << broken_[0];
}

TEST_F(HostileScriptTest, GarbageInTheLobbyEndsTheService) {
  serve();
  send_packet("garbage");
  EXPECT_TRUE(only_complaint().starts_with("the script sent a malformed packet (not valid JSON")) << broken_[0];
}

TEST_F(HostileScriptTest, AnEmptyPacketIsNotTheEndOfTheLobby) {
  serve();
  ASSERT_EQ(::send(theirs_.get(), "", 0, 0), 0);
  EXPECT_TRUE(only_complaint().starts_with("the script sent a malformed packet (")) << broken_[0];
  EXPECT_EQ(closed_, 0);
}

TEST_F(HostileScriptTest, APacketThatIsTooLongEndsTheService) {
  serve();
  send_packet("{" + std::string(longest_lobby_packet, ' ') + "}");
  EXPECT_EQ(only_complaint(), "the script sent a packet of more than 65,536 bytes");
}

TEST_F(HostileScriptTest, TakesOnlyEndsOfSocketpairsForChannels) {
  auto [read_end, write_end] = *make_pipe();
  const auto packets = *socket_pair(SOCK_SEQPACKET);
  char folder[] = "/tmp/talaria-code-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/socket";
  const UniqueFd listener = *listen_unix(path);
  const UniqueFd connected = *connect_unix(path);
  const UniqueFd internet(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const UniqueFd null = *open_file("/dev/null", O_RDWR);
  EXPECT_TRUE(remove_tree(folder));
  const std::string no_channel = "the script offered a channel that is not one end of a socketpair";
  for (const int fd : {read_end.get(), packets.first.get(), theirs_.get(), connected.get(), null.get()}) {
    const Result<> checked = check_channel(fd);
    EXPECT_EQ(checked ? "taken" : checked.error().message(), no_channel);
  }
  EXPECT_FALSE(check_channel(listener.get()));
  EXPECT_FALSE(check_channel(internet.get()));
  // Its own lobby's end, which would keep the lobby open for ever.
  serve();
  send_packet(R"({"channel": true})", {theirs_.get()});
  EXPECT_EQ(only_complaint(), no_channel);
}

TEST_F(HostileScriptTest, AChannelComesWithOneDescriptor) {
  serve();
  const auto pair = *socket_pair(SOCK_STREAM);
  send_packet(R"({"channel": true})", {pair.first.get(), pair.second.get()});
  EXPECT_EQ(only_complaint(), "the script offered a channel with 2 file descriptors instead of one");
}

TEST_F(HostileScriptTest, AChannelWhoseOtherEndIsGoneDoesNoHarm) {
  serve();
  begin();
  {
    auto [mine, yours] = *socket_pair(SOCK_STREAM);
    mine.reset();
    send_packet(R"({"channel": true})", {yours.get()});
  }
  TrialChannel channel(theirs_.get());
  channel.ask("sync");
  run_until([&] { return server_->tally().calls == 1; });
  EXPECT_TRUE(channel.answer());
  EXPECT_EQ(broken_, std::vector<std::string>());
}

TEST_F(HostileScriptTest, HasSoManyChannelsAndNoMore) {
  serve();
  begin();
  std::vector<std::unique_ptr<TrialChannel>> channels;
  for (int i = 0; i < 257; ++i) {
    channels.push_back(std::make_unique<TrialChannel>(theirs_.get()));
    channels.back()->ask("sync");
    if (i < 256) {
      run_until([&] { return server_->tally().calls == i + 1; });
    }
  }
  std::atomic<bool> refused = false;
  script([&] { refused = !channels.back()->answer(); });
  run_scripts();
  EXPECT_TRUE(refused);
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(channels[i]->answer()) << i;
  channels.erase(channels.begin());
  run_until([&] {
    TrialChannel another(theirs_.get());
    another.ask("sync");
    return server_->tally().calls > 256;
  });
}

TEST_F(HostileScriptTest, AFrameThatIsTooLongIsSkippedAndRefused) {
  serve();
  begin();
  script([this] {
    TrialChannel channel(theirs_.get());
    const std::string piece(1 << 20, 'x');
    ASSERT_TRUE(channel.send_bytes(header_of((20 << 20) + 1)));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(channel.send_bytes(piece));
    ASSERT_TRUE(channel.send_bytes("x"));
    EXPECT_EQ(*channel.answer(),
              (JsonObject{{"id", nullptr},
                          {"error", "This call takes 20,971,521 bytes, and 16 MiB (16,777,216 bytes) is the most."}}));
    EXPECT_EQ(channel.call("echo"), (JsonObject{{"id", 1}, {"result", {{"got", JsonObject()}}}}));
  });
  run_scripts();
  EXPECT_EQ(broken_, std::vector<std::string>());
}

TEST_F(HostileScriptTest, ManyHalfFramesDoNotFillOurMemory) {
  serve();
  begin();
  std::vector<std::unique_ptr<TrialChannel>> channels;
  for (int i = 0; i < 12; ++i) channels.push_back(std::make_unique<TrialChannel>(theirs_.get()));
  const JsonObject taken{{"id", 1}, {"result", {{"got", JsonObject()}}}};
  const JsonObject given_up{{"id", nullptr},
                            {"error",
                             "Too many large calls came at once, so this one of 16,777,216 bytes was not taken. Make "
                             "fewer in parallel."}};
  int taken_count = 0, given_up_count = 0;
  script([&] {
    std::string call = R"({"id":1,"tool":"echo","args":{}})";
    call.resize(longest_script_frame, ' ');
    const std::string frame = encode_script_frame(call);
    for (auto& channel : channels) ASSERT_TRUE(channel->send_bytes(frame.substr(0, frame.size() - 10)));
    // Some were given up; the rest of those is skipped, and their channels go on.
    for (auto& channel : channels) {
      ASSERT_TRUE(channel->send_bytes(frame.substr(frame.size() - 10)));
      const JsonObject answer = channel->answer().value_or(JsonObject());
      taken_count += answer == taken;
      given_up_count += answer == given_up;
      EXPECT_EQ(channel->call("echo"), taken);
    }
  });
  run_scripts();
  EXPECT_LE(taken_count, 8);
  EXPECT_EQ(taken_count + given_up_count, 12);
  EXPECT_EQ(broken_, std::vector<std::string>());
}

TEST_F(HostileScriptTest, ManyLargeCallsThatWaitDoNotFillOurMemory) {
  serve();
  begin(1000, 1);
  std::vector<JsonObject> answers;
  script([&] {
    TrialChannel first(theirs_.get());
    first.ask("hold");
    std::vector<std::unique_ptr<TrialChannel>> channels;
    const JsonObject large{{"content", std::string(15 << 20, 'x')}};
    for (int i = 0; i < 10; ++i) {
      channels.push_back(std::make_unique<TrialChannel>(theirs_.get()));
      channels.back()->ask("hold", large);
    }
    answers.push_back(*channels.back()->answer());
  });
  run_scripts();
  EXPECT_EQ(answers, (std::vector<JsonObject>{
                         {{"id", 1},
                          {"error",
                           "Too many large calls of this script wait at once (128 MiB is the most). Make fewer in "
                           "parallel."}}}));
  EXPECT_EQ(most_held_, 1u);
}

TEST_F(HostileScriptTest, CallsOfTooManyValuesAreRefusedAndHarmNothingElse) {
  serve();
  begin();
  script([this] {
    std::string lists = "[]";
    while (lists.size() < longest_script_frame - 100) lists += ",[]";
    TrialChannel channel(theirs_.get());
    const char* why =
        "This call has more than 200,000 values in its arguments, and so many are not read. Pass what is large as "
        "text.";
    channel.send_text(R"({"id":1,"tool":"nope","args":{"a":[)" + lists + "]}}");
    EXPECT_EQ(*channel.answer(), (JsonObject{{"id", 1}, {"error", why}}));
    channel.send_text(R"({"tool":"nope","args":{"a":[)" + lists + R"(]},"id":2})");
    EXPECT_EQ(*channel.answer(), (JsonObject{{"id", nullptr}, {"error", why}}));
    EXPECT_EQ(channel.call("echo"), (JsonObject{{"id", 1}, {"result", {{"got", JsonObject()}}}}));
  });
  run_scripts();
  EXPECT_EQ(broken_, std::vector<std::string>());
  EXPECT_EQ(server_->tally().refused, 2);
}

TEST_F(HostileScriptTest, ManyValuesThatWaitDoNotFillOurMemory) {
  serve();
  begin(1000, 1);
  std::string lists = "[1]";
  for (int i = 1; i < 90'000; ++i) lists += ",[1]";
  // Less than half a megabyte as text, and many times that when it is read.
  const std::string call = R"({"id":1,"tool":"hold","args":{"a":[)" + lists + "]}}";
  std::vector<std::unique_ptr<TrialChannel>> channels;
  for (int i = 0; i < 16; ++i) channels.push_back(std::make_unique<TrialChannel>(theirs_.get()));
  script([&] {
    for (auto& channel : channels) ASSERT_TRUE(channel->send_text(call));
  });
  run_until([&] { return server_->tally().calls + server_->tally().refused == 16; });
  EXPECT_LT(server_->tally().calls, 13);
  EXPECT_GT(server_->tally().calls, 8);
}

TEST_F(HostileScriptTest, WhoIsRefusedTenThousandTimesIsServedNoMore) {
  serve();
  begin(2);
  script([this] {
    TrialChannel channel(theirs_.get());
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(channel.call("echo").contains("result"));
    for (int i = 0; i < 5000; ++i) ASSERT_TRUE(channel.call("echo").contains("error")) << i;
    for (int i = 0; i < 5000; ++i) ASSERT_TRUE(channel.call("rm").contains("error")) << i;
  });
  run_scripts();
  EXPECT_EQ(server_->end().refused, 10'000);
  EXPECT_EQ(broken_, std::vector<std::string>());
  // The next run has as many again.
  begin(2);
  scripts_done_ = false;
  script([this] {
    TrialChannel channel(theirs_.get());
    for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(channel.call("rm").contains("error")) << i;
    channel.call("rm");
    EXPECT_EQ(channel.answer(), std::nullopt);
  });
  run_scripts();
  EXPECT_EQ(only_complaint(), "it made more than 10,000 calls that were refused");
}

TEST_F(HostileScriptTest, OneChannelHasSixteenRequestsUnderWayAndLosesNone) {
  serve();
  begin(1000, 4);
  TrialChannel channel(theirs_.get());
  std::string requests;
  for (int i = 1; i <= 50; ++i) {
    requests += encode_script_frame(R"({"id":)" + std::to_string(i) + R"(,"tool":"hold","args":{}})");
  }
  ASSERT_TRUE(channel.send_bytes(requests));
  run_until([&] { return server_->tally().calls == 16; });
  for (int i = 1; i <= 50; ++i) {
    run_until([&] { return !held_.empty(); });
    EXPECT_LE(server_->tally().calls, 15 + i);
    release();
    EXPECT_EQ(integer_or(*channel.answer(), "id"), i);
  }
  EXPECT_EQ(server_->tally().calls, 50);
}

TEST_F(HostileScriptTest, AFloodOfRefusedCallsDoesNotKeepOthersWaiting) {
  serve();
  begin();
  std::atomic<bool> stop = false;
  script([&] {
    TrialChannel flood(theirs_.get());
    std::string many;
    for (int i = 0; i < 1000; ++i) many += encode_script_frame(R"({"id":1,"tool":"no","args":{}})");
    for (int round = 0; round < 9 && !stop; ++round) {  // more would be too many
      ASSERT_TRUE(flood.send_bytes(many));
      for (int i = 0; i < 1000; ++i) ASSERT_TRUE(flood.answer());
    }
  });
  script([&] {
    TrialChannel channel(theirs_.get());
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(channel.call("echo").contains("result"));
    stop = true;
  });
  run_scripts();
}

TEST_F(HostileScriptTest, ASlowReaderStopsNobodyElseAndLosesNothing) {
  serve();
  begin();
  TrialChannel slow(theirs_.get());
  const int64_t bytes = 10 << 20;
  for (int i = 0; i < 6; ++i) slow.ask("big", {{"bytes", bytes}});
  // At 32 MiB unread we stop asking for its next request: four answers of 10 MiB are made, or five at once.
  run_until([&] { return server_->tally().calls >= 4; });
  script([this] {
    TrialChannel quick(theirs_.get());
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(quick.call("echo").contains("result"));
  });
  run_scripts();
  scripts_done_ = false;
  script([&] {
    for (int64_t id = 1; id <= 6; ++id) {
      const std::optional<JsonObject> answer = slow.answer();
      ASSERT_TRUE(answer);
      EXPECT_EQ(integer_or(*answer, "id"), id);
      EXPECT_EQ(text_or(*object_or_null(*answer, "result"), "data").size(), static_cast<size_t>(bytes));
    }
  });
  run_scripts();
}

TEST_F(HostileScriptTest, AnswersThatNobodyReadsDoNotFillOurMemory) {
  serve();
  begin(1000, 2);
  std::vector<std::unique_ptr<TrialChannel>> channels;
  for (int i = 0; i < 16; ++i) {
    channels.push_back(std::make_unique<TrialChannel>(theirs_.get()));
    channels.back()->ask("big", {{"bytes", 10 << 20}});
  }
  // Not all are begun: 64 MiB unread is enough.
  run_until([&] { return last_operation_ >= 7 && alive_operations_ == 0; });
  const int begun = last_operation_;
  EXPECT_LE(begun, 9);
  for (const auto& channel : channels) {
    script([&] { EXPECT_TRUE(channel->answer()->contains("result")); });
  }
  run_scripts();
  EXPECT_EQ(last_operation_, 16);
}

TEST_F(HostileScriptTest, AnEndThatTheScriptMadeBlockingDoesNotBlockUs) {
  serve();
  begin();
  auto [mine, yours] = *socket_pair(SOCK_STREAM);
  send_packet(R"({"channel": true})", {yours.get()});
  const std::string ask = encode_script_frame(R"({"id":1,"tool":"big","args":{"bytes":10000000}})");
  ASSERT_TRUE(write_all(mine.get(), ask));
  run_until([&] { return server_->tally().calls == 1; });
  ASSERT_EQ(::fcntl(yours.get(), F_SETFL, 0), 0);
  ASSERT_TRUE(write_all(mine.get(), ask));
  run_until([&] { return server_->tally().calls == 2 && alive_operations_ == 0; });
}

}  // namespace
}  // namespace talaria
