#include <gtest/gtest.h>
#include <sys/wait.h>

#include <functional>

#include "skills/skill_edit_trial.h"

namespace talaria {
namespace {

pid_t start(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  return child;
}

bool succeeded(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr int changes = 12;

TEST(SkillEditProcessesTest, TwoThatChangeOneSkillLoseNothing) {
  const EditTrial skills;
  ASSERT_TRUE(skills.create("demo"));
  std::vector<pid_t> writers;
  for (const char* who : {"a", "b"}) {
    writers.push_back(start([&] {
      for (int i = 0; i < changes; ++i) {
        if (!skills.write("demo", "references/" + std::string(who) + std::to_string(i), who)) return false;
      }
      return true;
    }));
  }
  // A reader finds the skill whole at every moment.
  const pid_t reader = start([&] {
    for (int i = 0; i < 20000; ++i) {
      if (skills.trial.content("skills/demo/SKILL.md") != skill_text("demo")) return false;
    }
    return true;
  });
  for (const pid_t writer : writers) EXPECT_TRUE(succeeded(writer));
  EXPECT_TRUE(succeeded(reader));
  EXPECT_EQ(skills.seen().size(), 1u + 2 * changes);
  const std::vector<SkillRecord> history = *skill_history(skills.root(), "demo");
  ASSERT_EQ(history.size(), 1u + 2 * changes);
  for (size_t i = 0; i < history.size(); ++i) EXPECT_EQ(history[i].number, history.size() - i);
}

TEST(SkillEditProcessesTest, OfTwoThatCreateOneSkillOneIsTold) {
  const EditTrial skills;
  const auto create = [&] { return static_cast<bool>(skills.create("demo", "cat")); };
  const pid_t one = start(create);
  const pid_t other = start(create);
  EXPECT_EQ(static_cast<int>(succeeded(one)) + static_cast<int>(succeeded(other)), 1);
  EXPECT_EQ(skill_history(skills.root(), "demo")->size(), 1u);
}

TEST(SkillEditProcessesTest, OriginsOfManySkillsAllCount) {
  const EditTrial skills;
  std::vector<pid_t> creators;
  for (int i = 0; i < 6; ++i)
    creators.push_back(start([&skills, i] { return static_cast<bool>(skills.create("demo" + std::to_string(i))); }));
  for (const pid_t creator : creators) EXPECT_TRUE(succeeded(creator));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(skills.trust("demo" + std::to_string(i)), "agent-created");
}

}  // namespace
}  // namespace talaria
