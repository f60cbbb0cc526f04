#include "door/params.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

Result<std::optional<SessionRef>> session_of(const char* params) {
  const JsonObject object = *parse_json_object(params);
  Fields fields(object, "parameter");
  return read_session(fields);
}

TEST(ParamsTest, ReadsASessionByIdOrByDirectory) {
  EXPECT_EQ((*session_of(R"({"session":{"id":"abc"}})"))->id, "abc");
  const SessionRef here = **session_of(R"({"session":{"cwd":"/tmp","name":"x"}})");
  EXPECT_EQ(here.cwd, "/tmp");
  EXPECT_EQ(here.name, "x");
}

TEST(ParamsTest, ReadsWhichOfItsSessionsAClientMeans) {
  EXPECT_EQ((*session_of(R"({"session":{"cwd":"/tmp","slot":2}})"))->slot, 2);
  EXPECT_EQ((*session_of(R"({"session":{"cwd":"/tmp","slot":"free"}})"))->slot, free_slot);
  EXPECT_EQ((*session_of(R"({"session":{"cwd":"/tmp"}})"))->slot, std::nullopt);
  for (const char* slot : {"0", "1001", "2.5", "\"any\"", "true"}) {
    EXPECT_EQ(session_of((std::string(R"({"session":{"cwd":"/tmp","slot":)") + slot + "}}").c_str()).error().message(),
              "session.slot must be a whole number from 1 to 1000, or \"free\"");
  }
  EXPECT_FALSE(session_of(R"({"session":{"cwd":"/tmp","name":"x","slot":2}})"));
  EXPECT_FALSE(session_of(R"({"session":{"id":"abc","slot":2}})"));
  EXPECT_FALSE(session_of(R"({"session":{"slot":2}})"));
}

TEST(ParamsTest, TakesNoSessionForNone) {
  EXPECT_FALSE(session_of("{}")->has_value());
  EXPECT_FALSE(session_of(R"({"session":{}})")->has_value());
}

TEST(ParamsTest, NamesWhatIsWrongWithASession) {
  EXPECT_EQ(session_of(R"({"session":{"cwd":"tmp"}})").error().message(),
            "session.cwd must be an absolute path, got \"tmp\"");
  EXPECT_EQ(session_of(R"({"session":{"name":"x"}})").error().message(), "session.name needs session.cwd beside it");
  EXPECT_FALSE(session_of(R"({"session":{"dir":"/tmp"}})"));
  EXPECT_FALSE(session_of(R"({"session":"/tmp"})"));
}

TEST(ParamsTest, ReadsAWishForTheSandbox) {
  const auto wish_of = [](const char* text) {
    const JsonObject object = *parse_json_object(text);
    Fields fields(object, "parameter");
    return read_sandbox(fields);
  };
  EXPECT_EQ(*wish_of(R"({"sandbox": {"profile": "full", "network": "on"}})"), (SandboxWish{"full", "on"}));
  EXPECT_EQ(*wish_of("{}"), std::nullopt);
  EXPECT_EQ(*wish_of(R"({"sandbox": {}})"), std::nullopt);
  EXPECT_FALSE(wish_of(R"({"sandbox": {"tier": 2}})"));
  EXPECT_FALSE(wish_of(R"({"sandbox": "full"})"));
}

TEST(ParamsTest, DecodesDataAndNamesItWhenItIsNoBase64) {
  const JsonObject good{{"data", "aGk="}}, bad{{"data", "aGk"}};
  Fields good_fields(good, "parameter"), bad_fields(bad, "parameter");
  EXPECT_EQ(*read_data(good_fields), "hi");
  EXPECT_TRUE(read_data(bad_fields).error().message().starts_with("parameter \"data\": "));
}

TEST(ParamsTest, WritesAToolResultAsProgramsExpectIt) {
  EXPECT_EQ(tool_result_json({"hi", {{"status", "completed"}}, false}),
            (JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", "hi"}}}},
                        {"details", JsonObject{{"status", "completed"}}}}));
  EXPECT_TRUE(boolean_or(tool_result_json({"no", {}, true}), "isError"));
}

}  // namespace
}  // namespace talaria
