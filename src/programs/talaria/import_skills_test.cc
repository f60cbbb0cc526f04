#include "talaria/import_skills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "os/file.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = ImportRow::Result;

class ImportSkillsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "importXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    theirs_ = folder_ + "/theirs";
    ours_ = folder_ + "/ours";
    put("research/arxiv/SKILL.md", "arxiv");
    put("research/arxiv/scripts/search.py", "print()");
    ASSERT_EQ(::chmod((theirs_ + "/research/arxiv/scripts/search.py").c_str(), 0755), 0);
    put("flat/skill.md", "flat");
    put("flat/references/SKILL.md", "part of flat");
    put(".hub/x/SKILL.md", "hidden");
    put("a/b/c/d/e/f/SKILL.md", "deep");
    put("a/b/c/d/e/f2/g/SKILL.md", "too deep");
    put("empty/README.md", "none");
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  void put(const std::string& path, const std::string& text) {
    const std::string place = theirs_ + "/" + path;
    ASSERT_TRUE(make_directories(place.substr(0, place.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(place, text, 0644, Durable::no));
  }
  std::vector<ImportRow> copy() {
    std::vector<ImportRow> rows = plan_skill_copies(theirs_, ours_);
    copy_skills(rows, theirs_, ours_, folder_ + "/scratch");
    EXPECT_FALSE(exists(folder_ + "/scratch"));
    return rows;
  }
  ImportRow row_of(const std::vector<ImportRow>& rows, const std::string& name) {
    for (const ImportRow& row : rows) {
      if (row.name == name) return row;
    }
    ADD_FAILURE() << name;
    return {};
  }

  std::string folder_, theirs_, ours_;
};

TEST_F(ImportSkillsTest, FindsSkillsButNothingInsideThem) {
  EXPECT_THAT(find_skill_folders(theirs_), ElementsAre("a/b/c/d/e/f", "flat", "research/arxiv"));
  EXPECT_TRUE(find_skill_folders(folder_ + "/none").empty());
}

TEST_F(ImportSkillsTest, CopiesWholeFoldersWithTheirModes) {
  const std::vector<ImportRow> rows = copy();
  for (const ImportRow& row : rows) EXPECT_EQ(row.result, Outcome::taken) << row.name << row.detail;
  EXPECT_EQ(*read_file(ours_ + "/flat/references/SKILL.md"), "part of flat");
  EXPECT_EQ(*read_file(ours_ + "/research/arxiv/scripts/search.py"), "print()");
  EXPECT_EQ(::access((ours_ + "/research/arxiv/scripts/search.py").c_str(), X_OK), 0);
  EXPECT_FALSE(exists(ours_ + "/.hub"));
  EXPECT_FALSE(exists(ours_ + "/empty"));
}

TEST_F(ImportSkillsTest, WhatIsThereStays) {
  ASSERT_TRUE(make_directories(ours_ + "/research/arxiv"));
  ASSERT_TRUE(write_file_atomically(ours_ + "/research/arxiv/SKILL.md", "mine"));
  EXPECT_EQ(row_of(copy(), "research/arxiv").result, Outcome::kept);
  EXPECT_EQ(*read_file(ours_ + "/research/arxiv/SKILL.md"), "mine");
  EXPECT_FALSE(exists(ours_ + "/research/arxiv/scripts"));
  for (const ImportRow& row : copy()) EXPECT_EQ(row.result, Outcome::kept) << row.name;
}

TEST_F(ImportSkillsTest, ASkillWhoseNameTheHomeHasIsNotTaken) {
  const auto skill = [](const std::string& name) { return "---\nname: " + name + "\ndescription: d\n---\nText.\n"; };
  const auto mine = [&](const std::string& path, const std::string& name) {
    ASSERT_TRUE(make_directories(ours_ + "/" + path));
    ASSERT_TRUE(write_file_atomically(ours_ + "/" + path + "/SKILL.md", skill(name)));
  };
  mine("cat/demo", "demo");
  mine("by-folder", "Something else");
  mine("spelt", "My Skill!");
  put("b/h2/SKILL.md", skill("demo"));
  put("b/h3/SKILL.md", skill("DEMO"));
  put("b/h4/skill.md", skill("by_folder"));
  put("b/h5/SKILL.md", skill("my-skill"));
  put("c/one/SKILL.md", skill("C++"));
  put("c/two/SKILL.md", skill("C#"));
  put("d/one/SKILL.md", skill("twice"));
  put("d/two/SKILL.md", skill("twice"));
  const std::vector<ImportRow> rows = copy();
  for (const char* kept : {"b/h2", "b/h3", "b/h4", "b/h5", "d/two"}) {
    EXPECT_EQ(row_of(rows, kept).result, Outcome::kept) << kept;
    EXPECT_FALSE(exists(ours_ + "/" + kept)) << kept;
  }
  EXPECT_EQ(row_of(rows, "b/h2").detail, "the name demo is that of the skill in " + ours_ + "/cat/demo");
  for (const char* taken : {"c/one", "c/two", "d/one", "flat"}) {
    EXPECT_EQ(row_of(rows, taken).result, Outcome::taken) << taken << row_of(rows, taken).detail;
  }
  for (const ImportRow& row : copy()) EXPECT_EQ(row.result, Outcome::kept) << row.name;
}

TEST_F(ImportSkillsTest, AFolderBehindALinkIsNotLookedInto) {
  ASSERT_EQ(::symlink("research", (theirs_ + "/linked").c_str()), 0);
  ASSERT_EQ(::symlink("..", (theirs_ + "/research/up").c_str()), 0);
  for (const ImportRow& row : plan_skill_copies(theirs_, ours_)) {
    EXPECT_THAT(row.name, testing::AnyOf("a/b/c/d/e/f", "flat", "research/arxiv"));
  }
}

TEST_F(ImportSkillsTest, LinksThatLeadOutAndWhatIsNoFileAreLeftOut) {
  const std::string flat = theirs_ + "/flat/";
  ASSERT_EQ(::symlink("references/SKILL.md", (flat + "inside").c_str()), 0);
  ASSERT_EQ(::symlink("../research", (flat + "outside").c_str()), 0);
  ASSERT_EQ(::symlink("/etc/passwd", (flat + "passwd").c_str()), 0);
  ASSERT_EQ(::mkfifo((flat + "pipe").c_str(), 0600), 0);
  const ImportRow row = row_of(copy(), "flat");
  EXPECT_EQ(row.result, Outcome::taken);
  EXPECT_THAT(row.detail, HasSubstr("without outside and 2 more"));
  EXPECT_EQ(*list_directory(ours_ + "/flat"), (std::vector<std::string>{"inside", "references", "skill.md"}));
  EXPECT_EQ(*read_file(ours_ + "/flat/inside"), "part of flat");
}

TEST_F(ImportSkillsTest, OneThatFailsIsWholeOrNotThereAndTheOthersAreCopied) {
  std::string deep = "flat";
  for (int i = 0; i < 40; ++i) deep += "/d";
  put(deep + "/file", "x");
  const std::vector<ImportRow> rows = copy();
  EXPECT_EQ(row_of(rows, "flat").result, Outcome::failed);
  EXPECT_THAT(row_of(rows, "flat").detail, HasSubstr("nested too deeply"));
  EXPECT_FALSE(exists(ours_ + "/flat"));
  EXPECT_TRUE(exists(ours_ + "/research/arxiv/SKILL.md"));
}

}  // namespace
}  // namespace talaria
