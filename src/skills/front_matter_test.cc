#include "skills/front_matter.h"

#include <gtest/gtest.h>

#include <set>

#include "skills/front_matter_fence_cases.h"
#include "skills/front_matter_repair_cases.h"
#include "skills/front_matter_value_cases.h"

namespace talaria {
namespace {

std::vector<std::string> said(const std::vector<SkillDiagnostic>& diagnostics) {
  std::vector<std::string> lines;
  for (const SkillDiagnostic& diagnostic : diagnostics) {
    EXPECT_EQ(diagnostic.severity, Severity::warning);
    lines.push_back(std::to_string(diagnostic.line) + ": " + diagnostic.message);
  }
  return lines;
}

std::string fields_of(const FrontMatter& matter) { return matter.present ? write_json(matter.fields) : "absent"; }

void expect_read(const std::vector<FrontMatterCase>& cases) {
  for (const FrontMatterCase& each : cases) {
    SCOPED_TRACE(each.name);
    const FrontMatter matter = read_front_matter(each.file);
    EXPECT_EQ(fields_of(matter), each.fields);
    EXPECT_EQ(matter.body, each.body);
    EXPECT_EQ(said(matter.diagnostics), each.diagnostics);
  }
}

std::string repeated(std::string_view text, size_t times) {
  std::string made;
  for (size_t i = 0; i < times; ++i) made += text;
  return made;
}

TEST(FrontMatterTest, IsFoundWhereverPeoplePutIt) { expect_read(front_matter_fence_cases); }
TEST(FrontMatterTest, ValuesAreReadAsTheyAreWritten) { expect_read(front_matter_value_cases); }
TEST(FrontMatterTest, OnlyWhatIsBrokenIsRepaired) { expect_read(front_matter_repair_cases); }

TEST(FrontMatterTest, EveryCaseHasANameOfItsOwn) {
  std::set<std::string> names;
  size_t count = 0;
  for (const auto* cases : {&front_matter_fence_cases, &front_matter_value_cases, &front_matter_repair_cases}) {
    for (const FrontMatterCase& each : *cases) names.insert(each.name), ++count;
  }
  EXPECT_EQ(names.size(), count);
  EXPECT_GE(count, 120u);
}

TEST(FrontMatterTest, TheSameFileWithCarriageReturnsSaysTheSame) {
  for (const auto* cases : {&front_matter_value_cases, &front_matter_repair_cases}) {
    for (const FrontMatterCase& each : *cases) {
      SCOPED_TRACE(each.name);
      std::string file;
      for (char c : each.file) file += c == '\n' ? "\r\n" : std::string(1, c);
      const FrontMatter matter = read_front_matter(file);
      EXPECT_EQ(fields_of(matter), each.fields);
      EXPECT_EQ(said(matter.diagnostics), each.diagnostics);
    }
  }
}

TEST(FrontMatterTest, TheBodyKnowsItsLine) {
  EXPECT_EQ(read_front_matter("---\nname: a\n---\nBody\n").body_line, 4u);
  EXPECT_EQ(read_front_matter("\r\n<!--\r\n-->\r\n---\r\nname: a\r\n---\r\nBody\r\n").body_line, 7u);
  EXPECT_EQ(read_front_matter("---\nname: a\n\n# Title\n").body_line, 4u);
  EXPECT_EQ(read_front_matter("Body\n").body_line, 1u);
}

TEST(FrontMatterTest, AKeyKnowsItsLine) {
  const FrontMatter matter = read_front_matter("---\nname: a\nmetadata:\n  hermes: {\"tags\": [x]}\n---\n");
  EXPECT_EQ(line_of_key(matter, "name"), 2u);
  EXPECT_EQ(line_of_key(matter, "hermes"), 4u);
  EXPECT_EQ(line_of_key(matter, "tags"), 4u);
  EXPECT_EQ(line_of_key(matter, "ame"), 0u);
  EXPECT_EQ(line_of_key(matter, "version"), 0u);
}

TEST(FrontMatterTest, TooMuchOfItIsCut) {
  const std::string many = repeated("key: a long enough value\n", 60'000);
  const FrontMatter matter = read_front_matter("---\nname: a\n" + many + "last: z\n---\nBody\n");
  EXPECT_EQ(matter.fields.at("name"), "a");
  EXPECT_EQ(matter.fields.at("key"), "a long enough value");
  EXPECT_FALSE(matter.fields.contains("last"));
  EXPECT_EQ(matter.body, "Body\n");
  EXPECT_EQ(
      matter.diagnostics.front(),
      (SkillDiagnostic{Severity::warning, 2, "the front matter is larger than 1 MiB; the rest of it is left out"}));
}

TEST(FrontMatterTest, AliasesCannotMultiplyWithoutEnd) {
  std::string file = "---\nx0: &x0 [" + repeated("y", 100) + "]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*x" + std::to_string(i - 1);
    file += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  const FrontMatter matter = read_front_matter(file + "name: a\n---\n");
  EXPECT_EQ(matter.fields.at("name"), "a");
  EXPECT_LT(write_json(matter.fields).size(), size_t{4} << 20);
  ASSERT_EQ(matter.diagnostics.size(), 1u);
  EXPECT_EQ(matter.diagnostics[0].message, "the alias *x3 makes the text too large; left out");
}

TEST(FrontMatterTest, AnAliasOfWhatItStandsInIsText) {
  const FrontMatter matter = read_front_matter("---\na: &x [b, *x]\nname: n\n---\n");
  EXPECT_EQ(matter.fields.at("name"), "n");
  EXPECT_EQ(write_json(matter.fields), R"({"a":"&x [b, *x]","name":"n"})");
}

TEST(FrontMatterTest, WhatIsNestedTooDeeplyIsText) {
  for (size_t depth : {70, 2000, 200'000}) {
    const std::string deep = repeated("[", depth) + repeated("]", depth);
    const FrontMatter matter = read_front_matter("---\na: " + deep + "\nname: n\n---\n");
    EXPECT_EQ(matter.fields.at("a"), Json(deep));
    EXPECT_EQ(matter.fields.at("name"), "n");
    EXPECT_EQ(said(matter.diagnostics),
              std::vector<std::string>{"2: a: the value is no valid list or map; read as text"});
  }
}

TEST(FrontMatterTest, ThereAreNeverMoreThanAHundredRemarks) {
  const FrontMatter matter = read_front_matter("---\n" + repeated("prose\n", 5000) + "name: a\n---\n");
  EXPECT_EQ(write_json(matter.fields), R"({"name":"a"})");
  ASSERT_EQ(matter.diagnostics.size(), 101u);
  EXPECT_EQ(matter.diagnostics.back().message, "and 4,900 more such problems");
  const FrontMatter tagged = read_front_matter("---\n" + repeated("name: !a b\n", 5000) + "---\n");
  EXPECT_EQ(write_json(tagged.fields), R"({"name":"!a b"})");
  EXPECT_EQ(tagged.diagnostics.size(), 202u);
}

TEST(FrontMatterTest, ThousandsOfBrokenLinesAreAllRead) {
  std::string file = "---\n";
  for (int i = 0; i < 3000; ++i) file += "k" + std::to_string(i) + ": x: " + std::to_string(i) + "\n";
  const FrontMatter matter = read_front_matter(file + "---\n");
  ASSERT_EQ(matter.fields.size(), 3000u);
  EXPECT_EQ(matter.fields.at("k0"), "x: 0");
  EXPECT_EQ(matter.fields.at("k2999"), "x: 2999");
}

}  // namespace
}  // namespace talaria
