#include "sandbox/protected_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

class ProtectedNamesTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_directories(root_)); }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  void put(const std::string& path, const std::string& text = "") {
    const std::string full = root_ + "/" + path;
    ASSERT_TRUE(make_directories(full.substr(0, full.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(full, text));
  }
  std::vector<std::string> here(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(root_ + "/" + name);
    return paths;
  }
  ProtectedPaths find(const std::vector<std::string>& more = {}, const SearchBudget& budget = {}) const {
    return search_workspace(root_, more, OwnerSearch::skipped, budget).protected_paths;
  }

  std::string root_ = testing::TempDir() + "protected-" + std::to_string(random_u64());
};

TEST_F(ProtectedNamesTest, FindsThemAtAnyDepth) {
  for (const char* name : {"a/b/.mcp.json", ".mcp.json", ".claude/settings.json", "a/.vscode/mcp.json",
                           "a/.vscode/settings.json", "src/main.cc", ".bashrc", ".envrc"}) {
    put(name);
  }
  const ProtectedPaths found = find();
  EXPECT_EQ(found.read_only, here({".bashrc", ".claude", ".mcp.json", "a/.vscode/mcp.json", "a/b/.mcp.json"}));
  EXPECT_EQ(found.pinned, here({"a/.vscode"}));
  EXPECT_TRUE(found.complete);
}

TEST_F(ProtectedNamesTest, KnowsWhatGitRuns) {
  for (const char* name :
       {".git/HEAD", ".git/config", ".git/hooks/x", ".git/info/exclude", ".git/objects/x", ".git/modules/lib/HEAD",
        ".git/modules/lib/config", ".git/modules/deep/er/HEAD", ".git/modules/deep/er/hooks/x", ".git/worktrees/w/HEAD",
        ".git/worktrees/w/commondir", "lib/.git"}) {
    put(name);
  }
  const ProtectedPaths found = find();
  EXPECT_EQ(found.read_only, here({".git/config", ".git/hooks", ".git/info", ".git/modules/deep/er/hooks",
                                   ".git/modules/lib/config", ".git/worktrees/w/commondir", "lib/.git"}));
  EXPECT_EQ(found.pinned, here({".git", ".git/modules/deep/er", ".git/modules/lib", ".git/worktrees/w"}));
}

TEST_F(ProtectedNamesTest, ProtectsWhatLinksLeadToAndNamesTheLinks) {
  put("dotfiles/mcp");
  ASSERT_EQ(::symlink("dotfiles/mcp", (root_ + "/.mcp.json").c_str()), 0);
  ASSERT_EQ(::symlink("/etc", (root_ + "/.claude").c_str()), 0);
  ASSERT_EQ(::symlink("/", (root_ + "/everything").c_str()), 0);
  const ProtectedPaths found = find();
  EXPECT_EQ(found.read_only, here({"dotfiles/mcp"}));
  EXPECT_THAT(found.links, testing::UnorderedElementsAreArray(here({".claude", ".mcp.json"})));
}

TEST_F(ProtectedNamesTest, TakesTheNamesOfAProfile) {
  put("a/deploy/key");
  put("b/.env");
  EXPECT_EQ(find({"deploy/key", ".env"}).read_only, here({"a/deploy/key", "b/.env"}));
}

TEST_F(ProtectedNamesTest, StopsAtItsBudgetAndSaysSo) {
  for (int i = 0; i < 50; ++i) put("node_modules/f" + std::to_string(i));
  put("z/.mcp.json");
  const ProtectedPaths few = find({}, {.entries = 10});
  EXPECT_EQ(few.read_only, here({"z/.mcp.json"}));  // what is bulky comes last
  EXPECT_FALSE(few.complete);
  EXPECT_FALSE(find({}, {.depth = 1}).complete);
  put(".mcp.json");
  EXPECT_FALSE(find({}, {.found = 1}).complete);
}

TEST_F(ProtectedNamesTest, OpensAGitDirectoryElsewhereOnlyIfItKnowsTheWorktree) {
  put("repo/.git/HEAD");
  put("repo/.git/objects/x");
  put("repo/.git/config");
  put("repo/.git/worktrees/w/commondir", "../..\n");
  put("repo/.git/worktrees/w/gitdir", root_ + "/w/.git\n");
  put("w/.git", "gitdir: " + root_ + "/repo/.git/worktrees/w\n");
  put("liar/.git", "gitdir: " + root_ + "/repo/.git/worktrees/w\n");
  put("plain/.git/HEAD");
  EXPECT_EQ(linked_git_directory(root_ + "/w"), root_ + "/repo/.git");
  EXPECT_EQ(linked_git_directory(root_ + "/liar"), std::nullopt);
  EXPECT_EQ(linked_git_directory(root_ + "/plain"), std::nullopt);
  EXPECT_THAT(search_workspace(root_ + "/w", {}, OwnerSearch::skipped).protected_paths.read_only,
              IsSupersetOf(here({"repo/.git/config", "w/.git"})));
}

TEST_F(ProtectedNamesTest, NamesFilesOfOthersWhenAsked) {
  put("mine");
  EXPECT_THAT(search_workspace(root_, {}, OwnerSearch::named).foreign, IsEmpty());
  if (::geteuid() != 0) return;  // only root can give a file away
  ASSERT_EQ(::chown((root_ + "/mine").c_str(), 1234, 1234), 0);
  EXPECT_EQ(search_workspace(root_, {}, OwnerSearch::named).foreign, here({"mine"}));
  EXPECT_THAT(search_workspace(root_, {}, OwnerSearch::skipped).foreign, IsEmpty());
}

}  // namespace
}  // namespace talaria
