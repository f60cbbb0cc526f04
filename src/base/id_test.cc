#include "base/id.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace talaria {
namespace {

TEST(IdTest, IsEightReadableCharacters) {
  std::mt19937_64 random(1);
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = id_from(random());
    ASSERT_EQ(id.size(), id_length);
    ASSERT_EQ(id.find_first_of("01oliu"), std::string::npos) << id;
    ASSERT_TRUE(looks_like_id(id));
    ASSERT_TRUE(seen.insert(id).second);
  }
}

TEST(IdTest, TheSameRandomnessGivesTheSameId) {
  EXPECT_EQ(id_from(0), "22222222");
  EXPECT_EQ(id_from(42), id_from(42));
}

TEST(IdTest, KnowsPrefixesFromOtherText) {
  EXPECT_TRUE(looks_like_id("a"));
  EXPECT_TRUE(looks_like_id("2345abcd"));
  for (const char* text : {"", "2345abcde", "ABC", "a-b", "0", "o", "l", "i", "u", "1", "é"}) {
    EXPECT_FALSE(looks_like_id(text)) << text;
  }
}

}  // namespace
}  // namespace talaria
