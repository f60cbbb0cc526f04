#include "skills/skill_history.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/skill_edit_trial.h"
#include "skills/skill_history_hold.h"
#include "skills/skill_history_quota.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Seen = std::map<std::string, std::string>;

std::vector<std::string> actions(const EditTrial& skills, const std::string& name) {
  std::vector<std::string> actions;
  const std::vector<SkillRecord> records = *skill_history(skills.root(), name);
  for (const SkillRecord& record : records) actions.push_back(record.action);
  return actions;
}

Result<SkillRecord> undo(const EditTrial& skills, const std::string& name, std::optional<uint64_t> number = {}) {
  return undo_skill(skills.root(), name, number, "ana");
}

TEST(SkillHistoryTest, KeepsWhatEachChangeDid) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo", "research"));
  ASSERT_TRUE(skills.write("demo", "references/a.md", "text"));
  const std::vector<SkillRecord> records = *skill_history(skills.root(), "demo");
  ASSERT_EQ(records.size(), 2u);
  const SkillRecord& write = records[0];
  EXPECT_EQ(write.number, 2u);
  EXPECT_EQ(write.action, "write_file");
  EXPECT_EQ(write.who, "session 4f7k2m9p");
  EXPECT_EQ(write.directory, "research/demo");
  EXPECT_EQ(write.changed, "references/a.md");
  EXPECT_TRUE(write.existed_before && write.exists_after);
  EXPECT_EQ(write.bytes, skill_text("demo").size());
  EXPECT_EQ(text_or(*write.origin_before, "trust"), "agent-created");
  EXPECT_FALSE(records[1].existed_before);
  EXPECT_EQ(records[1].origin_before, std::nullopt);
  EXPECT_EQ(*read_skill_record(to_json(write)), write);
  EXPECT_EQ(skills.trial.content("skills/.talaria/history/research%2Fdemo/000002/folder/SKILL.md"), skill_text("demo"));
}

TEST(SkillHistoryTest, UndoesEveryKindOfChange) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo", "a"));
  std::vector<Seen> states = {Seen{}, skills.seen()};
  const std::vector<SkillEdit> edits = {
      {.action = SkillAction::write_file, .name = "demo", .file_path = "scripts/s", .file_content = "1"},
      {.action = SkillAction::edit, .name = "demo", .content = skill_text("demo", "2")},
      {.action = SkillAction::patch, .name = "demo", .old_string = "2", .new_string = "3"},
      {.action = SkillAction::remove_file, .name = "demo", .file_path = "scripts/s"},
      {.action = SkillAction::remove, .name = "demo"},
  };
  for (const SkillEdit& edit : edits) {
    ASSERT_TRUE(skills.edit(edit));
    states.push_back(skills.seen());
  }
  for (uint64_t number = 6; number >= 1; --number) {
    const Result<SkillRecord> undone = undo(skills, "demo", number);
    ASSERT_TRUE(undone) << undone.error().message();
    EXPECT_EQ(undone->undoes, number);
    EXPECT_EQ(skills.seen(), states[number - 1]) << number;
  }
}

TEST(SkillHistoryTest, AnUndoCanBeUndone) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  ASSERT_TRUE(skills.rewrite("demo", "new"));
  const Seen with_change = skills.seen();
  EXPECT_EQ(undo(skills, "demo")->number, 3u);
  EXPECT_EQ(skills.seen(), (Seen{{"demo/SKILL.md", skill_text("demo")}}));
  EXPECT_EQ(undo(skills, "demo")->undoes, 3u);
  EXPECT_EQ(skills.seen(), with_change);
  EXPECT_THAT(actions(skills, "demo"), ElementsAre("undo", "undo", "edit", "create"));
}

TEST(SkillHistoryTest, BringsBackTheOriginToo) {
  const EditTrial skills;
  skills.trial.put("skills/mine/SKILL.md", skill_text("mine"));
  skills.trial.put("skills/hub/SKILL.md", skill_text("hub"));
  skills.trial.put("skills/.talaria/origins.json", R"({"hub": {"trust": "trusted", "commit": "abc"}})");
  for (const char* name : {"mine", "hub"}) {
    ASSERT_TRUE(skills.rewrite(name, "x"));
    EXPECT_EQ(skills.trust(name), "agent-created");
    ASSERT_TRUE(undo(skills, name));
  }
  EXPECT_EQ(skills.trust("mine"), "local");
  EXPECT_EQ(write_json(*parse_json_object(skills.trial.content("skills/.talaria/origins.json"))),
            R"({"hub":{"trust":"trusted","commit":"abc"}})");
  ASSERT_TRUE(skills.remove("mine"));
  ASSERT_TRUE(skills.create("mine"));
  EXPECT_EQ(skills.trust("mine"), "agent-created");
  ASSERT_TRUE(undo(skills, "mine", 3));  // before it was deleted
  EXPECT_EQ(skills.trust("mine"), "local");
}

TEST(SkillHistoryTest, KeepsModesTimesAndLinks) {
  const EditTrial skills;
  skills.trial.put("skills/demo/SKILL.md", skill_text("demo"));
  skills.trial.put("skills/demo/bin/run", "x", 0750);
  skills.trial.link("skills/demo/out", skills.trial.outside());
  const timespec times[2] = {{1'000'000'000, 0}, {1'000'000'000, 5}};
  ASSERT_EQ(::utimensat(AT_FDCWD, skills.trial.path("skills/demo/bin/run").c_str(), times, 0), 0);
  ASSERT_TRUE(skills.rewrite("demo", "x"));
  ASSERT_TRUE(undo(skills, "demo"));
  struct stat info {};
  ASSERT_EQ(::stat(skills.trial.path("skills/demo/bin/run").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777u, 0750u);
  EXPECT_EQ(info.st_mtim.tv_sec, 1'000'000'000);
  EXPECT_EQ(skills.seen(),
            (Seen{{"demo/SKILL.md", skill_text("demo")}, {"demo/bin/run", "x"}, {"demo/out", "(link)"}}));
  EXPECT_TRUE(skills.trial.outside_is_untouched());
}

TEST(SkillHistoryTest, LosesNothingThatAPersonWroteMeanwhile) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  ASSERT_TRUE(skills.rewrite("demo", "agent"));
  skills.trial.put("skills/demo/SKILL.md", "by hand");
  ASSERT_TRUE(undo(skills, "demo"));
  EXPECT_EQ(skills.trial.content("skills/demo/SKILL.md"), skill_text("demo"));
  ASSERT_TRUE(undo(skills, "demo"));
  EXPECT_EQ(skills.trial.content("skills/demo/SKILL.md"), "by hand");
}

TEST(SkillHistoryTest, SaysWhatItDoesNotHave) {
  const EditTrial skills;
  EXPECT_THAT(skill_history(skills.root(), "demo").error().message(),
              HasSubstr("no change of a skill called \"demo\""));
  EXPECT_FALSE(skills.trial.has("skills"));
  ASSERT_TRUE(skills.create("demo", "a"));
  EXPECT_EQ(undo(skills, "other").error().code(), ErrorCode::not_found);
  EXPECT_EQ(undo(skills, "demo", 7).error().message(), "change 7 is not kept; the oldest is 1, the newest 1");
  ASSERT_TRUE(undo(skills, "demo"));
  EXPECT_EQ(undo(skills, "demo", 1).error().message(), "there is no skill in a/demo");
}

TEST(SkillHistoryTest, AsksWhichOfTwoIsMeant) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo", "a"));
  ASSERT_TRUE(skills.remove("demo"));
  ASSERT_TRUE(skills.create("demo", "b"));
  EXPECT_EQ(undo(skills, "demo").error().message(), "\"demo\" may be any of these; say which: a/demo, b/demo");
  EXPECT_TRUE(undo(skills, "a/demo"));
  EXPECT_TRUE(skills.trial.has("skills/a/demo/SKILL.md"));
}

TEST(SkillHistoryTest, KeepsTheNewestFifty) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  for (int i = 0; i < 54; ++i) ASSERT_TRUE(skills.rewrite("demo", "version " + std::to_string(i)));
  const std::vector<SkillRecord> records = *skill_history(skills.root(), "demo");
  ASSERT_EQ(records.size(), 50u);
  EXPECT_EQ(records.front().number, 55u);
  EXPECT_EQ(records.back().number, 6u);
  EXPECT_EQ(list_directory(skills.trial.path("skills/.talaria/history/demo"))->size(), 50u);
  EXPECT_TRUE(list_directory(skills.trial.path("skills/.talaria/staging"))->empty());
}

TEST(SkillHistoryTest, KeepsSixtyFourMebibytesAndTheNewestInAnyCase) {
  const auto of_sizes = [](const std::vector<uint64_t>& mebibytes) {
    std::vector<SkillRecord> records(mebibytes.size());
    for (size_t i = 0; i < mebibytes.size(); ++i) {
      records[i].number = i + 1;
      records[i].bytes = mebibytes[i] << 20;
    }
    return records;
  };
  EXPECT_THAT(entries_to_drop({}), ElementsAre());
  EXPECT_THAT(entries_to_drop(of_sizes({30, 30, 4})), ElementsAre());
  EXPECT_THAT(entries_to_drop(of_sizes({1, 30, 30, 5})), ElementsAre(2, 1));
  EXPECT_THAT(entries_to_drop(of_sizes({1, 1, 200})), ElementsAre(2, 1));
}

TEST(SkillHistoryTest, DropsOldEntriesThatNobodyMayWriteTo) {
  const EditTrial skills;
  skills.trial.put("skills/demo/SKILL.md", skill_text("demo"));
  skills.trial.put("skills/demo/assets/big", std::string(40 << 20, 'x'));
  ASSERT_EQ(::chmod(skills.trial.path("skills/demo/assets").c_str(), 0555), 0);
  ASSERT_TRUE(skills.rewrite("demo", "1"));
  ASSERT_TRUE(skills.rewrite("demo", "2"));
  EXPECT_EQ(skill_history(skills.root(), "demo")->size(), 1u);
  EXPECT_TRUE(list_directory(skills.trial.path("skills/.talaria/staging"))->empty());
}

TEST(SkillHistoryTest, ABrokenEntryDoesNotTakeTheOthersWithIt) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  ASSERT_TRUE(skills.rewrite("demo", "1"));
  skills.trial.put("skills/.talaria/history/demo/000002/record.json", "{");
  EXPECT_THAT(actions(skills, "demo"), ElementsAre("create"));
  EXPECT_EQ(skills.rewrite("demo", "2")->change, 3u);
}

TEST(SkillHistoryTest, KeysNameTheirFolders) {
  for (const char* directory : {"demo", "a/b/demo", "50%/x", "%2F", "a%25b"}) {
    EXPECT_EQ(directory_of_key(history_key(directory)), directory);
    EXPECT_EQ(history_key(directory).find('/'), std::string::npos);
  }
  EXPECT_EQ(entry_name(12), "000012");
  EXPECT_EQ(entry_name(12345678), "12345678");
}

}  // namespace
}  // namespace talaria
