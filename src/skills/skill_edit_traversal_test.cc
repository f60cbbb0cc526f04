#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <atomic>
#include <thread>

#include "skills/skill_edit_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// A skill beside whose folder something is watched, and every change that an agent can ask for.
class SkillTraversalTest : public testing::Test {
 protected:
  SkillTraversalTest() { EXPECT_TRUE(skills_.create("demo")); }

  void expect_refused(const SkillEdit& edit, const std::string& why) {
    const auto before = skills_.seen();
    EXPECT_NE(error_text_of(skills_.edit(edit)), "") << why;
    EXPECT_EQ(skills_.seen(), before) << why;
    EXPECT_TRUE(skills_.trial.outside_is_untouched()) << why;
  }

  EditTrial skills_;
};

const std::vector<std::string>& hostile_paths() {
  static const std::vector<std::string> paths = {
      "",
      ".",
      "..",
      "../x",
      "../../outside/watched",
      "/etc/passwd",
      "//x",
      "references/../../x",
      "references/..",
      "references/../SKILL.md",
      "..\\x",
      "references\\x",
      "C:\\x",
      "C:x",
      std::string("references/x\0y", 14),
      std::string("\0", 1),
      "references/" + std::string(300, 'a'),
      std::string(5000, 'a'),
      "REFERENCES/x",
      "Scripts/x",
      "SKILL.MD",
      "scripts/skill.md",
      ".talaria/origins.json",
      "references/x/",
      "~/x",
      "references/\x01",
      "\xff",
      "references/\xc0\xae\xc0\xae/x",
  };
  return paths;
}

TEST_F(SkillTraversalTest, NoPathOfASupportFileLeadsElsewhere) {
  for (const std::string& path : hostile_paths()) {
    if (path == "references/x/") continue;  // that is references/x
    expect_refused({.action = SkillAction::write_file, .name = "demo", .file_path = path, .file_content = "EVIL"},
                   path);
    expect_refused({.action = SkillAction::remove_file, .name = "demo", .file_path = path}, path);
    if (path.empty()) continue;  // of a patch that is SKILL.md
    expect_refused(
        {.action = SkillAction::patch, .name = "demo", .file_path = path, .old_string = "S", .new_string = "EVIL"},
        path);
  }
}

TEST_F(SkillTraversalTest, NoNameOrCategoryLeadsElsewhere) {
  for (const std::string& path : hostile_paths()) {
    if (path == "references/x/") continue;
    const auto as_name = [&](SkillAction action) {
      return SkillEdit{.action = action,
                       .name = path,
                       .content = skill_text("x"),
                       .file_path = "references/a",
                       .file_content = "EVIL",
                       .old_string = "Do",
                       .new_string = "EVIL"};
    };
    for (const SkillAction action : {SkillAction::create, SkillAction::edit, SkillAction::patch, SkillAction::remove,
                                     SkillAction::write_file, SkillAction::remove_file})
      expect_refused(as_name(action), path);
    if (!path.empty())
      expect_refused({.action = SkillAction::create, .name = "new", .category = path, .content = skill_text("new")},
                     path);
  }
}

TEST_F(SkillTraversalTest, NothingIsWrittenThroughALink) {
  const LoadTrial& trial = skills_.trial;
  trial.link("skills/demo/references", trial.outside_folder());
  trial.link("skills/demo/scripts/watched", trial.outside());
  trial.link("skills/demo/assets/inside", "../SKILL.md");
  trial.link("skills/category", trial.outside_folder());
  for (const char* path : {"references/watched", "references/new", "scripts/watched", "assets/inside"}) {
    expect_refused({.action = SkillAction::write_file, .name = "demo", .file_path = path, .file_content = "EVIL"},
                   path);
    expect_refused(
        {.action = SkillAction::patch, .name = "demo", .file_path = path, .old_string = "SECRET", .new_string = "EVIL"},
        path);
  }
  expect_refused({.action = SkillAction::remove_file, .name = "demo", .file_path = "references/watched"}, "remove");
  expect_refused({.action = SkillAction::create, .name = "new", .category = "category", .content = skill_text("new")},
                 "category");
  // A link itself can go; what it leads to stays.
  EXPECT_TRUE(skills_.remove_file("demo", "scripts/watched"));
  EXPECT_TRUE(trial.outside_is_untouched());
}

TEST_F(SkillTraversalTest, ASkillBehindALinkIsNotChanged) {
  const LoadTrial& trial = skills_.trial;
  trial.put("real/linked/SKILL.md", skill_text("linked"));
  trial.link("skills/linked", "../real/linked");
  trial.put("skills/own/notes.md", "");
  trial.link("skills/own/SKILL.md", "../../real/linked/SKILL.md");
  EditPlace place = skills_.place();
  for (const std::string name : {"linked", "own"}) {
    place.found = skills_.root() + "/" + name;
    for (const SkillAction action : {SkillAction::edit, SkillAction::patch}) {
      const SkillEdit edit{.action = action,
                           .name = name,
                           .content = skill_text(name, "EVIL"),
                           .old_string = "Do it",
                           .new_string = "EVIL"};
      EXPECT_THAT(error_text_of(edit_skill(edit, place)), HasSubstr("is a link or leads through one")) << name;
    }
  }
  EXPECT_EQ(trial.content("real/linked/SKILL.md"), skill_text("linked"));
}

TEST_F(SkillTraversalTest, OurOwnFolderIsNoSkill) {
  skills_.trial.put("skills/.talaria/SKILL.md", skill_text("x"));
  EditPlace place = skills_.place();
  for (const char* found :
       {"/.talaria", "/.talaria/history", "/", "/../inside/skills/demo", "/demo/../demo", "/demo//"}) {
    place.found = skills_.root() + found;
    EXPECT_FALSE(edit_skill({.action = SkillAction::remove, .name = "x"}, place)) << found;
  }
  EXPECT_EQ(skills_.seen().size(), 1u);
}

TEST_F(SkillTraversalTest, OurOwnFolderMayBeNoLink) {
  const LoadTrial& trial = skills_.trial;
  ASSERT_TRUE(remove_tree(trial.path("skills/.talaria")));
  trial.link("skills/.talaria", trial.outside_folder());
  expect_refused({.action = SkillAction::edit, .name = "demo", .content = skill_text("demo", "x")}, "state");
}

TEST_F(SkillTraversalTest, TheFolderOfSkillsMayBeALink) {
  ASSERT_EQ(::symlink(skills_.root().c_str(), skills_.trial.path("by_link").c_str()), 0);
  EditPlace place = skills_.place();
  place.root = skills_.trial.path("by_link");
  place.found = skills_.root() + "/demo";  // as one that resolves links says it
  EXPECT_TRUE(edit_skill({.action = SkillAction::edit, .name = "demo", .content = skill_text("demo", "x")}, place));
  EXPECT_EQ(skills_.trial.content("skills/demo/SKILL.md"), skill_text("demo", "x"));
}

// Someone exchanges the skill's folder for a link to the outside, again and again, while an agent writes into it.
TEST_F(SkillTraversalTest, AnExchangeMeanwhileGainsNothing) {
  const LoadTrial& trial = skills_.trial;
  std::atomic<bool> stop = false;
  std::thread exchanger([&] {
    const std::string link = trial.path("link");
    (void)::symlink(trial.outside_folder().c_str(), link.c_str());
    while (!stop)
      (void)::renameat2(AT_FDCWD, link.c_str(), AT_FDCWD, trial.path("skills/demo").c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 10; ++i) {
    (void)skills_.write("demo", "references/new" + std::to_string(i), "EVIL");
    (void)skills_.rewrite("demo", "EVIL " + std::to_string(i));
    (void)skills_.remove_file("demo", "references/watched");
  }
  stop = true;
  exchanger.join();
  EXPECT_TRUE(trial.outside_is_untouched());
}

}  // namespace
}  // namespace talaria
