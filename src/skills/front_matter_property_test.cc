// Whatever happens to one line of a good file, the other keys keep their values.
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "skills/skill_card.h"

namespace talaria {
namespace {

struct Entry {
  std::string key;
  std::string lines;  // without the key
  std::string value;  // as JSON
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"name", "a-skill", R"("a-skill")"},
      {"description", "\"What: it does\"", R"("What: it does")"},
      {"version", "1.0", R"("1.0")"},
      {"author", "|\n  A: \"B\n  ---\n  C", R"("A: \"B\n---\nC\n")"},
      {"tags", "[x, \"y, z\"]", R"(["x","y, z"])"},
      {"platforms", "\n- linux\n- macos", R"(["linux","macos"])"},
      {"metadata", "\n  hermes:\n    requires_tools: [web_search]\n    config:\n      - key: k\n        default: true",
       R"({"hermes":{"requires_tools":["web_search"],"config":[{"key":"k","default":true}]}})"},
      {"license", ">-\n  MIT\n  or so", R"("MIT or so")"},
      {"compatibility", "'it''s'", R"("it's")"},
  };
  return all;
}

// The file with the value of one entry replaced by `value`, and `line` put before it.
std::string file_with(size_t broken, const std::string& value, const std::string& line = "") {
  std::string file = "---\n";
  for (size_t i = 0; i < entries().size(); ++i) {
    if (i == broken && !line.empty()) file += line + "\n";
    file += entries()[i].key + ": " + (i == broken ? value : entries()[i].lines) + "\n";
  }
  return file + "---\n# Body\n";
}

void expect_others(const std::string& file, size_t broken) {
  const FrontMatter matter = read_front_matter(file);
  ASSERT_TRUE(matter.present) << file;
  EXPECT_EQ(matter.body, "# Body\n") << file;
  for (size_t i = 0; i < entries().size(); ++i) {
    if (i == broken) continue;
    const auto field = matter.fields.find(entries()[i].key);
    ASSERT_NE(field, matter.fields.end()) << entries()[i].key << " is lost in\n" << file;
    ASSERT_EQ(write_json(field->value()), entries()[i].value) << entries()[i].key << " of\n" << file;
  }
}

constexpr size_t none = 1000;

TEST(FrontMatterPropertyTest, TheFileItselfIsReadWhole) {
  for (size_t i = 0; i < entries().size(); ++i) expect_others(file_with(i, entries()[i].lines), none);
  EXPECT_TRUE(read_front_matter(file_with(none, "")).diagnostics.empty());
}

TEST(FrontMatterPropertyTest, OneBrokenValueTouchesNoOther) {
  for (std::string value : {"a: b",
                            "a:",
                            "\"",
                            "\"a",
                            "a\"",
                            "\"a\" b",
                            "'",
                            "'a",
                            "it's: x",
                            "[",
                            "[a",
                            "[a, ",
                            "]",
                            "{",
                            "{\"a\": ",
                            "{\"a\": [1, 2}",
                            "}",
                            "**b**",
                            "*a",
                            "&",
                            "& a",
                            "!",
                            "! a: b",
                            "|",
                            "> a",
                            "@a",
                            "`a`",
                            "%a",
                            ", a",
                            "- a",
                            "? a",
                            "#",
                            "a # b: c",
                            "\\",
                            "\"\\q\"",
                            "\t",
                            "\x01",
                            "a\n  b: c",
                            "a\n\tb: c",
                            "\n  a: b: c",
                            "\n  - a: b: c\n  - \"d\" e",
                            "|\n    a\n  b",
                            "\n\tx: y",
                            "[a] [b]",
                            "<<",
                            "~",
                            "--- a",
                            "... b"}) {
    for (size_t broken = 0; broken < entries().size(); ++broken) expect_others(file_with(broken, value), broken);
  }
}

TEST(FrontMatterPropertyTest, ALineThatDoesNotBelongTouchesNoKey) {
  for (std::string line : {"prose",      "some prose, more",
                           "- item",     "  indented prose",
                           "* star",     "> quote",
                           "| a | b |",  "```",
                           "@x",         "%x",
                           "}",          "]",
                           "--- x",      "# comment",
                           "\t",         "!",
                           "\"",         "<b>",
                           "odd key: [", "other: x: y",
                           "1"}) {
    for (size_t before = 1; before < entries().size(); ++before) {
      // Behind a value that goes on below it, an indented line is one of its own.
      const bool goes_on =
          entries()[before - 1].lines.find('\n') != std::string::npos || entries()[before - 1].lines.empty();
      const bool deeper = line[0] == ' ' || line[0] == '\t';
      if (goes_on && (deeper || line == "- item" || line == "\"")) continue;
      expect_others(file_with(before, entries()[before].lines, line), deeper ? before - 1 : none);
    }
  }
}

TEST(FrontMatterPropertyTest, AnyValueAtAllTouchesNoOther) {
  std::mt19937 random(7);
  constexpr std::string_view characters = ":: \"'[]{},#&*!|>%@`-?\\\tab1~<.=";
  for (int i = 0; i < 20'000; ++i) {
    std::string value;
    for (size_t length = 1 + random() % 10; length > 0; --length) value += characters[random() % characters.size()];
    const size_t broken = random() % entries().size();
    expect_others(file_with(broken, value), broken);
    if (HasFatalFailure()) return;
  }
}

TEST(FrontMatterPropertyTest, AnyChangeOfBytesGivesSomethingWellFormed) {
  std::mt19937 random(8);
  const std::string file = file_with(none, "");
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = file;
    for (size_t edits = 1 + random() % 4; edits > 0; --edits) {
      const size_t at = random() % changed.size();
      switch (random() % 4) {
        case 0: changed[at] = static_cast<char>(random()); break;
        case 1: changed.insert(at, 1, static_cast<char>(random())); break;
        case 2: changed.erase(at, 1 + random() % 20); break;
        default: changed.insert(at, changed.substr(random() % changed.size(), random() % 30));
      }
      if (changed.empty()) changed = "x";
    }
    const FrontMatter matter = read_front_matter(changed);
    const SkillCard card = read_card(matter, "folder");
    ASSERT_TRUE(is_utf8(write_json(matter.fields)) && is_utf8(matter.body)) << changed;
    ASSERT_TRUE(is_utf8(card.name) && is_utf8(card.description)) << changed;
    ASSERT_FALSE(card.slug.empty()) << changed;
    ASSERT_EQ(card.description.find('\n'), std::string::npos) << changed;
  }
}

}  // namespace
}  // namespace talaria
