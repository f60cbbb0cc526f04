#include "yaml/tolerant_yaml.h"

#include <gtest/gtest.h>

#include <array>

#include "yaml/loose_line.h"
#include "yaml/mend_flow.h"

namespace talaria {
namespace {

constexpr std::array<std::string_view, 2> known = {"name", "tags"};

std::string read(std::string_view text) { return write_json(read_tolerant_yaml(text, 1, known).value); }

TEST(TolerantYamlTest, ValidTextIsReadAsItIs) {
  for (std::string_view text : {"a: b\n", "a: &x [b]\nc: *x\n", "a:\n  b\n", "- a\n", "text\n", ""}) {
    const TolerantYaml yaml = read_tolerant_yaml(text, 1, known);
    EXPECT_FALSE(yaml.repaired) << text;
    EXPECT_EQ(yaml.remarks, std::vector<YamlRemark>()) << text;
  }
}

TEST(TolerantYamlTest, ARemarkSaysWhatWasBrokenAndWhere) {
  const TolerantYaml yaml = read_tolerant_yaml("a: 1\nb:\n  c: x: y\n", 10, known);
  EXPECT_TRUE(yaml.repaired);
  EXPECT_EQ(write_json(yaml.value), R"({"a":"1","b":{"c":"x: y"}})");
  EXPECT_EQ(yaml.remarks,
            (std::vector<YamlRemark>{{12, "c: the value has a colon in it and no quotes around it; read as text"}}));
}

TEST(TolerantYamlTest, OnlyTheBrokenEntryIsReadLoosely) {
  // In YAML's own reading "0x1F # c" ends before the comment and the block keeps its tab.
  EXPECT_EQ(read("a: 0x1F # c\nb: |\n  \tx: y: z\nc: !!str true\nd: p: q\n"),
            R"({"a":"0x1F","b":"\tx: y: z\n","c":"true","d":"p: q"})");
}

TEST(TolerantYamlTest, GoesIntoWhatIsBrokenAsDeepAsNeedBe) {
  EXPECT_EQ(read("a:\n  b:\n    - c:\n        - d: e: f\n          g: [h]\n      i: 'j'\n    - k\n  l: m\n"),
            R"({"a":{"b":[{"c":[{"d":"e: f","g":["h"]}],"i":"j"},"k"],"l":"m"}})");
}

TEST(TolerantYamlTest, KnownKeysAreFoundWhereOthersWouldBeProse) {
  EXPECT_EQ(read("name:x\nother:y\n"), R"({"name":"x"})");
  EXPECT_EQ(read("a: b\n name: c\n"), R"({"a":"b","name":"c"})");
  EXPECT_EQ(read("a: b\n other: c\n"), R"({"a":"b other: c"})");
  EXPECT_EQ(read("tags: [a, b\nname: c\nd: e]\n"), R"({"tags":["a","b"],"name":"c","d":"e]"})");
}

TEST(MendFlowTest, BracketsAndCommasArePutRight) {
  EXPECT_EQ(mend_flow("[a, b"), "[a, b]");
  EXPECT_EQ(mend_flow("{\"a\": {\"b\": [1, 2}"), "{\"a\": {\"b\": [1, 2]}}");
  EXPECT_EQ(mend_flow("[a,, b, ,c]"), "[a, b, c]");
  EXPECT_EQ(mend_flow("[, a]"), "[ a]");
  EXPECT_EQ(mend_flow("{a: b}}}"), "{a: b}");
  EXPECT_EQ(mend_flow("[a,\n\n b"), "[a, b]");
  EXPECT_EQ(mend_flow("[\"a]\", 'b['"), "[\"a]\", 'b[']");
}

TEST(MendFlowTest, ATextIsNoCollection) {
  EXPECT_EQ(mend_flow("[a] [b]"), std::nullopt);
  EXPECT_EQ(mend_flow("[a](b)"), std::nullopt);
  EXPECT_EQ(mend_flow("{\"a"), std::nullopt);
  EXPECT_EQ(mend_flow("a"), std::nullopt);
  EXPECT_EQ(mend_flow(""), std::nullopt);
}

TEST(LooseLineTest, APairIsSplitAtItsFirstColonWithABlank) {
  const auto split = [](std::string_view text) {
    const std::optional<LoosePair> pair = split_pair(text, known);
    return pair ? pair->key + "=" + std::string(pair->value) : "none";
  };
  EXPECT_EQ(split("a: b: c"), "a=b: c");
  EXPECT_EQ(split("a:"), "a=");
  EXPECT_EQ(split("http://x y: z"), "http://x y=z");
  EXPECT_EQ(split("\"a: b\": c"), "a: b=c");
  EXPECT_EQ(split("name:x"), "name=x");
  EXPECT_EQ(split("name \xEF\xBC\x9A x"), "name=x");
  EXPECT_EQ(split("other:x"), "none");
  EXPECT_EQ(split("names:x"), "none");
  EXPECT_EQ(split("{a: b}"), "none");
  EXPECT_EQ(split("# a: b"), "none");
  EXPECT_EQ(split(""), "none");
}

TEST(LooseLineTest, QuotesAroundAllOfATextGo) {
  EXPECT_EQ(unquoted("\"a \"b\" c\""), "a \"b\" c");
  EXPECT_EQ(unquoted("\"a\" or \"b\""), "\"a\" or \"b\"");
  EXPECT_EQ(unquoted("\"a\" b"), "\"a\" b");
  EXPECT_EQ(unquoted("\"a"), "a");
  EXPECT_EQ(unquoted("'it's'"), "it's");
  EXPECT_EQ(unquoted("'a''b'c'"), "a'b'c");
  EXPECT_EQ(unquoted("\"a \\\"b\\\" \\n \"c\" d\""), "a \"b\" \n \"c\" d");
  EXPECT_EQ(unquoted("\"\\d\\n\""), "\\d\\n");
  EXPECT_EQ(unquoted("\""), "");
  EXPECT_EQ(unquoted("plain"), "plain");
}

}  // namespace
}  // namespace talaria
