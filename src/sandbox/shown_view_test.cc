// How what a session shows goes together with the rest of its view, and with those that look at it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sandbox/shown_trial.h"
#include "sandbox/warm_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

SPACE_TEST(ShownViewTest, InTheWorkspaceItIsReadOnlyWhileItIsShown) {
  SkillTrial trial;
  const std::string skill = trial.workspace + "/skills/mine";
  trial.write(skill + "/SKILL.md", "mine\n");
  ASSERT_EQ(trial.run("echo a >> " + skill + "/SKILL.md").status, 0);
  ASSERT_EQ(show_one(trial, same(skill)), "");
  EXPECT_THAT(trial.run("echo b >> " + skill + "/SKILL.md").output, HasSubstr("Read-only file system"));
  EXPECT_EQ(trial.run("cat " + skill + "/SKILL.md; touch " + trial.workspace + "/skills/other"),
            (Outcome{0, "mine\na\n"}));
  ASSERT_TRUE(show(trial, {}).changed);
  EXPECT_EQ(trial.run("echo c >> " + skill + "/SKILL.md; cat " + skill + "/SKILL.md"), (Outcome{0, "mine\na\nc\n"}));
}

// .mcp.json may not be changed, and .git may not be moved: both by mounts of their own, which what is shown lies over.
SPACE_TEST(ShownViewTest, ProtectedNamesInsideItNeedNoProtectionAndHaveItAgainAfterwards) {
  SkillTrial trial;
  const std::string skill = trial.workspace + "/skills/mine";
  trial.write(skill + "/.mcp.json", "x\n");
  trial.write(skill + "/.git/config", "[core]\n");
  trial.write(skill + "/.git/HEAD", "ref: refs/heads/main\n");
  ASSERT_THAT(trial.run("echo b >> " + skill + "/.mcp.json").output, HasSubstr("Read-only file system"));
  const size_t before = mounts_of(trial);
  ASSERT_EQ(show_one(trial, same(skill)), "");
  const size_t mounts = mounts_of(trial);
  FileClient files = trial.files();
  EXPECT_EQ(content(files, skill + "/.mcp.json"), "x\n");
  EXPECT_EQ(problem_of(files.make_directory(trial.workspace + "/made", 0755)), "");
  EXPECT_THAT(problem_of(files.make_directory(skill + "/made", 0755)), HasSubstr("Read-only"));
  EXPECT_EQ(trial.run("cat " + skill + "/.git/HEAD"), (Outcome{0, "ref: refs/heads/main\n"}));
  EXPECT_EQ(mounts_of(trial), mounts);
  ASSERT_TRUE(show(trial, {}).changed);
  EXPECT_EQ(mounts_of(trial), before);
  EXPECT_THAT(trial.run("echo b >> " + skill + "/.mcp.json").output, HasSubstr("Read-only file system"));
  EXPECT_THAT(trial.run("mv " + skill + "/.git /tmp").output, HasSubstr("busy"));
}

SPACE_TEST(ShownViewTest, ANewMirrorAroundItTakesNoCopyOfIt) {
  SkillTrial trial;
  const std::string agents = trial.workspace + "/.agents", skill = agents + "/skills/mine";
  trial.write(skill + "/SKILL.md", "mine\n");
  ASSERT_EQ(show_one(trial, {skill, trial.skill}), "");
  ASSERT_EQ(trial.run("cat " + skill + "/SKILL.md").output, "the skill\n");
  // Somebody outside puts another folder there, and the mounts on the old one go with it.
  ASSERT_EQ(::rename(agents.c_str(), (trial.workspace + "/old").c_str()), 0);
  trial.write(skill + "/SKILL.md", "new\n");
  EXPECT_EQ(show_one(trial, {skill, trial.skill}), "");
  EXPECT_EQ(trial.run("cat " + skill + "/SKILL.md").output, "the skill\n");
  ASSERT_EQ(::rename(agents.c_str(), (trial.workspace + "/old2").c_str()), 0);
  trial.write(skill + "/SKILL.md", "newer\n");
  EXPECT_EQ(trial.run("cat " + skill + "/SKILL.md").output, "newer\n");  // not asked in between
  ASSERT_TRUE(show(trial, {}).changed);
  EXPECT_EQ(trial.run("cat " + skill + "/SKILL.md").output, "newer\n");
  EXPECT_EQ(trial.run("cat " + trial.workspace + "/old/skills/mine/SKILL.md").output, "mine\n");
  EXPECT_THAT(trial.run("grep -c own/skills /proc/self/mountinfo").output, HasSubstr("0"));
}

SPACE_TEST(ShownViewTest, OneInsideAnotherIsShownToo) {
  SkillTrial trial;
  const std::string inner = trial.skill + "/scripts", other = trial.own + "/other";
  trial.write(other + "/file", "inner\n");
  const std::vector<ShownPath> both = {{inner, other}, same(trial.skill)};
  const std::string read = "cat " + trial.skill + "/SKILL.md " + inner + "/file";
  ASSERT_EQ(show_one(trial, {inner, other}), "");
  const size_t mounts = mounts_of(trial);
  ShowAnswer answer = show(trial, both);
  // The inner one was there, and had to make way.
  EXPECT_EQ(answer.outcomes, (std::vector<ShowOutcome>{{ShowState::wanted}, {ShowState::shown}}));
  answer = show(trial, both);
  EXPECT_EQ(answer, (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  EXPECT_EQ(trial.run(read), (Outcome{0, "the skill\ninner\n"}));
  EXPECT_FALSE(show(trial, both).changed);
  EXPECT_EQ(mounts_of(trial), mounts + 1);
  answer = show(trial, {{inner, other}});
  EXPECT_EQ(answer, (ShowAnswer{{{ShowState::shown}}, true}));
  EXPECT_EQ(trial.run("ls " + trial.skill + "; cat " + inner + "/file"), (Outcome{0, "scripts\ninner\n"}));
  EXPECT_EQ(show(trial, {{inner, other}, {inner, trial.skill}}).outcomes[1].reason,
            "something else is to be shown in the same place");
}

// Only root's sandboxes are someone else.
TEST(ShownViewTest, WhatOnlyTheOwnerMayReadBelongsToTheUserInside) {
  if (::geteuid() != 0) return;
  SkillTrial trial;
  trial.write(trial.own + "/others", "of another\n", 0600);
  ASSERT_EQ(::chown((trial.own + "/others").c_str(), 12'345, 12'345), 0);
  ASSERT_EQ(::chmod(trial.skill.c_str(), 0700), 0);
  const ShowAnswer answer = show(trial, {same(trial.skill), same(trial.token), same(trial.own + "/others")});
  EXPECT_EQ(answer.outcomes, std::vector<ShowOutcome>(3, ShowOutcome{ShowState::shown}));
  EXPECT_EQ(trial.run("cd " + trial.own +
                      "; cat token.json others skills/pdf/SKILL.md; "
                      "[ \"$(stat -c %u:%a token.json)\" = \"$(id -u):600\" ]"),
            (Outcome{0, "the token\nof another\nthe skill\n"}));
}

TEST(ShownViewTest, RootWithoutCapabilitiesReadsRootsFiles) {
  if (::geteuid() != 0) return;
  SkillTrial trial;
  trial.root_identity = RootIdentity::same;
  ASSERT_EQ(show(trial, {same(trial.skill), same(trial.token)}).outcomes[1], ShowOutcome{ShowState::shown});
  EXPECT_EQ(trial.run("id -u; cat " + trial.token), (Outcome{0, "0\nthe token\n"}));
  EXPECT_THAT(trial.run("echo x > " + trial.token).output, HasSubstr("Read-only file system"));
}

// A command put a folder of somebody else's in the place of one that is shown.
TEST(ShownViewTest, WhatACommandExchangesInTheWorkspaceIsNoMoreReadableThanBefore) {
  if (::geteuid() != 0) return;
  SkillTrial trial;
  const std::string skill = trial.workspace + "/skills/a", others = trial.workspace + "/others/a";
  trial.write(skill + "/SKILL.md", "mine\n");
  trial.write(others + "/SKILL.md", "of another\n", 0600);
  for (const std::string& path : {others, others + "/SKILL.md"}) ASSERT_EQ(::chown(path.c_str(), 12'345, 12'345), 0);
  ASSERT_EQ(::chmod(others.c_str(), 0755), 0);
  ASSERT_EQ(show_one(trial, same(skill)), "");
  ASSERT_EQ(trial.run("cat " + skill + "/SKILL.md"), (Outcome{0, "mine\n"}));
  ASSERT_TRUE(show(trial, {}).changed);
  ASSERT_EQ(trial.run("mv skills old; mv others skills"), (Outcome{0, ""}));
  ASSERT_EQ(show_one(trial, same(skill)), "");
  EXPECT_THAT(trial.run("cat " + skill + "/SKILL.md").output, HasSubstr("Permission denied"));
}

// What the user inside cannot enter may as well be empty, but for what is shown in it.
TEST(ShownViewTest, AFolderThatIsClosedForTheUserIsCovered) {
  if (::geteuid() != 0) return;
  SkillTrial trial;
  const std::string closed = trial.workspace + "/closed", skill = closed + "/deep/skill";
  trial.write(skill + "/SKILL.md", "in a closed folder\n");
  trial.write(closed + "/secret", "closed\n");
  ASSERT_EQ(::chown(closed.c_str(), 12'345, 12'345), 0);
  ASSERT_EQ(::chmod(closed.c_str(), 0700), 0);
  ASSERT_THAT(trial.run("ls " + closed).output, HasSubstr("Permission denied"));
  ASSERT_EQ(show_one(trial, same(skill)), "");
  EXPECT_EQ(trial.run("cat " + skill + "/SKILL.md; ls " + closed), (Outcome{0, "in a closed folder\ndeep\n"}));
  EXPECT_THAT(trial.run("touch " + closed + "/x").output, HasSubstr("Read-only file system"));
  EXPECT_EQ(*list_directory(closed), (std::vector<std::string>{"deep", "secret"}));
}

SPACE_TEST(ShownViewTest, AFileServerSeesWhatWasShownWhenItStarted) {
  SkillTrial trial;
  FileClient before = trial.files();
  ASSERT_TRUE(before.stat("/"));
  ASSERT_TRUE(show(trial, {same(trial.skill), same(trial.token)}).changed);
  FileClient after = trial.files();
  EXPECT_EQ(content(after, trial.token), "the token\n");
  EXPECT_THAT(content(after, trial.token, {.write = true}), HasSubstr("Read-only"));
  EXPECT_EQ(content(before, trial.token), "");  // the place alone
  ASSERT_TRUE(show(trial, {}).changed);
  EXPECT_EQ(content(after, trial.skill + "/SKILL.md"), "the skill\n");
  EXPECT_THAT(content(after, trial.token), HasSubstr("No such file"));
}

SPACE_TEST(ShownViewTest, AWarmBaseThatIsReadyForksWhatSeesIt) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  const pid_t base = base_of(trial);
  const std::string skill = trial.root + "/skill";
  SkillTrial::write(skill + "/SKILL.md", "the skill\n");
  ASSERT_EQ(show_one(trial, {"/tmp/skill", skill}), "");
  const WarmOutcome outcome = trial.run_task(trial.task("report", "a"));
  EXPECT_TRUE(outcome.warm);
  EXPECT_THAT(outcome.outcome.output, HasSubstr("/skill /tmp/skill ro,nosuid,nodev"));
  ASSERT_TRUE(show(trial, {}).changed);
  const WarmOutcome later = trial.run_task(trial.task("report", "a"));
  EXPECT_TRUE(later.warm);
  EXPECT_THAT(later.outcome.output, Not(HasSubstr("/skill /tmp/skill")));
  EXPECT_EQ(base_of(trial), base);
}

// Where /proc cannot be mounted a mount is taken away by its name.
SPACE_TEST(ShownViewTest, WorksWithoutProc) {
  SkillTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  SpacePlan plan = trial.session().space;
  std::erase_if(plan.mounts.steps, [](const MountStep& step) { return step.kind == MountKind::processes; });
  plan.mounts.steps.push_back({.kind = MountKind::hide, .target = "/proc", .source = ""});
  SessionSpace space = *SessionSpace::start(plan);
  ShowOrder order{{wish_for(same(trial.skill)), wish_for(same(trial.token))}, {0, 1}};
  std::vector<UniqueFd> mounts;
  for (OpenedSource& one :
       open_sources_apart({plan.identity, {{trial.skill, trial.skill}, {trial.token, trial.token}}})) {
    mounts.push_back(std::move(one.mount));
  }
  EXPECT_EQ(tell_holder(space, order, mounts), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  order.given.clear();
  EXPECT_EQ(tell_holder(space, order), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, false}));
  EXPECT_EQ(tell_holder(space, {}), (ShowAnswer{{}, true}));
  EXPECT_THAT(*read_file("/proc/" + std::to_string(space.pid()) + "/mountinfo"), Not(HasSubstr("own/skills")));
}

SPACE_TEST(ShownViewTest, AThousandChangesLeaveNothingBehind) {
  SkillTrial trial;
  ASSERT_EQ(show_one(trial, same(trial.skill)), "");
  ASSERT_TRUE(show(trial, {}).changed);
  const size_t mounts = mounts_of(trial), descriptors = descriptors_of(trial),
               own = list_directory("/proc/self/fd")->size();
  ShowOrder both{{wish_for(same(trial.skill)), wish_for(same(trial.token))}, {0, 1}};
  for (int i = 0; i < 500; ++i) {
    std::vector<UniqueFd> opened;
    for (OpenedSource& one : open_sources_apart(
             {trial.session().space.identity, {{trial.skill, trial.skill}, {trial.token, trial.token}}})) {
      opened.push_back(std::move(one.mount));
    }
    both.wishes[0].path.target = trial.skill + std::to_string(i);
    ASSERT_EQ(tell_holder(trial.space(), both, opened), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
    ASSERT_EQ(tell_holder(trial.space(), {}), (ShowAnswer{{}, true}));
  }
  EXPECT_LE(mounts_of(trial), mounts);  // one of the machine's own may have gone meanwhile
  EXPECT_EQ(descriptors_of(trial), descriptors);
  EXPECT_EQ(list_directory("/proc/self/fd")->size(), own);
  EXPECT_EQ(trial.run("true").status, 0);
}

}  // namespace
}  // namespace talaria
