#include "yaml/plain_yaml.h"

#include <gtest/gtest.h>

#include <random>

#include "yaml/yaml_value.h"

namespace talaria {
namespace {

std::string plain(std::string_view text) {
  const std::optional<Json> value = read_plain_yaml(text);
  return value ? write_json(*value) : "doubt";
}

TEST(PlainYamlTest, ReadsWhatMostFrontMatterIsMadeOf) {
  EXPECT_EQ(plain("name: a\ndescription: Some words, (with) signs.\nversion: 1.0.0\n"),
            R"({"name":"a","description":"Some words, (with) signs.","version":"1.0.0"})");
  EXPECT_EQ(plain("a: \"x: y\" # c\nb: 'z'\nc: true\nd: ~\ne:\n"),
            R"({"a":"x: y","b":"z","c":true,"d":null,"e":null})");
  EXPECT_EQ(plain("a: [x, y z, \"p\"]\nb: []\nc: {\"d\":{\"e\":[1,true]}, f: g}\n"),
            R"({"a":["x","y z","p"],"b":[],"c":{"d":{"e":["1",true]},"f":"g"}})");
  EXPECT_EQ(plain("a:\n  b:\n    - x\n    - k: v\n      l: w\n  c: d\ne:\n- f\n"),
            R"({"a":{"b":["x",{"k":"v","l":"w"}],"c":"d"},"e":["f"]})");
  EXPECT_EQ(plain("a: |\n  x\n   y\n\n  z\nb: >-\n  p\n  q\n\n  r\nc: d\n"),
            R"({"a":"x\n y\n\nz\n","b":"p q\nr","c":"d"})");
  EXPECT_EQ(plain("# c\n\n名: x\n"), "doubt");
  EXPECT_EQ(plain("a: 名 é 😀\n"), R"({"a":"名 é 😀"})");
}

TEST(PlainYamlTest, LeavesWhatIsNotCertainToTheThoroughReader) {
  for (std::string_view text : {
           "",
           "# c\n",
           "text\n",
           "- a\n",
           "a: b: c\n",
           "a: b:\n",
           "a: \"x\\n\"\n",
           "a: 'it''s'\n",
           "a: \"x\" y\n",
           "a: b\n  c\n",
           "a: b\na: c\n",
           "a: {b: 1, b: 2}\n",
           "a: [b, , c]\n",
           "a: [b\n",
           "a: [b]]\n",
           "a: [b: c]\n",
           "a: &x b\n",
           "a: *x\n",
           "a: !t b\n",
           "a: @b\n",
           "a: %b\n",
           "a: `b\n",
           "a: - b\n",
           "a:\tb\n",
           "\ta: b\n",
           "a: b\n c: d\n",
           " a: b\nc: d\n",
           "<<: {a: b}\n",
           "? a\n: b\n",
           "a: |2\n  x\n",
           "a: |+\n  x\n\n",
           "a: >\n  x\n    y\n",
           "a: |\nb: c\n",
           "a: |\n  x",
           "a:\n  - b\n  c: d\n",
           "a:\n  -\n",
           "a:\n  - - b\n",
           "a: b\x07\n",
           "a: b\xC2\x85\n",
           "a: b\xE2\x80\xA8\n",
           "\xEF\xBB\xBF"
           "a: b\n",
           "---\na: b\n",
           "a: b\n...\n",
           "%a: b\n",
           "a: b\n- c\n",
       }) {
    EXPECT_EQ(plain(text), "doubt") << text;
  }
}

TEST(PlainYamlTest, DepthIsBounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(plain(text), "doubt");
  EXPECT_EQ(plain("a: " + std::string(100'000, '[')), "doubt");
}

// Lines of the kinds that are next to each other in front matter, good and bad.
class TextMaker {
 public:
  explicit TextMaker(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string made;
    for (size_t lines = 1 + pick(6); lines > 0; --lines) made += line() + "\n";
    return made;
  }

 private:
  size_t pick(size_t below) { return random_() % below; }
  std::string_view any(const std::vector<std::string_view>& of) { return of[pick(of.size())]; }

  std::string line() {
    static const std::vector<std::string_view> keys = {"a",  "b", "name", "x-y", "k.l",
                                                       "_z", "1", "true", "a b", "\"q\""};
    static const std::vector<std::string_view> values = {"word",
                                                         "two words",
                                                         "1.0",
                                                         "true",
                                                         "null",
                                                         "~",
                                                         "",
                                                         "# c",
                                                         "x # c",
                                                         "x#y",
                                                         "x: y",
                                                         "x:y",
                                                         "\"q\"",
                                                         "'s'",
                                                         "\"q\" # c",
                                                         "'it''s'",
                                                         "\"a\\n\"",
                                                         "[a, b]",
                                                         "[a,\"b\" , 'c']",
                                                         "{a: b, \"c\":1}",
                                                         "{\"a\":{\"b\":[]}}",
                                                         "[]",
                                                         "{}",
                                                         "[ ]",
                                                         "|",
                                                         ">",
                                                         "|-",
                                                         ">-",
                                                         "| # c",
                                                         "-",
                                                         "- a",
                                                         "-x",
                                                         "*a",
                                                         "&a b",
                                                         "@x",
                                                         "é 中文",
                                                         "“x”",
                                                         "x\ty",
                                                         "[a",
                                                         "}",
                                                         "a\"b",
                                                         "x, y",
                                                         "---",
                                                         "~/x",
                                                         "<b>",
                                                         "[a]b",
                                                         "{a}",
                                                         "[a: b]",
                                                         "[a, ]",
                                                         "?",
                                                         "http://x/y?z#w",
                                                         "=",
                                                         "x  y",
                                                         "  x"};
    const std::string indent(any({"", "", "", "", "  ", "  ", "    ", " "}).size(), ' ');
    const size_t kind = pick(20);
    if (kind < 11) return indent + std::string(any(keys)) + ": " + std::string(any(values));
    if (kind < 14) return indent + "- " + std::string(any(values));
    if (kind < 15) return indent + "- " + std::string(any(keys)) + ": " + std::string(any(values));
    if (kind < 17) return indent + std::string(any(values));
    return kind < 19 ? indent : indent + "# comment";
  }

  std::mt19937 random_;
};

TEST(PlainYamlTest, AgreesWithTheThoroughReaderWhereverItAnswers) {
  TextMaker maker(20261116);
  size_t answers = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string text = maker.text();
    const std::optional<Json> quick = read_plain_yaml(text);
    if (!quick) continue;
    ++answers;
    YamlScope scope;
    const std::optional<Json> thorough = read_yaml_value(text, 1, scope);
    ASSERT_TRUE(thorough.has_value()) << text;
    ASSERT_EQ(write_json(*quick), write_json(*thorough)) << text;
    ASSERT_EQ(scope.remark_count(), 0u) << text;
  }
  EXPECT_GT(answers, 2000u);
}

}  // namespace
}  // namespace talaria
