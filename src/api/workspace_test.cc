#include "api/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    std::string pattern = testing::TempDir() + "workspace.XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    base_ = real_path(pattern);
    rules_.user = ::geteuid();
    make("project/src/deep");
  }
  ~WorkspaceTest() override { (void)remove_tree(base_); }

  std::string make(const std::string& path) const {
    EXPECT_TRUE(make_directories(base_ + "/" + path));
    return base_ + "/" + path;
  }
  void put(const std::string& path, const std::string& text) const {
    EXPECT_TRUE(write_file_atomically(base_ + "/" + path, text, 0600, Durable::no));
  }
  void git_directory(const std::string& path) const {
    make(path + "/objects");
    make(path + "/refs");
    put(path + "/HEAD", "ref: refs/heads/main\n");
  }
  Workspace find(const std::string& cwd) const { return find_workspace(base_ + "/" + cwd, rules_); }
  std::string path_of(const std::string& cwd) const { return find(cwd).path.substr(base_.size()); }

  std::string base_;
  WorkspaceRules rules_;
};

TEST_F(WorkspaceTest, IsTheRepositoryAroundElseTheDirectory) {
  EXPECT_EQ(find("project/src"), (Workspace{base_ + "/project/src", WorkspaceReason::no_repository, ""}));
  git_directory("project/.git");
  EXPECT_EQ(find("project"), (Workspace{base_ + "/project", WorkspaceReason::repository, ""}));
  EXPECT_EQ(find("project/src/deep"), (Workspace{base_ + "/project", WorkspaceReason::repository,
                                                 "The workspace is " + base_ + "/project, the git repository around " +
                                                     base_ + "/project/src/deep."}));
  ASSERT_EQ(::symlink((base_ + "/project/src").c_str(), (base_ + "/link").c_str()), 0);
  EXPECT_EQ(path_of("link"), "/project");
}

TEST_F(WorkspaceTest, TakesTheNearestRepository) {
  git_directory("project/.git");
  git_directory("project/src/.git");
  EXPECT_EQ(path_of("project/src/deep"), "/project/src");
}

TEST_F(WorkspaceTest, WhatIsOnlyCalledGitIsNoRepository) {
  const std::string about = base_ + "/project/.git was not taken as a repository: it is not valid (";
  make("project/.git");
  EXPECT_EQ(find("project/src").reason, WorkspaceReason::invalid_repository);
  EXPECT_EQ(find("project/src").sentence, about + "no HEAD). The workspace is " + base_ + "/project/src.");
  EXPECT_EQ(find("project").sentence, "");  // there it makes no difference
  put("project/.git/HEAD", "nonsense\n");
  EXPECT_THAT(find("project/src").sentence, HasSubstr("(no HEAD)"));
  put("project/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_THAT(find("project/src").sentence, HasSubstr("(no objects)"));
  make("project/.git/objects");
  EXPECT_THAT(find("project/src").sentence, HasSubstr("(no refs)"));
  make("project/.git/refs");
  EXPECT_EQ(path_of("project/src"), "/project");
  for (const std::string head : {"ref:refs/heads/a", "0123456789abcdef0123456789abcdef01234567"}) {
    put("project/.git/HEAD", head);
    EXPECT_EQ(path_of("project/src"), "/project") << head;
  }
  ASSERT_EQ(::unlink((base_ + "/project/.git/HEAD").c_str()), 0);
  ASSERT_EQ(::symlink("refs/heads/main", (base_ + "/project/.git/HEAD").c_str()), 0);
  EXPECT_EQ(path_of("project/src"), "/project");
}

TEST_F(WorkspaceTest, APipeOrALinkToNothingKeepsNobodyWaiting) {
  ASSERT_EQ(::mkfifo((base_ + "/project/src/.git").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("nowhere", (base_ + "/project/.git").c_str()), 0);
  make(".git");
  ASSERT_EQ(::mkfifo((base_ + "/.git/HEAD").c_str(), 0600), 0);
  EXPECT_EQ(path_of("project/src/deep"), "/project/src/deep");
}

TEST_F(WorkspaceTest, FollowsTheFileOfAWorktreeOrASubmodule) {
  git_directory("main/.git");
  make("main/.git/worktrees/one");
  put("main/.git/worktrees/one/HEAD", "ref: refs/heads/one\n");
  put("main/.git/worktrees/one/commondir", "../..\n");
  put("project/.git", "gitdir: ../main/.git/worktrees/one\n");
  EXPECT_EQ(path_of("project/src"), "/project");
  put("project/.git", "gitdir: " + base_ + "/main/.git/worktrees/two\n");
  EXPECT_THAT(find("project/src").sentence, HasSubstr("not valid (it leads nowhere)"));
  put("project/.git", "something else");
  EXPECT_THAT(find("project/src").sentence, HasSubstr("neither a git directory nor a file that leads to one"));
}

TEST_F(WorkspaceTest, AStrangersRepositoryOpensNothing) {
  git_directory("project/.git");
  rules_.user = ::geteuid() + 4711;
  EXPECT_EQ(find("project/src").reason, WorkspaceReason::foreign_repository);
  EXPECT_EQ(find("project/src").sentence, base_ + "/project/.git was not taken as a repository: " + base_ +
                                              "/project belongs to somebody else. The workspace is " + base_ +
                                              "/project/src.");
  // A nearer one that is not taken does not hide the right one above it, and is named.
  rules_.user = ::geteuid();
  make("project/src/.git");
  EXPECT_THAT(find("project/src/deep").sentence,
              AllOf(HasSubstr("The workspace is " + base_ + "/project, "), HasSubstr("src/.git was not taken")));
}

TEST_F(WorkspaceTest, EachOfWorktreeEntryAndGitDirectoryMustBelongToTheUser) {
  git_directory("elsewhere");
  put("project/.git", "gitdir: " + base_ + "/elsewhere\n");
  EXPECT_EQ(path_of("project/src"), "/project");
  rules_.user = 1234;
  EXPECT_THAT(find("project/src").sentence, HasSubstr(base_ + "/project belongs to somebody else"));
  if (::geteuid() != 0) return;  // only root can give away one of the three
  const std::vector<std::string> three = {"/project", "/project/.git", "/elsewhere"};
  for (const std::string& path : three) ASSERT_EQ(::chown((base_ + path).c_str(), 1234, 1234), 0);
  EXPECT_EQ(path_of("project/src"), "/project");
  for (const std::string& path : three) {
    ASSERT_EQ(::chown((base_ + path).c_str(), 1235, 1235), 0);
    EXPECT_THAT(find("project/src").sentence, HasSubstr(base_ + path + " belongs to somebody else")) << path;
    ASSERT_EQ(::chown((base_ + path).c_str(), 1234, 1234), 0);
  }
}

TEST_F(WorkspaceTest, RootTrustsItselfWhoBecameRootAndWhosePlaceItIsIn) {
  git_directory("project/.git");
  rules_.user = 0;  // all of it is ours, and so is the directory where root would work
  EXPECT_EQ(path_of("project/src"), "/project");
  rules_.user = 1234;
  rules_.sudo_user = ::geteuid();
  EXPECT_EQ(path_of("project/src"), "/project/src");  // nobody but root goes by who became it
  rules_.user = 0;
  rules_.sudo_user.reset();
  if (::geteuid() != 0) return;  // only root can make a stranger's repository
  for (const char* path : {"/project", "/project/.git"}) ASSERT_EQ(::chown((base_ + path).c_str(), 1234, 1234), 0);
  EXPECT_EQ(path_of("project/src"), "/project/src");  // root's directory in a stranger's repository
  rules_.sudo_user = 1234;
  EXPECT_EQ(path_of("project/src"), "/project");
  rules_.sudo_user.reset();
  ASSERT_EQ(::chown((base_ + "/project/src").c_str(), 1234, 1234), 0);
  EXPECT_EQ(path_of("project/src"), "/project");
}

TEST_F(WorkspaceTest, NoHomeAndNothingThatHoldsOneOrOursIsTaken) {
  git_directory(".git");
  git_directory("project/.git");
  EXPECT_EQ(path_of("project/src"), "/project");
  rules_.homes = {base_ + "/project"};
  EXPECT_EQ(find("project/src").reason, WorkspaceReason::too_wide_repository);
  EXPECT_THAT(find("project/src").sentence, AllOf(HasSubstr("a home directory is no workspace"),
                                                  HasSubstr("The workspace is " + base_ + "/project/src.")));
  rules_.homes = {};
  rules_.own_home = base_ + "/project/data/talaria";
  EXPECT_EQ(path_of("project/src"), "/project/src");
  EXPECT_THAT(find("project/src").sentence, HasSubstr("Talaria's own home " + rules_.own_home + " is in it"));
  EXPECT_EQ(path_of("project"), "/project");  // who asks for it gets it
}

TEST(WorkspaceRulesTest, KnowTheHomesAndTheFoldersOfTheSystem) {
  const WorkspaceRules rules = workspace_rules("/nowhere/talaria");
  EXPECT_EQ(rules.user, ::geteuid());
  EXPECT_EQ(rules.own_home, "/nowhere/talaria");
  EXPECT_THAT(rules.homes, testing::Contains("/root"));
  for (const char* path : {"/tmp", "/var/tmp", "/home", "/usr", "/opt", "/srv"}) EXPECT_TRUE(is_system_folder(path));
  EXPECT_FALSE(is_system_folder("/srv/project"));
}

}  // namespace
}  // namespace talaria
