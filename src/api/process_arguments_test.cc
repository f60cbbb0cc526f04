#include "api/process_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

std::string error_of(const JsonObject& object) {
  Result<ProcessArguments> arguments = parse_process_arguments(object);
  return arguments ? "no error" : arguments.error().message();
}

TEST(ProcessArgumentsTest, ListNeedsNoJob) {
  EXPECT_EQ(parse_process_arguments({{"action", "list"}})->action, ProcessAction::list);
}

TEST(ProcessArgumentsTest, NamesTheActions) {
  const std::string expected =
      "Invalid process action. Expected one of: list, poll, log, write, send-keys, submit, paste, wait, resize, kill, "
      "clear, remove";
  EXPECT_EQ(error_of({}), expected);
  EXPECT_EQ(error_of({{"action", "screen"}}), expected);
}

TEST(ProcessArgumentsTest, EveryOtherActionNeedsAJob) {
  for (const std::string& action : process_action_names()) {
    if (action == "list") continue;
    EXPECT_EQ(error_of({{"action", action}}), "sessionId is required for this action.") << action;
    EXPECT_EQ(error_of({{"action", action}, {"sessionId", "ab"}}), "no error") << action;
  }
}

TEST(ProcessArgumentsTest, ReadsWhatTheActionsNeed) {
  const Result<ProcessArguments> keys = parse_process_arguments(
      {{"action", "send-keys"}, {"sessionId", "ab2c"}, {"keys", {"C-c", "Enter"}}, {"literal", "x"}, {"hex", {"1b"}}});
  ASSERT_TRUE(keys) << keys.error().message();
  EXPECT_EQ(keys->keys, (std::vector<std::string>{"C-c", "Enter"}));
  EXPECT_EQ(keys->literal, "x");
  EXPECT_EQ(keys->hex, std::vector<std::string>{"1b"});
  EXPECT_EQ(parse_process_arguments({{"action", "kill"}, {"sessionId", "a"}, {"signal", 2}})->signal, "2");
  EXPECT_EQ(parse_process_arguments({{"action", "poll"}, {"sessionId", "a"}, {"timeout", -7}})->timeout_ms, 0);
}

TEST(ProcessArgumentsTest, RefusesWhatMakesNoSense) {
  EXPECT_THAT(error_of({{"action", "log"}, {"sessionId", "a"}, {"limit", 0}}), HasSubstr("\"limit\""));
  EXPECT_THAT(error_of({{"action", "log"}, {"sessionId", "a"}, {"offset", -1}}), HasSubstr("\"offset\""));
  EXPECT_THAT(error_of({{"action", "poll"}, {"sessionId", "a"}, {"timout", 1}}),
              HasSubstr("did you mean \"timeout\"?"));
}

TEST(ProcessArgumentsTest, AnIdOrAnActionUnderAnotherNameIsNamedAndNotMissed) {
  EXPECT_THAT(error_of({{"action", "poll"}, {"id", "a"}}), HasSubstr("\"id\" (did you mean \"sessionId\"?); known: "));
  EXPECT_THAT(error_of({{"act", "poll"}}), HasSubstr("\"act\" (did you mean \"action\"?); known: "));
}

TEST(ProcessArgumentsTest, NamesEveryKnownParameterOnce) {
  const Result<ProcessArguments> parsed = parse_process_arguments({{"action", "list"}, {"nonsense", 1}});
  ASSERT_FALSE(parsed);
  const std::string& message = parsed.error().message();
  EXPECT_NE(message.find("signal"), std::string::npos) << message;
  EXPECT_EQ(message.find("signal"), message.rfind("signal")) << message;
  EXPECT_FALSE(parse_process_arguments({{"action", "kill"}, {"sessionId", "a"}, {"signal", true}}));
}

}  // namespace
}  // namespace talaria
