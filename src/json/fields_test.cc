#include "json/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::Pair;

class FieldsTest : public testing::Test {
 protected:
  JsonObject object_ = *parse_json_object(
      R"({"text":"x","yes":true,"whole":3,"same":3.0,"half":3.5,"big":1e300,"list":["a","b"],"mixed":["a",1],
          "map":{"K":"v"},"deep":{"K":1},"none":null})");
  Fields fields_{object_, "exec parameter"};
};

TEST_F(FieldsTest, ReadsEachKind) {
  EXPECT_EQ(**fields_.text("text"), "x");
  EXPECT_EQ(**fields_.boolean("yes"), true);
  EXPECT_EQ(**fields_.integer("whole", 0, 10), 3);
  EXPECT_EQ(**fields_.integer("same", 0, 10), 3);
  EXPECT_EQ(**fields_.number("half", 0, 10), 3.5);
  EXPECT_EQ(**fields_.number("whole", 0, 10), 3.0);
  EXPECT_THAT(**fields_.texts("list"), ElementsAre("a", "b"));
  EXPECT_THAT(**fields_.text_map("map"), ElementsAre(Pair("K", "v")));
  EXPECT_EQ((*fields_.object("map"))->size(), 1u);
  EXPECT_TRUE(fields_.any("deep")->is_object());
}

TEST_F(FieldsTest, AbsentAndNullReadAsNothing) {
  for (const char* name : {"absent", "none"}) {
    EXPECT_FALSE(*fields_.text(name));
    EXPECT_FALSE(*fields_.boolean(name));
    EXPECT_FALSE(*fields_.integer(name, 0, 1));
    EXPECT_FALSE(*fields_.number(name, 0, 1));
    EXPECT_FALSE(*fields_.texts(name));
    EXPECT_FALSE(*fields_.text_map(name));
    EXPECT_EQ(*fields_.object(name), nullptr);
    EXPECT_EQ(fields_.any(name), nullptr);
  }
}

TEST_F(FieldsTest, AWrongKindIsNamed) {
  EXPECT_EQ(fields_.text("whole").error().message(), "exec parameter \"whole\" must be a string, got a number");
  EXPECT_EQ(fields_.boolean("text").error().message(), "exec parameter \"text\" must be true or false, got a string");
  EXPECT_EQ(fields_.integer("text", 0, 1).error().message(),
            "exec parameter \"text\" must be a whole number, got a string");
  EXPECT_EQ(fields_.number("yes", 0, 1).error().message(), "exec parameter \"yes\" must be a number, got a boolean");
  EXPECT_EQ(fields_.texts("text").error().message(), "exec parameter \"text\" must be a list of strings, got a string");
  EXPECT_EQ(fields_.texts("mixed").error().message(), "exec parameter \"mixed[1]\" must be a string, got a number");
  EXPECT_EQ(fields_.text_map("list").error().message(),
            "exec parameter \"list\" must be an object of strings, got a list");
  EXPECT_EQ(fields_.text_map("deep").error().message(), "exec parameter \"deep.K\" must be a string, got a number");
  EXPECT_EQ(fields_.object("list").error().message(), "exec parameter \"list\" must be an object, got a list");
}

TEST_F(FieldsTest, NumbersOutOfRangeSayTheRange) {
  EXPECT_EQ(fields_.integer("whole", 5, 10).error().message(),
            "exec parameter \"whole\" must be a whole number from 5 to 10, got 3");
  EXPECT_EQ(fields_.integer("half", 0, 10).error().message(),
            "exec parameter \"half\" must be a whole number from 0 to 10, got 3.5");
  EXPECT_EQ(fields_.number("half", 0, 3).error().message(),
            "exec parameter \"half\" must be a number from 0 to 3, got 3.5");
  EXPECT_FALSE(fields_.integer("big", INT64_MIN, INT64_MAX));
}

TEST_F(FieldsTest, UnknownFieldsAreRefusedWithAGuess) {
  const JsonObject object = *parse_json_object(R"({"comand":"ls"})");
  Fields fields(object, "exec parameter");
  ASSERT_TRUE(fields.text("command"));
  ASSERT_TRUE(fields.text("workdir"));
  EXPECT_EQ(fields.no_others().error().message(),
            "unknown exec parameter \"comand\" (did you mean \"command\"?); known: command, workdir");
}

TEST_F(FieldsTest, KnownFieldsPass) {
  const JsonObject object = *parse_json_object(R"({"command":"ls"})");
  Fields fields(object, "exec parameter");
  ASSERT_TRUE(fields.text("command"));
  EXPECT_TRUE(fields.no_others());
}

}  // namespace
}  // namespace talaria
