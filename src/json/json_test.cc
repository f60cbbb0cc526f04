#include "json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

std::string failure_of(std::string_view text) {
  const Result<Json> value = parse_json(text);
  return value ? "parsed" : value.error().message();
}

TEST(JsonTest, ParsesAndWritesOnOneLine) {
  const std::string text = R"({"a":[1,-2,3.5,true,null,"x\n\u0000é"],"b":{}})";
  EXPECT_EQ(write_json(*parse_json(text)), text);
  EXPECT_EQ(write_json(*parse_json(" \n 7 \t\r\n")), "7");
}

TEST(JsonTest, ErrorsNameThePlace) {
  EXPECT_THAT(failure_of("{\n  \"a\": ,\n}"), HasSubstr("not valid JSON at line 2, column 8"));
  for (const char* text : {"", "  ", "{", "[1,]", "{\"a\" 1}", "nul", "'x'", "1 2", "{} x", "\"a", "\"\xFF\"", "NaN",
                           "01", "[1] // comment"}) {
    EXPECT_THAT(failure_of(text), HasSubstr("not valid JSON at line 1, column")) << text;
  }
}

TEST(JsonTest, DepthIsCapped) {
  EXPECT_EQ(failure_of(std::string(64, '[') + std::string(64, ']')), "parsed");
  EXPECT_THAT(failure_of(std::string(65, '[') + std::string(65, ']')), HasSubstr("not valid JSON"));
  EXPECT_THAT(failure_of(std::string(1'000'000, '[')), HasSubstr("not valid JSON"));
}

TEST(JsonTest, NumbersThatCouldNotBeWrittenAgainAreRefused) {
  for (const char* text : {"1e400", "[-1e309]", "{\"a\":[{\"b\":1e999999}]}", "0e400"}) {
    EXPECT_THAT(failure_of(text), HasSubstr("a number too large")) << text;
  }
  EXPECT_EQ(failure_of("1.7976931348623157e308"), "parsed");
}

TEST(JsonTest, KeepsWholeNumbersExact) {
  for (const char* text : {"9223372036854775807", "-9223372036854775808", "18446744073709551615", "0"}) {
    EXPECT_EQ(write_json(*parse_json(text)), text);
  }
}

TEST(JsonTest, AnObjectIsAskedForByName) {
  EXPECT_EQ(parse_json_object("{\"a\":1}")->size(), 1u);
  EXPECT_EQ(parse_json_object("[1]").error().message(), "expected a JSON object, got a list");
}

TEST(JsonTest, WritesPrettyForPeople) {
  EXPECT_EQ(write_json_pretty(*parse_json(R"({"a":[1,{"b":"x\""}],"c":[],"d":{}})")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x\\\"\"\n    }\n  ],\n  \"c\": [],\n  \"d\": {}\n}");
  EXPECT_EQ(write_json_pretty(nullptr), "null");
}

TEST(JsonTest, ShallowReadsFallBack) {
  const JsonObject object = *parse_json_object(R"({"t":"x","n":3,"f":3.5,"b":true,"o":{"k":1}})");
  EXPECT_EQ(text_or(object, "t"), "x");
  EXPECT_EQ(text_or(object, "n", "none"), "none");
  EXPECT_EQ(integer_or(object, "n"), 3);
  EXPECT_EQ(integer_or(object, "f", 9), 9);
  EXPECT_EQ(integer_or(object, "t", 9), 9);
  EXPECT_EQ(integer_or(object, "absent", 9), 9);
  EXPECT_TRUE(boolean_or(object, "b"));
  EXPECT_TRUE(boolean_or(object, "n", true));
  EXPECT_EQ(object_or_null(object, "o")->size(), 1u);
  EXPECT_EQ(object_or_null(object, "t"), nullptr);
}

TEST(JsonTest, SetIfLeavesAbsentFieldsOut) {
  JsonObject object;
  set_if(object, "a", std::optional<int>(1));
  set_if(object, "b", std::optional<int>());
  EXPECT_EQ(write_json(object), "{\"a\":1}");
}

TEST(JsonTest, WritesFractionsAsAPersonDoes) {
  const JsonObject object{{"a", 0.02}, {"b", JsonArray{Json(1.5), Json(2), Json(3.0)}}, {"c", "x"}, {"d", 1e300}};
  EXPECT_EQ(write_json(object), R"({"a":0.02,"b":[1.5,2,3.0],"c":"x","d":1e+300})");
  EXPECT_EQ(*parse_json(write_json(object)), Json(object));
  EXPECT_EQ(write_json_pretty(JsonArray{Json(0.5)}), "[\n  0.5\n]");
}

TEST(JsonTest, TextThatIsNotUtf8IsFoundByItsPlace) {
  const JsonObject good = {{"a", "é"}, {"b", JsonArray{1, nullptr, JsonObject{{"c", ""}}}}};
  EXPECT_EQ(find_broken_text(good), std::nullopt);
  EXPECT_EQ(find_broken_text(Json("\xff")), "");
  EXPECT_EQ(find_broken_text(JsonObject{{"a", 1}, {"b", JsonObject{{"c", "x\xe9"}}}}), "b.c");
  EXPECT_EQ(find_broken_text(JsonObject{{"urls", JsonArray{"a", "\xc3"}}}), "urls[1]");
  EXPECT_EQ(find_broken_text(JsonObject{{"a", JsonObject{{"\xff", 1}}}}), "a.\\xff");
}

}  // namespace
}  // namespace talaria
