// What a session shows while it stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "sandbox/shown_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Until it ends.
std::string all_output(const SpaceTrial::Background& running) {
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = ::read(running.output.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, count);
  return text;
}

SPACE_TEST(ShownMountsTest, ShowsADirectoryAndAFileInASessionThatRuns) {
  SkillTrial trial;
  EXPECT_NE(trial.run("cat " + trial.skill + "/SKILL.md").status, 0);
  const ShowAnswer answer = show(trial, {same(trial.skill), same(trial.token)});
  EXPECT_EQ(answer, (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  EXPECT_EQ(trial.run("cat " + trial.skill + "/SKILL.md " + trial.token), (Outcome{0, "the skill\nthe token\n"}));
  EXPECT_EQ(trial.run(trial.skill + "/scripts/run.sh"), (Outcome{0, "ran\n"}));
  EXPECT_EQ(trial.run("ls " + trial.own + " " + trial.own + "/skills").output,
            trial.own + ":\nskills\ntoken.json\n\n" + trial.own + "/skills:\npdf\n");
  EXPECT_THAT(trial.run("cat " + trial.own + "/key").output, HasSubstr("No such file"));
}

SPACE_TEST(ShownMountsTest, HoldsInTheOtherProfiles) {
  for (const ProfileKind kind : {ProfileKind::read_only, ProfileKind::full}) {
    SkillTrial trial(kind);
    EXPECT_EQ(trial.run("ls " + trial.own), (Outcome{0, ""}));
    EXPECT_EQ(show(trial, {same(trial.skill), same(trial.token)}).outcomes[1], ShowOutcome{ShowState::shown});
    EXPECT_EQ(trial.run("cat " + trial.skill + "/SKILL.md " + trial.token), (Outcome{0, "the skill\nthe token\n"}));
    EXPECT_THAT(trial.run("echo x > " + trial.skill + "/new").output, HasSubstr("Read-only file system"));
    EXPECT_THAT(trial.run("echo x > " + trial.own + "/new").output, HasSubstr("Read-only file system"));
    EXPECT_EQ(show(trial, {}), (ShowAnswer{{}, true}));
    EXPECT_NE(trial.run("test -s " + trial.token).status, 0);
  }
}

SPACE_TEST(ShownMountsTest, NobodyWritesToIt) {
  SkillTrial trial;
  ASSERT_EQ(show(trial, {same(trial.skill), same(trial.token)}).outcomes[0], ShowOutcome{ShowState::shown});
  const std::string file = trial.skill + "/SKILL.md";
  for (const std::string& attempt :
       {"echo x > " + file, "echo x >> " + trial.token, "chmod 777 " + file, "rm -f " + file, "mv " + file + " /tmp/x",
        "mv " + trial.skill + " " + trial.skill + ".old", "rmdir " + trial.skill + "/scripts", "touch " + file,
        "touch " + trial.skill + "/new", "ln " + file + " " + trial.skill + "/link", "rm -f " + trial.token,
        "echo x > /tmp/x && mv /tmp/x " + trial.token, "mkdir " + trial.own + "/x", "touch " + trial.own + "/skills/x",
        "mount -o remount,rw " + trial.skill, "umount " + trial.skill, "mount --bind /tmp " + trial.skill,
        "unshare -rm umount " + trial.skill, "chown $(id -u) " + file}) {
    EXPECT_NE(trial.run(attempt).status, 0) << attempt;
  }
  EXPECT_EQ(trial.run("cat " + file + " " + trial.token), (Outcome{0, "the skill\nthe token\n"}));
  EXPECT_EQ(*list_directory(trial.skill), (std::vector<std::string>{"SKILL.md", "scripts"}));
  EXPECT_EQ(*read_file(trial.token), "the token\n");
}

SPACE_TEST(ShownMountsTest, SetUserIdAndDevicesStayOff) {
  SkillTrial trial;
  ASSERT_EQ(show_one(trial, same(trial.skill)), "");
  const std::string options = trial.run("grep ' " + trial.skill + " ' /proc/self/mountinfo | cut -d' ' -f6").output;
  EXPECT_THAT(options, StartsWith("ro,nosuid,nodev"));
}

SPACE_TEST(ShownMountsTest, AnotherSessionDoesNotSeeIt) {
  SkillTrial trial, other;
  ASSERT_EQ(other.run("true").status, 0);
  ASSERT_EQ(show_one(trial, same(trial.skill)), "");
  EXPECT_NE(other.run("ls " + trial.skill).output, "SKILL.md\nscripts\n");
}

SPACE_TEST(ShownMountsTest, WhatRunsAndWhatIsPrivateStays) {
  SkillTrial trial;
  ASSERT_EQ(trial.run("echo kept > /tmp/word; echo mine > ~/word").status, 0);
  const SpaceTrial::Background running = trial.start("mkfifo /tmp/go; read < /tmp/go; ls " + trial.own);
  ASSERT_EQ(show_one(trial, same(trial.skill)), "");
  EXPECT_EQ(trial.run("cat /tmp/word ~/word; ls " + trial.own), (Outcome{0, "kept\nmine\nskills\n"}));
  ASSERT_EQ(trial.run("while ! [ -p /tmp/go ]; do :; done; echo > /tmp/go").status, 0);
  // It has the view that it started with. The file systems in it are the session's, and so is the place.
  EXPECT_EQ(all_output(running), "skills\n");
  EXPECT_EQ(receive_report(running.control.get())->value, 0);
}

SPACE_TEST(ShownMountsTest, WhatIsNoLongerNamedIsGone) {
  SkillTrial trial;
  ASSERT_EQ(trial.run("true").status, 0);
  const size_t before = mounts_of(trial);
  const SpaceTrial::Background running = [&] {
    EXPECT_EQ(show(trial, {same(trial.skill), same(trial.token)}).outcomes.size(), 2u);
    return trial.start("mkfifo /tmp/go; read < /tmp/go; cat " + trial.skill + "/SKILL.md; cat " + trial.token);
  }();
  EXPECT_EQ(mounts_of(trial), before + 2);
  EXPECT_EQ(show(trial, {same(trial.skill)}), (ShowAnswer{{{ShowState::shown}}, true}));
  EXPECT_EQ(trial.run("ls " + trial.own + "; cat " + trial.skill + "/SKILL.md"), (Outcome{0, "skills\nthe skill\n"}));
  EXPECT_EQ(show(trial, {}), (ShowAnswer{{}, true}));
  EXPECT_EQ(trial.run("ls " + trial.skill), (Outcome{0, ""}));
  EXPECT_EQ(mounts_of(trial), before);
  // What runs keeps its folders; a file goes with its place.
  ASSERT_EQ(trial.run("while ! [ -p /tmp/go ]; do :; done; echo > /tmp/go").status, 0);
  EXPECT_THAT(all_output(running), AllOf(StartsWith("the skill\n"), HasSubstr("No such file")));
}

SPACE_TEST(ShownMountsTest, TheFileThatWasMadeForAFileGoesWithIt) {
  for (const SkillTrial::Home place : {SkillTrial::Home::sealed, SkillTrial::Home::writable}) {
    SkillTrial trial(ProfileKind::workspace_write, place);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(show_one(trial, same(trial.token)), "");
      EXPECT_EQ(trial.run("cat " + trial.token), (Outcome{0, "the token\n"}));
      ASSERT_TRUE(show(trial, {}).changed);
      EXPECT_EQ(trial.run("ls " + trial.own), (Outcome{0, ""}));
    }
  }
}

SPACE_TEST(ShownMountsTest, WhatCommandsPutInThePlaceOfAFileStays) {
  SkillTrial trial(ProfileKind::workspace_write, SkillTrial::Home::writable);
  ASSERT_EQ(show_one(trial, same(trial.token)), "");
  ASSERT_TRUE(show(trial, {}).changed);
  ASSERT_EQ(trial.run("echo mine > " + trial.token).status, 0);
  ASSERT_FALSE(show(trial, {}).changed);
  EXPECT_EQ(trial.run("cat " + trial.token), (Outcome{0, "mine\n"}));
}

SPACE_TEST(ShownMountsTest, WhatRunsKeepsAFileThatIsShownAnew) {
  SkillTrial trial;
  ASSERT_EQ(show_one(trial, same(trial.token)), "");
  const SpaceTrial::Background running = trial.start("mkfifo /tmp/go; read < /tmp/go; cat " + trial.token);
  trial.write(trial.token, "another token\n", 0600);
  ASSERT_EQ(show_one(trial, same(trial.token)), "");
  EXPECT_EQ(trial.run("cat " + trial.token), (Outcome{0, "another token\n"}));
  ASSERT_EQ(trial.run("while ! [ -p /tmp/go ]; do :; done; echo > /tmp/go").status, 0);
  EXPECT_EQ(all_output(running), "the token\n");
}

SPACE_TEST(ShownMountsTest, TheSameSetAgainChangesNothing) {
  SkillTrial trial;
  const std::vector<ShownPath> set = {same(trial.skill), same(trial.token)};
  ASSERT_TRUE(show(trial, set).changed);
  const size_t mounts = mounts_of(trial), descriptors = descriptors_of(trial);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(show(trial, set), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, false}));
    ASSERT_EQ(trial.run("true").status, 0);
  }
  EXPECT_EQ(mounts_of(trial), mounts);
  EXPECT_EQ(descriptors_of(trial), descriptors);
}

SPACE_TEST(ShownMountsTest, AFileThatWasReplacedIsShownAnew) {
  SkillTrial trial;
  const std::vector<ShownPath> set = {same(trial.skill), same(trial.token)};
  ASSERT_TRUE(show(trial, set).changed);
  const size_t mounts = mounts_of(trial);
  trial.write(trial.token, "another token\n", 0600);  // by rename
  ASSERT_EQ(::rename(trial.skill.c_str(), (trial.own + "/old").c_str()), 0);
  trial.write(trial.skill + "/SKILL.md", "another skill\n");
  EXPECT_EQ(show(trial, set), (ShowAnswer{{{ShowState::shown}, {ShowState::shown}}, true}));
  EXPECT_EQ(trial.run("cat " + trial.skill + "/SKILL.md " + trial.token),
            (Outcome{0, "another skill\nanother token\n"}));
  EXPECT_EQ(mounts_of(trial), mounts);
}

SPACE_TEST(ShownMountsTest, AFileThatIsGoneIsSaidAndNotShown) {
  SkillTrial trial;
  ASSERT_TRUE(show(trial, {same(trial.skill), same(trial.token)}).changed);
  ASSERT_TRUE(remove_tree(trial.skill));
  const ShowAnswer answer = show(trial, {same(trial.skill), same(trial.token)});
  EXPECT_EQ(answer.outcomes[1], ShowOutcome{ShowState::shown});
  EXPECT_EQ(answer.outcomes[0].state, ShowState::failed);
  EXPECT_THAT(answer.outcomes[0].reason, HasSubstr("No such file"));
  EXPECT_EQ(trial.run("ls " + trial.skill), (Outcome{0, ""}));
}

SPACE_TEST(ShownMountsTest, OnlyADirectoryOrAFileIsShownAndNoLinkIsFollowed) {
  SkillTrial trial;
  ASSERT_EQ(::mkfifo((trial.own + "/fifo").c_str(), 0644), 0);
  EXPECT_THAT(show_one(trial, same(trial.own + "/fifo")), HasSubstr("neither a directory nor a regular file"));
  ASSERT_EQ(::symlink(trial.home.c_str(), (trial.own + "/link").c_str()), 0);
  EXPECT_THAT(show_one(trial, same(trial.own + "/link")), HasSubstr("symbolic links"));
  EXPECT_THAT(show_one(trial, same(trial.own + "/link/secret")), HasSubstr("symbolic links"));
  EXPECT_NE(trial.run("test -e " + trial.own + "/link").status, 0);
}

SPACE_TEST(ShownMountsTest, NothingThatIsHiddenComesToLight) {
  SkillTrial trial;
  const std::string temporary = trial.root + "/elsewhere";
  ASSERT_TRUE(make_directories(temporary, 0755));
  for (const std::string& path : {trial.own, trial.home, trial.root, std::string("/tmp"), std::string("/root"),
                                  std::string("/run"), std::string("/var/tmp")}) {
    EXPECT_THAT(show_one(trial, same(path)), HasSubstr("hidden in it")) << path;
    EXPECT_THAT(show_one(trial, {temporary, path}), HasSubstr("hidden in it")) << path;
  }
  EXPECT_THAT(show_one(trial, same(trial.workspace)), HasSubstr("which commands may write"));
  EXPECT_THAT(show_one(trial, same("/proc/self")), HasSubstr("not on a disk"));
  EXPECT_THAT(show_one(trial, {"/dev/x", trial.token}), HasSubstr("not on a disk"));
  EXPECT_THAT(show_one(trial, same("/")), HasSubstr("plainest form"));
  EXPECT_THAT(show_one(trial, same(trial.own + "/skills/../key")), HasSubstr("plainest form"));
  EXPECT_THAT(trial.run("ls -A ~ " + trial.own).output, testing::Not(HasSubstr("key")));
}

}  // namespace
}  // namespace talaria
