// What commands do to the places of what a session shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sandbox/shown_trial.h"
#include "sandbox/warm_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

// Where commands can write.
class OpenTrial : public SkillTrial {
 public:
  OpenTrial() : SkillTrial(ProfileKind::workspace_write, Home::writable) {}

  // A command that runs from now on, and does what it is told line by line.
  struct Older {
    SpaceTrial::Background command;
    SpaceTrial& trial;

    void run(const std::string& line) const {
      CHECK(trial.run("echo '" + line + "' > /tmp/orders; read < /tmp/answers").status == 0);
    }
  };
  Older older() {
    CHECK(run("mkfifo /tmp/orders /tmp/answers").status == 0);
    return {start("while read -r line < /tmp/orders; do eval \"$line\"; echo > /tmp/answers; done"), *this};
  }

  std::string reading() { return "cat " + skill + "/SKILL.md " + token; }
  std::vector<ShownPath> both() { return {same(skill), same(token)}; }
};

const Outcome both_are_there{0, "the skill\nthe token\n"};

SPACE_TEST(ShownAttackTest, APlantedLinkIsNotFollowed) {
  OpenTrial trial;
  ASSERT_EQ(trial
                .run("mkdir -p " + trial.own + "/skills /tmp/other; ln -s /tmp/other " + trial.skill + "; ln -s /etc " +
                     trial.own + "/etc; ln -s /tmp/other/made " + trial.token)
                .status,
            0);
  const ShowAnswer answer = show(trial, {same(trial.skill), same(trial.token), {trial.own + "/etc/x", trial.token}});
  for (const ShowOutcome& outcome : answer.outcomes) {
    EXPECT_EQ(outcome, (ShowOutcome{ShowState::failed, "a symbolic link is in its way inside"}));
  }
  EXPECT_EQ(trial.run("ls /tmp/other"), (Outcome{0, ""}));
  ASSERT_EQ(trial.run("rm " + trial.skill + " " + trial.token).status, 0);
  EXPECT_TRUE(show(trial, trial.both()).changed);
  EXPECT_EQ(trial.run(trial.reading()), both_are_there);
}

SPACE_TEST(ShownAttackTest, WhatIsInItsPlaceIsSaid) {
  OpenTrial trial;
  ASSERT_EQ(trial.run("mkdir -p " + trial.own + "/skills " + trial.token + "; echo mine > " + trial.skill).status, 0);
  const ShowAnswer answer = show(trial, trial.both());
  EXPECT_EQ(answer.outcomes[0].reason, "a file is in its place inside");
  EXPECT_EQ(answer.outcomes[1].reason, "a directory is in its place inside");
  EXPECT_EQ(show_one(trial, {trial.skill + "/x", trial.token}), "a file is in its way inside");
  EXPECT_EQ(trial.run("cat " + trial.skill), (Outcome{0, "mine\n"}));
  ASSERT_EQ(trial.run("rm " + trial.skill + "; mkfifo " + trial.skill).status, 0);
  EXPECT_EQ(show_one(trial, {trial.skill, trial.token}), "a file is in its place inside");
}

SPACE_TEST(ShownAttackTest, AFolderOfACommandsIsCovered) {
  OpenTrial trial;
  ASSERT_EQ(trial.run("mkdir -p " + trial.skill + "; echo false > " + trial.skill + "/SKILL.md").status, 0);
  ASSERT_TRUE(show(trial, trial.both()).changed);
  EXPECT_EQ(trial.run(trial.reading()), both_are_there);
  ASSERT_TRUE(show(trial, {}).changed);
  EXPECT_EQ(trial.run("cat " + trial.skill + "/SKILL.md"), (Outcome{0, "false\n"}));
}

// The mounts are not the older command's, so their places are nothing special to it.
SPACE_TEST(ShownAttackTest, WhatAnOlderCommandMovesAwayIsPutBackAndCanBeTakenAway) {
  OpenTrial trial;
  const OpenTrial::Older older = trial.older();
  ASSERT_EQ(trial.run("true").status, 0);
  const size_t before = mounts_of(trial);
  ASSERT_TRUE(show(trial, trial.both()).changed);
  older.run("mv " + trial.skill + " /tmp/moved; mv " + trial.token + " /tmp/token; mkdir /tmp/" + "away");
  EXPECT_THAT(trial.run("cat /tmp/token; echo x > /tmp/token").output, HasSubstr("Read-only file system"));
  EXPECT_EQ(show(trial, trial.both()), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  EXPECT_EQ(trial.run(trial.reading()), both_are_there);
  EXPECT_EQ(trial.run("ls /tmp/moved; cat /tmp/token"), (Outcome{0, ""}));
  older.run("mv " + trial.token + " /tmp/once-more; mv " + trial.own + " /tmp/all");
  EXPECT_EQ(show(trial, {}), (ShowAnswer{{}, true}));
  EXPECT_EQ(trial.run("cat /tmp/once-more; ls /tmp/all/skills/pdf"), (Outcome{0, ""}));
  EXPECT_EQ(mounts_of(trial), before);
}

SPACE_TEST(ShownAttackTest, WhatAnOlderCommandRemovesIsPutBack) {
  OpenTrial trial;
  const OpenTrial::Older older = trial.older();
  ASSERT_TRUE(show(trial, trial.both()).changed);
  const size_t mounts = mounts_of(trial), descriptors = descriptors_of(trial);
  older.run("rmdir " + trial.skill + "; rm " + trial.token + "; ln -s /etc/hostname " + trial.token);
  EXPECT_EQ(show(trial, trial.both()).outcomes[1].reason, "a symbolic link is in its way inside");
  older.run("rm " + trial.token);
  EXPECT_EQ(show(trial, trial.both()), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  EXPECT_EQ(trial.run(trial.reading()), both_are_there);
  EXPECT_EQ(mounts_of(trial), mounts);
  EXPECT_EQ(descriptors_of(trial), descriptors);
}

SPACE_TEST(ShownAttackTest, ACommandThatSeesItCanMoveOnlyWhatIsAroundIt) {
  OpenTrial trial;
  ASSERT_TRUE(show(trial, trial.both()).changed);
  EXPECT_THAT(trial.run("mv " + trial.skill + " /tmp/moved").output, HasSubstr("busy"));
  ASSERT_EQ(
      trial.run("mv " + trial.own + " /tmp/moved; mkdir -p " + trial.skill + "; echo false > " + trial.token).status,
      0);
  EXPECT_EQ(show(trial, trial.both()), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  EXPECT_EQ(trial.run(trial.reading()), both_are_there);
  EXPECT_EQ(trial.run("ls /tmp/moved/skills/pdf"), (Outcome{0, ""}));
}

// Whatever comes of it: it is what it should be and read-only, or it is not there, and is said.
SPACE_TEST(ShownAttackTest, ACommandThatChangesTheWayAllTheTimeGainsNothing) {
  OpenTrial trial;
  ASSERT_EQ(trial.run("true").status, 0);
  const size_t before = mounts_of(trial), descriptors = descriptors_of(trial);
  const SpaceTrial::Background racer = trial.start(
      "mkdir -p " + trial.own + "/skills /tmp/trap/pdf; cd " + trial.own +
      "; while :; do mv skills a; ln -s /tmp/trap skills; rm skills; ln -s /etc skills; rm skills; mv a skills; "
      "mv skills/pdf skills/b; mkdir -p skills/pdf; rmdir skills/b; rm -f token.json; ln -s /etc/passwd token.json; "
      "rm token.json; done 2> /dev/null");
  int shown = 0;
  for (int i = 0; i < 150; ++i) {
    const ShowAnswer answer = show(trial, trial.both());
    for (const ShowOutcome& outcome : answer.outcomes) {
      if (outcome.state == ShowState::shown) ++shown;
      EXPECT_NE(outcome.state == ShowState::failed, outcome.reason.empty());
    }
    ASSERT_LE(mounts_of(trial), before + 2);
  }
  EXPECT_GT(shown, 0);
  ASSERT_EQ(show(trial, {}).outcomes.size(), 0u);
  EXPECT_LE(mounts_of(trial), before);  // one of the machine's own may have gone meanwhile
  EXPECT_EQ(descriptors_of(trial), descriptors);
  EXPECT_THAT(trial.run("grep -c ' /etc/' /proc/self/mountinfo; ls -A /tmp/trap/pdf; find /tmp -name SKILL.md").output,
              Not(HasSubstr("SKILL.md")));
}

SPACE_TEST(ShownAttackTest, NoPlaceIsMadeOnTheHost) {
  for (const ProfileKind kind : {ProfileKind::workspace_write, ProfileKind::full}) {
    SkillTrial trial(kind);
    EXPECT_THAT(show_one(trial, {trial.workspace + "/made", trial.skill}), HasSubstr("no such place inside"));
    EXPECT_THAT(show_one(trial, {trial.workspace + "/a/b/file", trial.token}), HasSubstr("no such place inside"));
    EXPECT_EQ(*list_directory(trial.workspace), std::vector<std::string>{"own"});
    EXPECT_EQ(show_one(trial, {"/usr/made", trial.skill}), "there is no such place inside, and none may be made there");
  }
}

SPACE_TEST(ShownAttackTest, NothingThatIsShownBecomesAWarmBase) {
  WarmTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const std::string place = "/tmp/tools";
  ASSERT_EQ(show_one(trial, {place, trial.library}), "");
  EXPECT_EQ(trial.run("ls " + place).output, "trial\n");
  EXPECT_TRUE(trial.refuses({"a", {place + "/trial"}, {"TALARIA_TRIAL_BASE=serving"}}));
  EXPECT_TRUE(trial.refuses({"b", {trial.program()}, {"TALARIA_TRIAL_BASE=serving"}, {place}}));
  // Nor by one that cannot.
  ASSERT_EQ(show_one(trial, {"/usr/local/lib", trial.library}), "");
  EXPECT_TRUE(trial.refuses({"d", {"/usr/local/lib/trial"}, {"TALARIA_TRIAL_BASE=serving"}}));
  trial.keep_warm("c", "serving");
  EXPECT_TRUE(trial.becomes_warm("c"));
}

}  // namespace
}  // namespace talaria
