#include "base/json_escape.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(JsonEscapeTest, WritesOneUnitOrTwo) {
  std::string text = "x";
  for (const char32_t character : {U'\x1b', U'\u00e9', U'\u202e', U'\U0001f600'}) append_json_escape(text, character);
  EXPECT_EQ(text, "x\\u001b\\u00e9\\u202e\\ud83d\\ude00");
}

}  // namespace
}  // namespace talaria
