#include "skills/linked_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/load_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> paths(const LinkedFiles& linked) {
  std::vector<std::string> paths;
  for (const LinkedFile& file : linked.files) paths.push_back(file.path);
  return paths;
}

TEST(LinkedFilesTest, ListsFilesOfAnyTypeAtAnyDepth) {
  const LoadTrial trial;
  trial.put("SKILL.md", "x");
  trial.put("references/deep/er/guide.md", "12345");
  trial.put("references/a.pdf", "1");
  trial.put("scripts/run.mjs", "");
  trial.put("scripts/SKILL.md", "not the skill's own");
  trial.put("examples/x.txt", "12");
  trial.put("forms.md", "123");
  trial.put(".hidden", "1");
  EXPECT_EQ(*list_linked_files(trial.folder()), (LinkedFiles{{{".hidden", 1},
                                                              {"examples/x.txt", 2},
                                                              {"forms.md", 3},
                                                              {"references/a.pdf", 1},
                                                              {"references/deep/er/guide.md", 5},
                                                              {"scripts/SKILL.md", 19},
                                                              {"scripts/run.mjs", 0}},
                                                             0,
                                                             true,
                                                             {},
                                                             {}}));
}

TEST(LinkedFilesTest, GroupsThemByTheirFirstFolder) {
  const LoadTrial trial;
  for (const char* name :
       {"references/a", "templates/t", "assets/i/j", "scripts/s", "examples/e", "scripts.txt", "assets2/x"})
    trial.put(name, "1");
  EXPECT_EQ(
      write_json(linked_files_json(*list_linked_files(trial.folder()))),
      R"({"references":[{"path":"references/a","size":1}],"templates":[{"path":"templates/t","size":1}],)"
      R"("assets":[{"path":"assets/i/j","size":1}],"scripts":[{"path":"scripts/s","size":1}],)"
      R"("other":[{"path":"assets2/x","size":1},{"path":"examples/e","size":1},{"path":"scripts.txt","size":1}]})");
}

TEST(LinkedFilesTest, ASkillWithoutFilesHasNull) {
  const LoadTrial trial;
  trial.put("SKILL.md", "x");
  ASSERT_EQ(::mkdir(trial.path("scripts").c_str(), 0755), 0);
  const LinkedFiles linked = *list_linked_files(trial.folder());
  EXPECT_EQ(linked, LinkedFiles());
  EXPECT_TRUE(linked_files_json(linked).is_null());
  EXPECT_EQ(linked_files_note(linked), "");
}

TEST(LinkedFilesTest, FollowsLinksThatStayInside) {
  const LoadTrial trial;
  trial.put("references/real.md", "12345");
  trial.link("relative.md", "references/real.md");
  trial.link("absolute.md", trial.path("references/real.md"));
  trial.link("scripts/up.md", "../references/real.md");
  trial.link("folder", "references");  // its files are listed where they are
  trial.link("circle", ".");
  trial.link("itself", "itself");
  trial.link("broken", "nowhere");
  trial.link("out.md", trial.outside());
  trial.link("out_folder", trial.outside_folder());
  trial.link("scripts/passwd", "/etc/passwd");
  const LinkedFiles linked = *list_linked_files(trial.folder());
  EXPECT_EQ(linked,
            (LinkedFiles{{{"absolute.md", 5}, {"references/real.md", 5}, {"relative.md", 5}, {"scripts/up.md", 5}},
                         0,
                         true,
                         {"out.md", "out_folder", "scripts/passwd"},
                         {}}));
  EXPECT_EQ(linked_files_note(linked),
            "Links that lead outside the skill, and are not opened: out.md, out_folder, scripts/passwd.");
}

TEST(LinkedFilesTest, TheSkillsFolderMayBeALink) {
  const LoadTrial trial;
  trial.put("real/a.md", "1");
  trial.put("real/b/c.md", "12");
  trial.link("linked", "real");
  trial.link("real/d.md", "b/c.md");
  EXPECT_THAT(paths(*list_linked_files(trial.path("linked"))), ElementsAre("a.md", "b/c.md", "d.md"));
}

TEST(LinkedFilesTest, PassesByWhatToolsLeaveBehindAndWhatIsNoFile) {
  const LoadTrial trial;
  trial.put("a.md", "1");
  trial.put(".git/config", "1");
  trial.put("scripts/__pycache__/x.pyc", "1");
  trial.put("node_modules/p/index.js", "1");
  trial.put(".DS_Store", "1");
  ASSERT_EQ(::mkfifo(trial.path("pipe").c_str(), 0644), 0);
  const LinkedFiles linked = *list_linked_files(trial.folder());
  EXPECT_THAT(paths(linked), ElementsAre("a.md"));
  EXPECT_EQ(linked_files_note(linked), "Folders not listed: .git, node_modules, scripts/__pycache__.");
}

TEST(LinkedFilesTest, ListsTwoThousandAndCountsTheRest) {
  const LoadTrial trial;
  for (int i = 0; i < 2003; ++i) trial.put("assets/" + std::to_string(10000 + i), "");
  const LinkedFiles linked = *list_linked_files(trial.folder());
  EXPECT_EQ(linked.files.size(), 2000u);
  EXPECT_EQ(linked_files_note(linked), "3 more files are not listed.");
}

TEST(LinkedFilesTest, GoesSixteenFoldersDeep) {
  const LoadTrial trial;
  std::string deep;
  for (int i = 0; i < 16; ++i) deep += "d/";
  trial.put(deep + "seen", "");
  trial.put(deep + "e/unseen", "");
  const LinkedFiles linked = *list_linked_files(trial.folder());
  EXPECT_THAT(paths(linked), ElementsAre(deep + "seen"));
  EXPECT_THAT(linked.skipped, ElementsAre(deep + "e"));
}

TEST(LinkedFilesTest, ShowsNamesThatAreNoText) {
  const LoadTrial trial;
  trial.put("references/a\xff.md", "");
  trial.put("references/b\n.md", "");
  EXPECT_EQ(write_json(linked_files_json(*list_linked_files(trial.folder()))),
            "{\"references\":[{\"path\":\"references/a\\\\xff.md\",\"size\":0},"
            R"({"path":"references/b\n.md","size":0}]})");
}

TEST(LinkedFilesTest, SaysWhenThereIsNoFolder) {
  const LoadTrial trial;
  EXPECT_EQ(list_linked_files(trial.path("gone")).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace talaria
