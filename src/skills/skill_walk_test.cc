#include "skills/skill_walk.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;

SkillListing listing_of(const std::string& path) {
  const UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Result<SkillListing> listing = list_skill_folder(directory.get());
  CHECK(listing);
  return std::move(*listing);
}

TEST(SkillWalkTest, ListsFoldersLinksAndTheSkillFile) {
  const CatalogTrial trial;
  trial.make_folder("b");
  trial.make_folder("a");
  trial.link("c", "a");
  trial.put("SKILL.md", "x");
  trial.put("DESCRIPTION.md", "x");
  trial.put("other.txt", "x");
  const SkillListing listing = listing_of(trial.folder());
  EXPECT_THAT(listing.folders, ElementsAre("a", "b"));
  ASSERT_EQ(listing.links.size(), 1U);
  EXPECT_EQ(listing.links[0].name, "c");
  EXPECT_EQ(listing.links[0].target, FolderLink::Target::folder);
  EXPECT_EQ(listing.skill_file, "SKILL.md");
  EXPECT_TRUE(listing.described);
}

TEST(SkillWalkTest, TakesTheLowerCaseNameOnlyWithoutTheOther) {
  const CatalogTrial trial;
  trial.put("skill.md", "x");
  EXPECT_EQ(listing_of(trial.folder()).skill_file, "skill.md");
  trial.put("SKILL.md", "x");
  EXPECT_EQ(listing_of(trial.folder()).skill_file, "SKILL.md");
}

TEST(SkillWalkTest, ABrokenLinkGivesWayToTheOtherName) {
  const CatalogTrial trial;
  trial.link("SKILL.md", "nowhere");
  EXPECT_EQ(listing_of(trial.folder()).skill_file, "");
  trial.put("skill.md", "x");
  EXPECT_EQ(listing_of(trial.folder()).skill_file, "skill.md");
}

TEST(SkillWalkTest, AFolderCalledLikeTheFileIsAFolder) {
  const CatalogTrial trial;
  trial.make_folder("SKILL.md");
  const SkillListing listing = listing_of(trial.folder());
  EXPECT_EQ(listing.skill_file, "");
  EXPECT_THAT(listing.folders, ElementsAre("SKILL.md"));
}

TEST(SkillWalkTest, EntersNoFolderThatToolsLeaveBehind) {
  const CatalogTrial trial;
  for (const char* name :
       {".git", ".github", ".hub", ".archive", ".talaria", ".venv", "venv", "node_modules", "site-packages",
        "__pycache__", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".curated"}) {
    trial.make_folder(name);
  }
  trial.make_folder("elsewhere/x");
  trial.link("elsewhere/node_modules", "x");
  EXPECT_THAT(listing_of(trial.folder()).folders, ElementsAre(".curated", "elsewhere"));
  EXPECT_TRUE(listing_of(trial.path("elsewhere")).links.empty());
}

TEST(SkillWalkTest, SupportFoldersBelongToASkillOnlyDirectlyInsideIt) {
  const CatalogTrial trial;
  for (const char* name : {"references", "templates", "assets", "scripts", "examples"}) trial.make_folder(name);
  EXPECT_EQ(listing_of(trial.folder()).folders.size(), 5U);
  trial.put("SKILL.md", "x");
  EXPECT_THAT(listing_of(trial.folder()).folders, ElementsAre("examples"));
}

TEST(SkillWalkTest, OrdersPathsAsAWalkMeetsThem) {
  std::vector<std::string> paths = {"b", "a-b", "a/z", "a", "", "a/b/c", "aa", "a/b"};
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return comes_before(a, b); });
  EXPECT_THAT(paths, ElementsAre("", "a", "a/b", "a/b/c", "a/z", "a-b", "aa", "b"));
  for (const auto& path : paths) EXPECT_FALSE(comes_before(path, path)) << path;
}

TEST(SkillWalkTest, WhatChangedJustBeforeItWasSeenIsNotSettled) {
  constexpr int64_t second = 1'000'000'000;
  FileStamp stamp;
  stamp.changed_ns = 1000 * second + 123'456'789;
  EXPECT_FALSE(is_settled(stamp, stamp.changed_ns - 1));
  EXPECT_FALSE(is_settled(stamp, stamp.changed_ns + second / 100));
  EXPECT_TRUE(is_settled(stamp, stamp.changed_ns + second / 10));
}

TEST(SkillWalkTest, AFileSystemThatCountsSecondsTakesLongerToSettle) {
  constexpr int64_t second = 1'000'000'000;
  FileStamp stamp;
  stamp.changed_ns = 1000 * second;
  EXPECT_FALSE(is_settled(stamp, stamp.changed_ns + second));
  EXPECT_FALSE(is_settled(stamp, stamp.changed_ns + 2 * second));
  EXPECT_TRUE(is_settled(stamp, stamp.changed_ns + 3 * second));
}

TEST(SkillWalkTest, WhatIsNotSettledIsNeverTheSame) {
  const CatalogTrial trial;
  trial.put("file", "x");
  Sighting seen = see(AT_FDCWD, trial.path("file").c_str());
  seen.settled = false;
  EXPECT_FALSE(is_same(seen, AT_FDCWD, trial.path("file").c_str()));
  seen.settled = true;
  EXPECT_TRUE(is_same(seen, AT_FDCWD, trial.path("file").c_str()));
  trial.remove("file");
  EXPECT_FALSE(is_same(seen, AT_FDCWD, trial.path("file").c_str()));
}

TEST(SkillWalkTest, WhatIsNotThereStaysTheSameUntilItIs) {
  const CatalogTrial trial;
  const Sighting seen = see(AT_FDCWD, trial.path("file").c_str());
  EXPECT_EQ(seen.failure, ENOENT);
  EXPECT_TRUE(is_same(seen, AT_FDCWD, trial.path("file").c_str()));
  trial.put("file", "x");
  EXPECT_FALSE(is_same(seen, AT_FDCWD, trial.path("file").c_str()));
}

}  // namespace
}  // namespace talaria
