#include "skills/skill_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/skill_edit_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using Seen = std::map<std::string, std::string>;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(SkillEditTest, CreatesASkill) {
  const EditTrial skills;
  const EditedSkill edited = *skills.create("demo", "research/web");
  EXPECT_EQ(skills.seen(), (Seen{{"research/web/demo/SKILL.md", skill_text("demo")}}));
  EXPECT_EQ(write_json(skill_edit_json("demo", edited)),
            R"({"success":true,"message":"Skill 'demo' created.","name":"demo","path":")" + skills.root() +
                R"(/research/web/demo","change":1,"undo":"talaria skills undo demo"})");
  EXPECT_EQ(skills.trust("research/web/demo"), "agent-created");
  EXPECT_TRUE(skills.trial.outside_is_untouched());
}

TEST(SkillEditTest, CreatesNothingWhereSomethingIs) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo", "a"));
  skills.trial.put("skills/b/demo2/notes.txt", "a person's");
  const Seen before = skills.seen();
  EXPECT_THAT(error_text_of(skills.create("demo")), HasSubstr("there is a skill \"demo\" in a/demo already"));
  EXPECT_THAT(error_text_of(skills.create("a")), HasSubstr("a is there already, and no skill"));
  EXPECT_THAT(error_text_of(skills.create("demo2", "b")), HasSubstr("b/demo2 is there already"));
  EXPECT_THAT(error_text_of(skills.create("inner", "a/demo")), HasSubstr("category a/demo is a skill itself"));
  EXPECT_EQ(skills.seen(), before);
}

TEST(SkillEditTest, RewritesTheWhole) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  const EditedSkill edited = *skills.rewrite("demo", "Do it better.\n");
  EXPECT_EQ(skills.seen(), (Seen{{"demo/SKILL.md", skill_text("demo", "Do it better.\n")}}));
  EXPECT_EQ(edited.message, "Skill 'demo' updated (full rewrite).");
  EXPECT_EQ(edited.change, 2u);
  EXPECT_EQ(skills.rewrite("demo", "Do it better.\n")->message, "Nothing to change: skill 'demo' is already so.");
}

TEST(SkillEditTest, PatchesAPassage) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  ASSERT_TRUE(skills.write("demo", "references/a.md", "one\ntwo\ntwo\n"));
  const Result<EditedSkill> patched =
      skills.edit({.action = SkillAction::patch, .name = "demo", .old_string = "Do  it.", .new_string = "Do that."});
  ASSERT_TRUE(patched) << patched.error().message();
  EXPECT_EQ(patched->message, "Patched SKILL.md in skill 'demo' (1 replacement).");
  EXPECT_NE(patched->strategy, "exact");
  ASSERT_TRUE(skills.edit({.action = SkillAction::patch,
                           .name = "demo",
                           .file_path = "references/a.md",
                           .old_string = "two",
                           .new_string = "2",
                           .replace_all = true}));
  EXPECT_EQ(skills.seen(),
            (Seen{{"demo/SKILL.md", skill_text("demo", "Do that.\n")}, {"demo/references/a.md", "one\n2\n2\n"}}));
}

TEST(SkillEditTest, RefusesAPatchThatFindsNothingOrBreaksTheSkill) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  const Seen before = skills.seen();
  const auto patch = [&](const std::string& from, const std::string& to, const std::string& file = "") {
    return error_text_of(skills.edit(
        {.action = SkillAction::patch, .name = "demo", .file_path = file, .old_string = from, .new_string = to}));
  };
  EXPECT_NE(patch("never there at all", "x"), "");
  EXPECT_THAT(patch("name: demo\n", ""), HasSubstr("has no name"));
  EXPECT_THAT(patch("name: demo", "name: other"), HasSubstr("says name: \"other\""));
  EXPECT_THAT(patch("Do it.", ""), HasSubstr("has no body"));
  EXPECT_THAT(patch("a", "b", "references/none.md"), HasSubstr("has no file 'references/none.md'"));
  EXPECT_THAT(patch("a", "b", "../x"), HasSubstr("\"..\""));
  EXPECT_EQ(skills.seen(), before);
  EXPECT_EQ(skill_history(skills.root(), "demo")->size(), 1u);
}

TEST(SkillEditTest, WritesAndRemovesSupportFiles) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  ASSERT_TRUE(skills.write("demo", "scripts/deep/run.sh", "#!/bin/sh\necho hi\n"));
  ASSERT_TRUE(skills.write("demo", "references/a.md", "text"));
  EXPECT_EQ(mode_of(skills.trial.path("skills/demo/scripts/deep/run.sh")), 0755u);
  EXPECT_EQ(mode_of(skills.trial.path("skills/demo/references/a.md")), 0644u);
  ASSERT_EQ(::chmod(skills.trial.path("skills/demo/references/a.md").c_str(), 0600), 0);
  EXPECT_EQ(skills.write("demo", "references/a.md", "more")->message,
            "File 'references/a.md' written to skill 'demo'.");
  EXPECT_EQ(mode_of(skills.trial.path("skills/demo/references/a.md")), 0600u);
  EXPECT_EQ(skills.write("demo", "references/a.md", "more")->change, 0u);
  EXPECT_EQ(skills.remove_file("demo", "scripts/deep/run.sh")->message,
            "File 'scripts/deep/run.sh' removed from skill 'demo'.");
  EXPECT_FALSE(skills.trial.has("skills/demo/scripts"));
  EXPECT_EQ(skills.seen(), (Seen{{"demo/SKILL.md", skill_text("demo")}, {"demo/references/a.md", "more"}}));
  EXPECT_THAT(error_text_of(skills.remove_file("demo", "references/b.md")), HasSubstr("has no file"));
  EXPECT_THAT(error_text_of(skills.write("demo", "references/a.md/b", "x")), HasSubstr("Not a directory"));
}

TEST(SkillEditTest, DeletesASkillAndTheCategoryItLeavesEmpty) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo", "research/web"));
  ASSERT_TRUE(skills.create("other", "research"));
  EXPECT_EQ(skills.remove("demo")->message, "Skill 'demo' deleted.");
  EXPECT_EQ(skills.seen(), (Seen{{"research/other/SKILL.md", skill_text("other")}}));
  EXPECT_FALSE(skills.trial.has("skills/research/web"));
  EXPECT_EQ(skills.trust("research/web/demo"), "local");
  EXPECT_THAT(error_text_of(skills.remove("demo")), HasSubstr("there is no skill \"demo\""));
}

TEST(SkillEditTest, DeletesNoSkillThatHoldsOthers) {
  const EditTrial skills;
  skills.trial.put("skills/pack/SKILL.md", skill_text("pack"));
  skills.trial.put("skills/pack/more/inner/SKILL.md", skill_text("inner"));
  EXPECT_THAT(error_text_of(skills.remove("pack")),
              HasSubstr("holds other skills, which must go first: pack/more/inner"));
  EXPECT_EQ(skills.seen().size(), 2u);
}

TEST(SkillEditTest, ChangesWhatAPersonPutThere) {
  const EditTrial skills;
  skills.trial.put("skills/Odd Name/skill.md", skill_text("fancy"));
  skills.trial.link("skills/Odd Name/link", "/etc/passwd");
  EditPlace place = skills.place();
  place.found = skills.root() + "/Odd Name";
  const SkillEdit edit{.action = SkillAction::edit, .name = "fancy", .content = skill_text("fancy", "New.\n")};
  const Result<EditedSkill> edited = edit_skill(edit, place);
  ASSERT_TRUE(edited) << edited.error().message();
  EXPECT_EQ(skills.seen(), (Seen{{"Odd Name/skill.md", skill_text("fancy", "New.\n")}, {"Odd Name/link", "(link)"}}));
  EXPECT_EQ(skills.trust("Odd Name"), "agent-created");
  EXPECT_EQ(skill_history(skills.root(), "fancy")->size(), 1u);
}

TEST(SkillEditTest, RefusesASkillThatIsElsewhere) {
  const EditTrial skills;
  skills.trial.put("project/demo/SKILL.md", skill_text("demo"));
  EditPlace place = skills.place();
  place.found = skills.trial.path("project/demo");
  for (const SkillAction action : {SkillAction::edit, SkillAction::patch, SkillAction::remove}) {
    const SkillEdit edit{.action = action, .name = "demo", .content = skill_text("demo", "x"), .old_string = "Do"};
    EXPECT_EQ(error_text_of(edit_skill(edit, place)),
              "skill \"demo\" is in " + place.found +
                  ", which agents do not change; skill_manage with action create and the same name makes one in " +
                  skills.root() + " that can be changed");
  }
  EXPECT_TRUE(edit_skill({.action = SkillAction::create, .name = "demo", .content = skill_text("demo")}, place));
  EXPECT_EQ(skills.seen("project"), (Seen{{"demo/SKILL.md", skill_text("demo")}}));
}

TEST(SkillEditTest, AsksWhichOfTwoIsMeant) {
  const EditTrial skills;
  skills.trial.put("skills/a/demo/SKILL.md", skill_text("demo"));
  skills.trial.put("skills/b/demo/SKILL.md", skill_text("demo"));
  EXPECT_THAT(error_text_of(skills.rewrite("demo", "x")), HasSubstr("give its category too: a/demo, b/demo"));
  EXPECT_TRUE(skills.edit({.action = SkillAction::edit, .name = "b/demo", .content = skill_text("demo", "x")}));
  EXPECT_EQ(skills.trial.content("skills/b/demo/SKILL.md"), skill_text("demo", "x"));
}

TEST(SkillEditTest, LendsNoTrustToWhatTheCommunityWrote) {
  const EditTrial skills;
  skills.trial.put("skills/pack/demo/SKILL.md", skill_text("demo"));
  skills.trial.put("skills/.talaria/origins.json",
                   R"({"pack": {"trust": "community", "url": "u"}, "x": {"trust": "official"}})");
  ASSERT_TRUE(skills.rewrite("demo", "x"));
  EXPECT_EQ(skills.trust("pack/demo"), "community");
  EXPECT_EQ(skills.trust("x"), "official");
  skills.trial.put("skills/x/SKILL.md", skill_text("x"));
  ASSERT_TRUE(skills.rewrite("x", "y"));
  EXPECT_EQ(skills.trust("x"), "agent-created");
}

TEST(SkillEditTest, ChangesNothingWhileNobodyKnowsWhereSkillsCameFrom) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  skills.trial.put("skills/.talaria/origins.json", "{broken");
  EXPECT_THAT(error_text_of(skills.rewrite("demo", "x")), HasSubstr("origins.json says where skills came from"));
  EXPECT_EQ(skills.seen(), (Seen{{"demo/SKILL.md", skill_text("demo")}}));
}

TEST(SkillEditTest, RefusesAFolderThatIsTooLargeToKeep) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  const std::string large = skills.trial.path("skills/demo/large");
  ASSERT_TRUE(write_file_atomically(large, "", 0644, Durable::no));
  ASSERT_EQ(::truncate(large.c_str(), (64 << 20) + 1), 0);
  EXPECT_THAT(error_text_of(skills.rewrite("demo", "x")), HasSubstr("too large to keep its history"));
  EXPECT_EQ(skills.trial.content("skills/demo/SKILL.md"), skill_text("demo"));
  EXPECT_TRUE(skills.remove("demo"));
}

TEST(SkillEditTest, ReadsItsParameters) {
  const auto read = [](const std::string& json) { return read_skill_edit(*parse_json_object(json)); };
  const auto error = [&](const std::string& json) { return read(json).error().message(); };
  const SkillEdit edit =
      *read(R"({"action": "patch", "name": "x", "old_string": "a", "new_string": "", "replace_all": true})");
  EXPECT_EQ(edit.action, SkillAction::patch);
  EXPECT_TRUE(edit.replace_all);
  EXPECT_TRUE(read(R"({"action": "delete", "name": "x"})"));
  EXPECT_TRUE(read(R"({"action": "write_file", "name": "x", "file_path": "references/a", "file_content": ""})"));
  EXPECT_THAT(error(R"({"action": "rename", "name": "x"})"), HasSubstr("action must be create, edit"));
  EXPECT_THAT(error(R"({"name": "x"})"), HasSubstr("action must be"));
  EXPECT_THAT(error(R"({"action": "edit"})"), HasSubstr("name must say"));
  EXPECT_THAT(error(R"({"action": "create", "name": "x"})"), HasSubstr("needs content"));
  EXPECT_THAT(error(R"({"action": "create", "name": "../x", "content": "c"})"), HasSubstr("name \"../x\" must be"));
  EXPECT_THAT(error(R"({"action": "create", "name": "x", "category": "a//b", "content": "c"})"), HasSubstr("category"));
  EXPECT_THAT(error(R"({"action": "patch", "name": "x", "old_string": "a"})"), HasSubstr("needs new_string"));
  EXPECT_THAT(error(R"({"action": "write_file", "name": "x", "file_path": "a"})"), HasSubstr("needs file_content"));
  EXPECT_THAT(error(R"({"action": "remove_file", "name": "x"})"), HasSubstr("needs file_path"));
  EXPECT_THAT(error(R"({"action": "delete", "name": "x", "nmae": "y"})"), HasSubstr("nmae"));
}

}  // namespace
}  // namespace talaria
