#include "rpc/message.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

RpcProblem problem_of(std::string_view line) { return std::get<RpcProblem>(parse_message(line)); }

TEST(MessageTest, ReadsWhatItWrites) {
  const JsonObject params{{"name", "exec"}};
  EXPECT_EQ(parse_message(write_request(7, "tools/call", params)), RpcMessage(RpcRequest{7, "tools/call", params}));
  EXPECT_EQ(parse_message(write_request("a", "x", {})), RpcMessage(RpcRequest{"a", "x", {}}));
  EXPECT_EQ(parse_message(write_notification("x", params)), RpcMessage(RpcNotification{"x", params}));
  EXPECT_EQ(parse_message(write_result(1, params)), RpcMessage(RpcResponse{1, Json(params)}));
  const RpcError error = rpc_error(RpcCode::failed, Error(ErrorCode::not_found, "no job xyz"));
  EXPECT_EQ(parse_message(write_error(1, error)), RpcMessage(RpcResponse{1, error}));
}

TEST(MessageTest, WritesOneLineWhateverTheTextHolds) {
  const std::string line = write_notification("x", {{"text", "a\nb\r\x01"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(MessageTest, AnswersBrokenJsonWithAParseError) {
  EXPECT_EQ(problem_of("{oops").error.code, -32700);
  EXPECT_EQ(problem_of("").error.code, -32700);
  EXPECT_EQ(problem_of("{\"a\":\"\xff\"}").error.code, -32700);
}

TEST(MessageTest, AnswersHalfOfASurrogatePairUnderTheRequestsOwnId) {
  const auto complaint = [](const char* half) {
    return "not valid JSON: \"" + std::string(half) + "\" is half of a surrogate pair";
  };
  const auto problem_with = [](const std::string& text) {
    return problem_of(R"({"jsonrpc":"2.0","id":7,"method":"x","params":{"text":")" + text + R"("}})");
  };
  for (const char* half : {"\\ud800", "\\uDFFF", "\\udbff"}) {
    const RpcProblem expected{7, {-32700, complaint(half), "invalid_argument"}};
    for (const std::string around : {"", "x", "\\\\", "\\n", "\\uD83D\\uDE00", "\\u00e9"}) {
      EXPECT_EQ(problem_with(around + half + around), expected) << around;
    }
    EXPECT_EQ(problem_with(half + std::string("\\ud800\\ud800")), expected);
  }
  EXPECT_EQ(problem_of(R"({"jsonrpc":"2.0","method":"x\udc00","id":"a"})").id, Json("a"));
  EXPECT_EQ(problem_of(R"({"jsonrpc":"2.0","method":"x\udc00"})"),
            (RpcProblem{Json(), {-32700, complaint("\\udc00"), "invalid_argument"}}));
  // Not only because of them.
  for (const char* text : {"\\ud800\\q", "\\ud800\\u12", "\\ud800\xff", "\\ud8", "\\\\\\ud800\"", "\\"}) {
    EXPECT_EQ(problem_with(text).id, Json()) << text;
    EXPECT_EQ(problem_with(text).error.message.find("surrogate pair"), std::string::npos) << text;
  }
  EXPECT_EQ(std::get<RpcRequest>(parse_message(R"({"jsonrpc":"2.0","id":7,"method":"\\ud800"})")).method, "\\ud800");
}

TEST(MessageTest, AnswersWhatIsNoUtf8UnderTheRequestsOwnId) {
  const RpcProblem problem = problem_of("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{\"a\":\"\xff\"}}");
  EXPECT_EQ(problem.id, Json(7));
  EXPECT_EQ(problem.error.code, -32700);
  EXPECT_TRUE(problem.error.message.starts_with("not valid UTF-8 at byte 53 of the message")) << problem.error.message;
  EXPECT_EQ(problem_of("{\"id\":7,\xff}").id, Json());
  EXPECT_TRUE(problem_of("\xc3").error.message.starts_with("not valid UTF-8 at byte 1"));
}

TEST(MessageTest, AnswersWhatIsNoRequestWithTheIdItCouldRead) {
  EXPECT_EQ(problem_of(R"(3)").error.code, -32600);
  EXPECT_EQ(problem_of(R"({"id":4,"method":"x"})").id, Json(4));
  EXPECT_EQ(problem_of(R"({"jsonrpc":"2.0","id":4,"method":5})").id, Json(4));
  EXPECT_EQ(problem_of(R"({"jsonrpc":"2.0","id":[1],"method":"x"})").error.message,
            "\"id\" must be a number or a string, got a list");
  EXPECT_EQ(problem_of(R"({"jsonrpc":"2.0","id":4})").error.code, -32600);
}

TEST(MessageTest, RefusesParamsByPositionAsInvalidParams) {
  const RpcProblem problem = problem_of(R"({"jsonrpc":"2.0","id":4,"method":"x","params":[1]})");
  EXPECT_EQ(problem, (RpcProblem{4, {-32602, "\"params\" must be an object, got a list", "invalid_argument"}}));
}

TEST(MessageTest, SaysHowToDoWithoutBatches) {
  EXPECT_NE(problem_of(R"([{"jsonrpc":"2.0","id":4,"method":"x"}])").error.message.find("line of its own"),
            std::string::npos);
}

TEST(MessageTest, GivesAnErrorsKindBackToAClient) {
  EXPECT_EQ(to_error({-32000, "gone", "not_found"}), Error(ErrorCode::not_found, "gone"));
  EXPECT_EQ(to_error({-32000, "gone", ""}), Error(ErrorCode::system, "gone"));
}

}  // namespace
}  // namespace talaria
