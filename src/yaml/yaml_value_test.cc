#include "yaml/yaml_value.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

std::string read(std::string_view text) {
  YamlScope scope;
  const std::optional<Json> value = read_yaml_value(text, 1, scope);
  return value ? write_json(*value) : "invalid";
}

std::vector<YamlRemark> remarks(std::string_view text, size_t first_line = 1) {
  YamlScope scope;
  EXPECT_TRUE(read_yaml_value(text, first_line, scope)) << text;
  return std::move(scope).take_remarks();
}

TEST(YamlValueTest, KeepsNullsBooleansListsAndMaps) {
  EXPECT_EQ(read("a: null\nb: True\nc: [x, {y: ~}]\nd:\n"), R"({"a":null,"b":true,"c":["x",{"y":null}],"d":null})");
  EXPECT_EQ(read("- a\n- - b\n"), R"(["a",["b"]])");
  EXPECT_EQ(read("just text\n"), R"("just text")");
  EXPECT_EQ(read(""), "null");
  EXPECT_EQ(read("# c\n"), "null");
}

TEST(YamlValueTest, EveryOtherScalarIsItsText) {
  EXPECT_EQ(read("[1.0, 0x1F, 1_000, 2026-01-02, .inf, 12:30, yes, no, \"true\", 'null']"),
            R"(["1.0","0x1F","1_000","2026-01-02",".inf","12:30","yes","no","true","null"])");
}

TEST(YamlValueTest, TextThatIsNoDocumentOfItsOwnIsInvalid) {
  for (std::string_view text :
       {"a: b: c", "a: [", "a: *x", "--- a\n--- b\n", "%YAML 1.2\n---\na: b\n", "a: @b", "a: \"\\q\""}) {
    EXPECT_EQ(read(text), "invalid") << text;
  }
}

TEST(YamlValueTest, AnInvalidTextLeavesNoRemark) {
  YamlScope scope;
  EXPECT_FALSE(read_yaml_value("a: 1\na: 2\nb: c: d\n", 1, scope));
  EXPECT_EQ(scope.remark_count(), 0u);
}

TEST(YamlValueTest, TheLastOfTwoKeysCountsAndIsRemarked) {
  EXPECT_EQ(read("a: 1\nb: 2\na: 3\n"), R"({"a":"3","b":"2"})");
  EXPECT_EQ(remarks("a: 1\nb: 2\na: 3\n", 10),
            (std::vector<YamlRemark>{{12, "\"a\" is there twice; the last one counts"}}));
}

TEST(YamlValueTest, KeysThatAreNoTextBecomeText) {
  EXPECT_EQ(read("? [a, b]\n: c\n? {d: e}\n: f\n1: g\n"), R"({"[\"a\",\"b\"]":"c","{\"d\":\"e\"}":"f","1":"g"})");
  EXPECT_EQ(read("a: &x k\n*x : v\n"), R"({"a":"k","k":"v"})");
}

TEST(YamlValueTest, AnchorsReachLaterTextsOfTheSameScope) {
  YamlScope scope;
  ASSERT_TRUE(read_yaml_value("a: &x {k: v}\n", 1, scope));
  const std::optional<Json> value = read_yaml_value("b: *x\n", 2, scope);
  ASSERT_TRUE(value);
  EXPECT_EQ(write_json(*value), R"({"b":{"k":"v"}})");
}

TEST(YamlValueTest, MergeKeysGiveWayToTheMapsOwn) {
  EXPECT_EQ(read("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n"), R"({"a":{"p":"1","q":"2"},"b":{"q":"3","p":"1"}})");
  EXPECT_EQ(read("<<: text\n"), R"({"<<":"text"})");
  EXPECT_EQ(read("'<<': {a: b}\n"), R"({"<<":{"a":"b"}})");
}

TEST(YamlValueTest, BlockTextsAreReadInEveryForm) {
  EXPECT_EQ(read("a: |\n x\n  y\n\n z\n\nb: c\n"), R"({"a":"x\n y\n\nz\n","b":"c"})");
  EXPECT_EQ(read("a: |+\n x\n\nb: |-\n y\n\nc: >+\n z\n\n"), R"({"a":"x\n\n","b":"y","c":"z\n\n"})");
  EXPECT_EQ(read("a: >\n x\n y\n\n\n z\n   code\n w\n"), R"({"a":"x y\n\nz\n  code\nw\n"})");
  EXPECT_EQ(read("a: >-\n\n x\n"), R"({"a":"\nx"})");
  EXPECT_EQ(read("a:\n  - |1\n    x\n  - b: >2-\n       y\n"), R"({"a":[" x\n",{"b":" y"}]})");
  EXPECT_EQ(read("a: |\nb: >-\n\nc: |\n   \n"), R"({"a":"","b":"","c":""})");
  EXPECT_EQ(read("a: |\n x"), R"({"a":"x"})");
}

// What libfyaml 0.7.12 gets wrong by itself.
TEST(YamlValueTest, BlockTextsHaveNoBytesThatAreNotInTheFile) {
  EXPECT_EQ(read("a: |\n null:...\n  a: %x\n   x-y:é ü\n\n  \n"), R"({"a":"null:...\n a: %x\n  x-y:é ü\n\n \n"})");
  EXPECT_EQ(read("- |\n  a: +1 \n    x-y: - a\n    -  null: -x\n    - 中文\n"),
            R"(["a: +1 \n  x-y: - a\n  -  null: -x\n  - 中文\n"])");
  EXPECT_EQ(read("k: >-\n  \n  é\n  \n   é x\nz: é\n"), R"({"k":"\né\n\n é x","z":"é"})");
  EXPECT_EQ(read("  a: >-\n  b: c\n"), "invalid");
}

TEST(YamlValueTest, NestingIsBounded) {
  EXPECT_NE(read(std::string(50, '[') + std::string(50, ']')), "invalid");
  EXPECT_EQ(read(std::string(64, '[') + std::string(64, ']')), "invalid");
  EXPECT_EQ(read(std::string(1'000'000, '[')), "invalid");
}

TEST(YamlValueTest, RemarksComeInTheOrderOfLinesAndAreCounted) {
  YamlScope scope;
  for (size_t i = 0; i < 150; ++i) scope.remark(200 - i, "x");
  const std::vector<YamlRemark> all = std::move(scope).take_remarks();
  ASSERT_EQ(all.size(), 101u);
  EXPECT_EQ(all[0], (YamlRemark{101, "x"}));
  EXPECT_EQ(all[100], (YamlRemark{200, "and 50 more such problems"}));
}

}  // namespace
}  // namespace talaria
