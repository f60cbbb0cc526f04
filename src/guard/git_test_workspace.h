#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "guard/git_folder.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {

// For tests: a workspace in which the machine's real git works.
class GitTestWorkspace : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(root_ + "/workspace"));
    root_ = real_path(root_);
    workspace_ = UniqueFd(::open(path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(workspace_);
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  std::string path(const std::string& place) const { return root_ + "/workspace/" + place; }

  // Runs it by sh in the workspace, with git as on a fresh machine; what it printed.
  std::string run(const std::string& script) const {
    const std::string command = "cd '" + root_ + "/workspace' && export HOME='" + root_ +
                                "' GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A "
                                "GIT_COMMITTER_EMAIL=a@b GIT_TERMINAL_PROMPT=0 && unset GIT_DIR; set -e; { " +
                                script + "\n} 2>'" + root_ + "/errors'";
    FILE* pipe = ::popen(command.c_str(), "re");
    std::string output;
    std::array<char, 4096> buffer{};
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
    const int status = ::pclose(pipe);
    EXPECT_EQ(status, 0) << script << "\n" << *read_file(root_ + "/errors");
    return output;
  }

  GitSurroundings surroundings(const std::string& place) const {
    return {.workspace = workspace_.get(),
            .workspace_path = root_ + "/workspace",
            .place = place,
            .object_folders = {"/known/objects"}};
  }

  std::string root_ = testing::TempDir() + "git-" + std::to_string(random_u64());
  UniqueFd workspace_;
};

}  // namespace talaria
