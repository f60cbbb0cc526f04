#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>

#include "skills/skill_edit_trial.h"
#include "skills/skill_history_hold.h"

namespace talaria {
namespace {

using Seen = std::map<std::string, std::string>;

// Whether the system call may change what others see of the files.
bool may_change_files(pid_t child, const __ptrace_syscall_info& info) {
  constexpr std::array<uint64_t, 9> numbers = {SYS_mkdirat, SYS_mkdir, SYS_renameat, SYS_renameat2, SYS_unlinkat,
                                               SYS_rmdir,   SYS_write, SYS_fchmod,   SYS_symlinkat};
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
  if (info.entry.nr == SYS_openat) return (info.entry.args[2] & O_CREAT) != 0;
  // The flags are the first field of what the third argument points to.
  if (info.entry.nr == SYS_openat2)
    return (::ptrace(PTRACE_PEEKDATA, child, info.entry.args[2], nullptr) & O_CREAT) != 0;
  return std::find(numbers.begin(), numbers.end(), info.entry.nr) != numbers.end();
}

// Runs `work` in a process that is killed before its `stop`th such call. False: it came to its end before.
bool killed_at(size_t stop, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    work();
    ::_exit(0);
  }
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child && WIFSTOPPED(status));
  CHECK(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
  for (size_t seen = 0; seen < stop;) {
    CHECK(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0);
    CHECK(::waitpid(child, &status, 0) == child);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
      return false;
    }
    CHECK(WIFSTOPPED(status));
    __ptrace_syscall_info info{};
    CHECK(::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) > 0);
    if (may_change_files(child, info)) ++seen;
  }
  CHECK(::kill(child, SIGKILL) == 0);
  CHECK(::waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  return true;
}

// A skill that a person made, and one change of it.
struct Scenario {
  std::function<void(const EditTrial&)> prepare;
  std::function<bool(const EditTrial&)> change;
  std::string trust_before;
  std::string trust_after;
};

size_t entries(const EditTrial& skills) {
  const Result<std::vector<SkillRecord>> history = skill_history(skills.root(), "demo");
  return history ? history->size() : 0;
}

// What is true right after the kill, when nobody has cleared up yet.
void expect_old_or_new(const EditTrial& skills, const Scenario& scenario, const Seen& old_state,
                       const Seen& new_state) {
  const Seen now = skills.seen();
  EXPECT_TRUE(now == old_state || now == new_state);
  // What an agent wrote is never taken for what a person wrote.
  if (now == new_state && scenario.trust_after == "agent-created" && !now.empty()) {
    EXPECT_EQ(skills.trust("cat/demo"), "agent-created");
  }
  if (now == old_state && scenario.trust_before == "agent-created" && !now.empty()) {
    EXPECT_EQ(skills.trust("cat/demo"), "agent-created");
  }
}

// Kills the change at each step, and looks whether the old or the new state is whole, and whether the next one to come
// finds everything in order.
void expect_survives(const Scenario& scenario) {
  const EditTrial model;
  scenario.prepare(model);
  const Seen old_state = model.seen();
  const size_t old_entries = entries(model);
  ASSERT_TRUE(scenario.change(model));
  const Seen new_state = model.seen();
  ASSERT_NE(old_state, new_state);
  size_t new_ones = 0;
  for (size_t stop = 1;; ++stop) {
    SCOPED_TRACE(stop);
    const EditTrial skills;
    scenario.prepare(skills);
    if (!killed_at(stop, [&] { CHECK(scenario.change(skills)); })) {
      EXPECT_GT(stop, 10u);
      break;
    }
    expect_old_or_new(skills, scenario, old_state, new_state);
    const Seen left = skills.seen();
    ASSERT_TRUE(HeldSkills::open(skills.root()));
    EXPECT_EQ(skills.seen(), left);
    EXPECT_TRUE(list_directory(skills.root() + "/.talaria/staging")->empty());
    EXPECT_EQ(skills.trust("cat/demo"), left == new_state ? scenario.trust_after : scenario.trust_before);
    EXPECT_EQ(entries(skills), old_entries + (left == new_state ? 1 : 0));
    if (left == new_state) {
      ++new_ones;
      ASSERT_TRUE(undo_skill(skills.root(), "cat/demo", std::nullopt, "ana"));
      EXPECT_EQ(skills.seen(), old_state);
      EXPECT_EQ(skills.trust("cat/demo"), scenario.trust_before);
    } else {
      EXPECT_TRUE(scenario.change(skills));
      EXPECT_EQ(skills.seen(), new_state);
    }
  }
  EXPECT_GT(new_ones, 0u);
}

void put_demo(const EditTrial& skills) {
  skills.trial.put("skills/cat/demo/SKILL.md", skill_text("demo"));
  skills.trial.put("skills/cat/demo/scripts/a", "a");
  skills.trial.link("skills/cat/demo/link", "scripts/a");
}
void put_nothing(const EditTrial&) {}

TEST(SkillHistoryCrashTest, ACreationSurvivesAKillAtEachStep) {
  expect_survives({put_nothing, [](const EditTrial& skills) { return bool(skills.create("demo", "cat")); }, "local",
                   "agent-created"});
}

TEST(SkillHistoryCrashTest, AnEditSurvivesAKillAtEachStep) {
  expect_survives({put_demo, [](const EditTrial& skills) { return bool(skills.rewrite("demo", "new")); }, "local",
                   "agent-created"});
}

TEST(SkillHistoryCrashTest, AWrittenFileSurvivesAKillAtEachStep) {
  expect_survives({put_demo, [](const EditTrial& skills) { return bool(skills.write("demo", "assets/x/y", "new")); },
                   "local", "agent-created"});
}

TEST(SkillHistoryCrashTest, ADeletionSurvivesAKillAtEachStep) {
  expect_survives({put_demo, [](const EditTrial& skills) { return bool(skills.remove("demo")); }, "local", "local"});
}

TEST(SkillHistoryCrashTest, AnUndoSurvivesAKillAtEachStep) {
  expect_survives(
      {[](const EditTrial& skills) {
         put_demo(skills);
         EXPECT_TRUE(skills.rewrite("demo", "new"));
       },
       [](const EditTrial& skills) { return bool(undo_skill(skills.root(), "cat/demo", std::nullopt, "ana")); },
       "agent-created", "local"});
}

}  // namespace
}  // namespace talaria
