#include <fcntl.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstring>

#include "guard/workspace_guard_trial.h"

// Changes that are hard to see.
namespace talaria {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class HiddenChangeTest : public WorkspaceGuardTest {
 protected:
  // A file's first page as a process has it in its memory.
  class Mapped {
   public:
    explicit Mapped(const std::string& path) {
      const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
      memory_ = static_cast<char*>(::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
    }
    ~Mapped() { ::munmap(memory_, page); }
    void write(const char* text) { std::memcpy(memory_, text, std::strlen(text)); }

   private:
    static constexpr size_t page = 4096;
    char* memory_ = nullptr;
  };
};

// The kernel stamps a file when a page of it is first written to, not again while that page waits to be stored.
TEST_F(HiddenChangeTest, AWriteThroughMemoryIsSeen) {
  shell("mkdir .husky; echo good > .husky/pre-commit");
  start();
  Mapped hook(workspace() + "/.husky/pre-commit");
  hook.write("good\n");
  EXPECT_THAT(judged(), IsEmpty());
  hook.write("evil\n");
  EXPECT_THAT(judged(), ElementsAre("put_back .husky/pre-commit"));
  EXPECT_EQ(content(".husky/pre-commit"), "good\n");
}

// Two writes within one tick of the kernel's clock have one stamp.
TEST_F(HiddenChangeTest, AWriteInTheSameMomentIsSeen) {
  shell("mkdir .husky; echo good > .husky/pre-commit");
  start();
  for (int i = 0; i < 20; ++i) {
    const UniqueFd file(::open((workspace() + "/.husky/pre-commit").c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), "good\n", 5, 0), 5);
    (void)judged();
    ASSERT_EQ(::pwrite(file.get(), "evil\n", 5, 0), 5);
    EXPECT_THAT(judged(), ElementsAre("put_back .husky/pre-commit"));
  }
}

TEST_F(HiddenChangeTest, ACrowdHidesNothing) {
  start();
  shell("cd .git; seq 22000 | xargs touch; mkdir -p odd/deep hooks; echo ../evil > commondir");
  EXPECT_THAT(judged(), Contains("quarantined .git/commondir"));
  EXPECT_FALSE(there(".git/commondir"));
  EXPECT_FALSE(there(".git/odd"));
  EXPECT_TRUE(there(".git/objects"));
  EXPECT_TRUE(there(".git/hooks"));
  shell("echo ../evil > .git/commondir");
  EXPECT_THAT(judged(), Contains("quarantined .git/commondir"));
}

TEST_F(HiddenChangeTest, ObjectsFromElsewhereAreTakenAway) {
  start();
  shell("mkdir -p .git/objects/info; echo /elsewhere/objects > .git/objects/info/alternates");
  EXPECT_THAT(judged(), ElementsAre("quarantined .git/objects/info/alternates"));
}

// Looks that found nothing to do are short. They must not become blind.
TEST_F(HiddenChangeTest, ALookAfterManyQuietOnesIsAsSharp) {
  shell("rm -rf .git/hooks; mkdir -p sub; git init -q sub");
  start();
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(judged(), IsEmpty());
    guard_->absorb();
  }
  shell("mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-push; echo x > .git/config.worktree");
  EXPECT_THAT(judged(), ElementsAre("quarantined .git/config.worktree", "quarantined sub/.git/hooks/pre-push"));
  shell("mkdir -p .git/rebase-merge; echo 'exec evil' > .git/rebase-merge/git-rebase-todo");
  EXPECT_THAT(judged(), ElementsAre("rewritten .git/rebase-merge/git-rebase-todo"));
  shell("echo 'x evil' > .git/rebase-merge/git-rebase-todo");
  EXPECT_THAT(judged(), ElementsAre("rewritten .git/rebase-merge/git-rebase-todo"));
}

TEST_F(HiddenChangeTest, WhatARebaseGoesOnWithIsJudged) {
  shell("rm -rf .git/hooks");
  start();
  shell("mkdir elsewhere; echo 'exec evil' > elsewhere/git-rebase-todo; ln -s ../elsewhere .git/rebase-merge");
  EXPECT_THAT(judged(), ElementsAre("quarantined .git/rebase-merge"));
  shell("mkdir .git/rebase-merge; echo x/evil > .git/rebase-merge/strategy");
  EXPECT_THAT(judged(), ElementsAre("quarantined .git/rebase-merge/strategy"));
  shell(
      "echo ort > .git/rebase-merge/strategy; mkdir .git/sequencer; printf '[options]\n strategy = ort\n' > "
      ".git/sequencer/opts");
  EXPECT_THAT(judged(), IsEmpty());
  shell("printf '[options]\n strategy = x/evil\n' > .git/sequencer/opts");
  EXPECT_THAT(judged(), ElementsAre("quarantined .git/sequencer/opts"));
}

TEST_F(HiddenChangeTest, WhatALinkOfThePersonsLeadsToIsHeld) {
  shell("ln -s real .envrc; mkdir v; ln -s v .vscode; ln -s agents .claude");
  start();
  shell("echo evil > real; echo evil > v/tasks.json; echo fine > v/settings.json; mkdir agents; echo x > agents/y");
  EXPECT_THAT(judged(), ElementsAre("quarantined agents", "quarantined real", "quarantined v/tasks.json"));
}

// Git writes the folder of a worktree file by file, and a busy machine lets it take its time.
TEST_F(HiddenChangeTest, AWorktreeInTheMakingIsLeftAlone) {
  shell("git worktree add -q made");
  start();
  shell(
      "cp -r .git/worktrees/made copy; rm copy/HEAD; mkdir wt; cp -r copy .git/worktrees/wt; echo \"$PWD/wt/.git\" > "
      ".git/worktrees/wt/gitdir; echo \"gitdir: $PWD/.git/worktrees/wt\" > wt/.git");
  EXPECT_THAT(guard_->judge(Look::hasty), IsEmpty());
  shell("mkdir other; touch other/.git");
  EXPECT_THAT(guard_->judge(Look::hasty), IsEmpty());
  shell("rm -r other");
  shell("cp .git/worktrees/made/HEAD .git/worktrees/wt/HEAD; rm -r copy; git -C wt status -s > /dev/null");
  EXPECT_THAT(judged(), IsEmpty());
}

TEST_F(HiddenChangeTest, TheGitDirectoryOfALinkedWorktreeIsGuardedToo) {
  shell("git worktree add -q ../linked");
  GuardOrder order{folder_ + "/linked", folder_ + "/quarantine", "session", {}, {}, home(), workspace() + "/.git", {}};
  Result<std::unique_ptr<WorkspaceGuard>> guard = WorkspaceGuard::start(order, {});
  ASSERT_TRUE(guard) << guard.error().message();
  guard_ = *std::move(guard);
  guard_->absorb();
  shell("cd ../linked; echo x > f; git add f; git commit -q -m inside; git branch other");
  EXPECT_THAT(judged(), IsEmpty());
  shell(
      "echo ../evil > .git/commondir; mkdir .git/rebase-merge; echo 'exec evil' > .git/rebase-merge/git-rebase-todo; "
      "echo x > .git/worktrees/linked/config.worktree; git config -f .git/config core.fsmonitor evil");
  const std::string git = workspace() + "/.git/";
  EXPECT_THAT(judged(), ElementsAre("put_back " + git + "config", "quarantined " + git + "commondir",
                                    "quarantined " + git + "worktrees/linked/config.worktree",
                                    "rewritten " + git + "rebase-merge/git-rebase-todo"));
}

TEST_F(HiddenChangeTest, WhatHasASecondNameIsNotKeptByAMount) {
  shell("ln .git/config second; mkdir s; echo good > s/hook; ln s/hook .git/hooks/pre-commit");
  start({}, {".git/config", ".git/hooks"});
  shell("printf '[core]\\n fsmonitor = evil\\n' >> second; echo evil > s/hook");
  EXPECT_THAT(judged(), ElementsAre("put_back .git/config", "put_back .git/hooks/pre-commit"));
  EXPECT_EQ(content(".git/hooks/pre-commit"), "good\n");
}

TEST_F(HiddenChangeTest, ARepositoryThatIsMadeSlowlyIsSeen) {
  start();
  shell("mkdir -p b/objects b/refs; printf '[core]\\n fsmonitor = evil\\n' > b/config; touch b/HEAD");
  EXPECT_THAT(judged(), IsEmpty());
  guard_->absorb();
  shell("echo 'ref: refs/heads/m' > b/HEAD");
  EXPECT_THAT(judged(), ElementsAre("rewritten b/config"));
}

TEST_F(HiddenChangeTest, AFolderThatNobodyMayListIsLookedThrough) {
  const auto plant = [this] {
    start();
    shell("mkdir -p x/deep; echo evil > x/deep/.envrc; chmod 311 x/deep; chmod 0 x");
    return judged();
  };
  // Root may list everything, so this is for the others.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::chown(folder_.c_str(), 65534, 65534) != 0 || ::setegid(65534) != 0)) ::_exit(2);
    const std::string give = "chown -R nobody " + folder_;
    if (::geteuid() == 0 && (std::system(give.c_str()) != 0 || ::setresuid(65534, 65534, 65534) != 0)) ::_exit(3);
    const std::vector<std::string> found = plant();
    ::_exit(found == std::vector<std::string>{"quarantined x/deep/.envrc"} ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(there("x/deep/.envrc"));
}

TEST_F(HiddenChangeTest, ManyNamesAreAskedForAtOnce) {
  std::vector<std::string> asked;
  GuardOrder order{workspace(), folder_ + "/quarantine", "session", {}, {}, home()};
  Result<std::unique_ptr<WorkspaceGuard>> guard = WorkspaceGuard::start(
      order, [](const std::string&, const std::string&) { return false; },
      [&](const std::vector<std::string>& contents) { asked = contents; });
  ASSERT_TRUE(guard) << guard.error().message();
  guard_ = *std::move(guard);
  guard_->absorb();
  shell("for i in 1 2 3 4 5; do mkdir d$i; echo $i > d$i/.envrc; done");
  EXPECT_EQ(judged().size(), 5U);
  EXPECT_EQ(asked, (std::vector<std::string>{"1\n", "2\n", "3\n", "4\n", "5\n"}));
}

// The kernel gives each user only so many watches; a user namespace may have fewer.
class FewWatchesTest : public HiddenChangeTest, public testing::WithParamInterface<const char*> {
 protected:
  static bool write_to(const char* path, const std::string& text) {
    const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
};

TEST_P(FewWatchesTest, WhatTheKernelDoesNotTellIsSeen) {
  shell("mkdir -p deep/b/c d/e; echo x > deep/b/c/f");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string user = "0 " + std::to_string(::geteuid()) + " 1",
                      group = "0 " + std::to_string(::getegid()) + " 1";
    if (::unshare(CLONE_NEWUSER) != 0 || !write_to("/proc/self/setgroups", "deny") ||
        !write_to("/proc/self/uid_map", user) || !write_to("/proc/self/gid_map", group) || !write_to(GetParam(), "1")) {
      ::_exit(2);
    }
    const UniqueFd only(::inotify_init1(IN_CLOEXEC));  // uses up the one instance, where that is what is counted
    start();
    shell("echo evil > deep/b/c/.envrc; mkdir -p d/e/new; echo evil > d/e/new/.envrc; echo fine > deep/b/c/g");
    const std::vector<std::string> first = judged();
    shell("echo evil > d/e/new/.envrc");
    const std::vector<std::string> second = judged();
    const bool right = first == std::vector<std::string>{"quarantined d/e/new/.envrc", "quarantined deep/b/c/.envrc"} &&
                       second == std::vector<std::string>{"quarantined d/e/new/.envrc"} && judged().empty();
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, FewWatchesTest,
                         testing::Values("/proc/sys/user/max_inotify_instances", "/proc/sys/user/max_inotify_watches"));

}  // namespace
}  // namespace talaria
