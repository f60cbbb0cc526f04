// Lists that are no YAML: whatever is wrong with how their items stand, each of them is read.
#include <gtest/gtest.h>

#include <array>

#include "yaml/tolerant_yaml.h"

namespace talaria {
namespace {

constexpr auto known = std::to_array<std::string_view>({"name", "tags"});

std::string read(const std::string& text) { return write_json(read_tolerant_yaml(text, 1, known).value); }

std::vector<std::string> remarks(const std::string& text) {
  std::vector<std::string> said;
  for (const YamlRemark& remark : read_tolerant_yaml(text, 1, known).remarks)
    said.push_back(std::to_string(remark.line) + ": " + remark.message);
  return said;
}

TEST(YamlRepairListTest, ItemsMayStandAtAnyDepth) {
  for (size_t a = 0; a < 5; ++a) {
    for (size_t b = 0; b < 5; ++b) {
      for (size_t c = 0; c < 5; ++c) {
        std::string text = "tags:\n";
        for (const auto& [depth, item] : {std::pair(a, "\"a\""), std::pair(b, "\"b\""), std::pair(c, "\"c\"")})
          text += std::string(depth, ' ') + "- " + item + "\n";
        EXPECT_EQ(read(text + "name: x\n"), R"({"tags":["a","b","c"],"name":"x"})") << text;
      }
    }
  }
}

TEST(YamlRepairListTest, AnItemThatStandsOutOfLineIsSaid) {
  EXPECT_EQ(remarks("tags:\n  - a\n - b\n  - c\n"),
            (std::vector<std::string>{"3: a list item is not indented as the first one is; read as one of them"}));
}

TEST(YamlRepairListTest, WhatBelongsToAnItemMovesWithIt) {
  EXPECT_EQ(read("tags:\n  - k: a: b\n    l: c\n   - k: d\n     l:\n       - e\n       - f\n"),
            R"({"tags":[{"k":"a: b","l":"c"},{"k":"d","l":["e","f"]}]})");
  EXPECT_EQ(read("tags:\n  - k: |\n      - no item\n     - nor this\n - b\n"),
            R"({"tags":[{"k":" - no item\n- nor this\n"},"b"]})");
}

TEST(YamlRepairListTest, ListsInsideOfListsStay) {
  EXPECT_EQ(read("tags:\n  - k:\n      - a\n      - b: c: d\n  -\n    - e\n - f\n"),
            R"({"tags":[{"k":["a",{"b":"c: d"}]},["e"],"f"]})");
}

TEST(YamlRepairListTest, ADashWithoutItsBlankMakesAnItem) {
  EXPECT_EQ(read("tags:\n  - a\n  -b\n  - \"c\" d\n"), R"({"tags":["a","b","\"c\" d"]})");
  EXPECT_EQ(remarks("tags:\n  - a\n  -b\n  - \"c\"\n"),
            (std::vector<std::string>{"3: a list item has no blank behind its dash; read as one"}));
}

TEST(YamlRepairListTest, AListMayStartOnTheLineOfItsKey) {
  EXPECT_EQ(read("tags: [a, b]\n  - c\n  - d\nname: x\n"), R"({"tags":["a","b","c","d"],"name":"x"})");
  EXPECT_EQ(read("tags: - a\n  - b\n  - c\nname: x\n"), R"({"tags":["a","b","c"],"name":"x"})");
  EXPECT_EQ(remarks("tags: - a\n  - b\n"),
            (std::vector<std::string>{"1: a list starts on the line of its key and goes on below; read as one list"}));
}

}  // namespace
}  // namespace talaria
