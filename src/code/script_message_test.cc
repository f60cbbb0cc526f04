#include "code/script_message.h"

#include <gtest/gtest.h>

#include "code/frame.h"
#include "code/lobby.h"

namespace talaria {
namespace {

std::string body_of(const std::string& frame) { return frame.substr(4); }

std::string why_malformed(std::string_view text) {
  const Result<ScriptMessage> message = parse_script_message(text);
  return message ? "it is well formed" : message.error().message();
}

TEST(ScriptMessageTest, ReadsACall) {
  Result<ScriptMessage> message = parse_script_message(R"({"id": 7, "tool": "read_file", "args": {"path": "a"}})");
  ASSERT_TRUE(message);
  const auto& request = std::get<ScriptRequest>(*message);
  EXPECT_EQ(request.id, 7);
  EXPECT_EQ(request.call.tool, "read_file");
  EXPECT_EQ(request.call.arguments, (JsonObject{{"path", "a"}}));
}

TEST(ScriptMessageTest, ReadsProgressAndKeepsItShortAndSafe) {
  const auto read = [](std::string_view text) { return std::get<ScriptProgress>(*parse_script_message(text)); };
  EXPECT_EQ(read(R"({"progress": {"message": "half", "fraction": 0.5}})"), (ScriptProgress{"half", 0.5}));
  EXPECT_EQ(read(R"({"progress": {"message": "x", "fraction": null}})"), (ScriptProgress{"x"}));
  EXPECT_EQ(read(R"({"progress": {"message": "x", "fraction": 7}})"), (ScriptProgress{"x", 1.0}));
  EXPECT_EQ(read(R"({"progress": {"message": "\u001b[31mred"}})"), (ScriptProgress{"red"}));
  const std::string longest = R"({"progress": {"message": ")" + std::string(1 << 20, 'x') + R"("}})";
  EXPECT_EQ(read(longest), (ScriptProgress{std::string(500, 'x')}));
}

TEST(ScriptMessageTest, AMalformedFrameIsNamed) {
  EXPECT_EQ(why_malformed("[1]"), "the script sent a malformed frame (expected a JSON object, got a list): \"[1]\"");
  EXPECT_EQ(why_malformed(R"({"id":1})"),
            "the script sent a malformed frame (neither \"tool\" nor \"progress\" is in it): \"{\\\"id\\\":1}\"");
  EXPECT_EQ(why_malformed(std::string(200, 'x')),
            "the script sent a malformed frame (not valid JSON at line 1, column 1: syntax error): \"" +
                std::string(80, 'x') + "\"…");
  for (const char* text : {R"({"tool":"x","args":{}})", R"({"id":"1","tool":"x","args":{}})",
                           R"({"id":1.5,"tool":"x","args":{}})", R"({"id":1,"tool":7,"args":{}})",
                           R"({"id":1,"tool":"x"})", R"({"id":1,"tool":"x","args":[]})", R"({"progress":"x"})",
                           R"({"progress":{}})", R"({"progress":{"message":"x","fraction":"y"}})", "", "\xff\xfe"}) {
    EXPECT_TRUE(why_malformed(text).starts_with("the script sent a malformed frame (")) << text;
  }
}

std::string call_with(std::string_view front, std::string_view value, size_t count) {
  std::string text(front);
  text += R"("tool":"echo","args":{"a":[)";
  for (size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(value);
  return text + "]}}";
}

TEST(ScriptMessageTest, AFrameOfTooManyValuesIsNotRead) {
  const std::string why =
      "This call has more than 200,000 values in its arguments, and so many are not read. Pass what is large as text.";
  const auto read = [](const std::string& text) { return std::get<ScriptRefusal>(*parse_script_message(text)); };
  EXPECT_EQ(read(call_with(R"({"id":7,)", "[]", 5'000'000)), (ScriptRefusal{7, why}));
  EXPECT_EQ(read(call_with("\n{ \"id\" :\t-7 ,", "1", 200'000)), (ScriptRefusal{-7, why}));
  for (const char* front : {R"({)", R"({"x":1,"id":7,)", R"({"id":"7",)", R"({"id":7.5,)", R"({"id":,)",
                            R"({"id":99999999999999999999,)"}) {
    EXPECT_EQ(read(call_with(front, "{}", 100'001)), (ScriptRefusal{std::nullopt, why})) << front;
  }
  EXPECT_EQ(read(std::string(200'001, '[')), (ScriptRefusal{std::nullopt, why}));
  EXPECT_EQ(read(R"({"id":7)" + std::string(200'001, ',')), (ScriptRefusal{7, why}));
}

TEST(ScriptMessageTest, WhatStandsInAStringIsNoValue) {
  const std::string text = R"({"id":1,"tool":"write_file","args":{"content":")" + std::string(1'000'000, ',') +
                           std::string(400'000, '\\') + "\\\"" + std::string(300'000, '[') + R"(","b":[1,2]}})";
  const auto request = std::get<ScriptRequest>(*parse_script_message(text));
  EXPECT_EQ(request.call.arguments.at("content").get_string().size(), 1'500'001u);
  EXPECT_EQ(request.weight, text.size() + 64 * 12);
  EXPECT_TRUE(std::holds_alternative<ScriptRequest>(*parse_script_message(call_with(R"({"id":7,)", "1", 199'990))));
}

TEST(ScriptMessageTest, WritesAnswers) {
  EXPECT_EQ(body_of(*result_frame(3, {{"a", 1}, {"b", 0.5}})), R"({"id":3,"result":{"a":1,"b":0.5}})");
  EXPECT_EQ(body_of(error_frame(3, "no")), R"({"id":3,"error":"no"})");
  EXPECT_EQ(body_of(error_frame(std::nullopt, "no \xff")), "{\"id\":null,\"error\":\"no \xEF\xBF\xBD\"}");
}

TEST(ScriptMessageTest, AResultThatIsTooLongMakesNoFrame) {
  const size_t around = body_of(*result_frame(1, {{"a", ""}})).size();
  EXPECT_TRUE(result_frame(1, {{"a", std::string(longest_script_frame - around, 'x')}}));
  EXPECT_FALSE(result_frame(1, {{"a", std::string(longest_script_frame - around + 1, 'x')}}));
}

TEST(ScriptMessageTest, ReadsPacketsOfTheLobby) {
  EXPECT_EQ(*parse_lobby_packet(R"({"channel": true})"), LobbyMessage(ChannelOffer{}));
  EXPECT_EQ(*parse_lobby_packet(R"({"hello": 9})"), LobbyMessage(HelloAnswer{9}));
  EXPECT_EQ(*parse_lobby_packet(R"({"ended": 2, "how": "exit", "exit_code": 3})"),
            LobbyMessage(ScriptRunEnd{2, "exit", 3}));
}

TEST(ScriptMessageTest, AMalformedPacketIsNamed) {
  for (const char* text : {"", "[]", "{}", R"({"channel": false})", R"({"channel": 1})", R"({"hello": "x"})",
                           R"({"ended": 1})", R"({"ended": 1, "how": "gone", "exit_code": 0})",
                           R"({"ended": 1, "how": "ok"})", R"({"ended": 1, "how": "ok", "exit_code": 5000000000})"}) {
    const Result<LobbyMessage> message = parse_lobby_packet(text);
    ASSERT_FALSE(message) << text;
    EXPECT_TRUE(message.error().message().starts_with("the script sent a malformed packet (")) << text;
  }
}

TEST(ScriptMessageTest, WritesOrders) {
  EXPECT_EQ(*run_packet(4, {.keep = true, .argv = {"execute_code", "x"}}),
            R"({"run":4,"keep":true,"staging":null,"argv":["execute_code","x"]})");
  EXPECT_EQ(*run_packet(4, {.staging = "/tmp/x"}), R"({"run":4,"keep":false,"staging":"/tmp/x","argv":[]})");
  EXPECT_EQ(hello_packet(5), R"({"hello":5})");
  EXPECT_FALSE(run_packet(4, {.argv = {std::string(longest_lobby_packet, 'x')}}));
}

}  // namespace
}  // namespace talaria
