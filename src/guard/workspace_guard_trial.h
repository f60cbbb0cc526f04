#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "guard/workspace_guard.h"
#include "os/file.h"

namespace talaria {

// For tests: a guard in this process, over a repository in which the machine's real git works.
class WorkspaceGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/guard-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    ASSERT_TRUE(make_directories(workspace()));
    shell(
        "git init -q -b main . && git config user.email a@b.c && git config user.name A && echo 1 > a && git add a && "
        "git commit -q -m one");
  }
  void TearDown() override { (void)remove_tree(folder_); }

  std::string home() const { return folder_ + "/home"; }  // not there unless a test makes it
  std::string workspace() const { return folder_ + "/work"; }
  void shell(const std::string& command) const {
    const std::string all =
        "cd " + workspace() + " && export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 && (" + command + ")";
    ASSERT_EQ(std::system(all.c_str()), 0) << command;
  }
  void start(WorkspaceGuard::IsCommitted is_committed = {}, std::vector<std::string> read_only = {}) {
    GuardOrder order{workspace(), folder_ + "/quarantine", "session", {}, std::move(read_only), home()};
    Result<std::unique_ptr<WorkspaceGuard>> guard = WorkspaceGuard::start(order, std::move(is_committed));
    ASSERT_TRUE(guard) << guard.error().message();
    guard_ = *std::move(guard);
    guard_->absorb();
  }
  // "kind path" of each.
  std::vector<std::string> judged() {
    std::vector<std::string> texts;
    for (const Violation& one : guard_->judge(Look::final))
      texts.push_back(std::string(name_of(one.kind)) + " " + one.path);
    std::ranges::sort(texts);
    return texts;
  }
  bool there(const std::string& path) const {
    struct stat status {};
    return ::lstat((workspace() + "/" + path).c_str(), &status) == 0;
  }
  std::string content(const std::string& path) const {
    Result<std::string> text = read_file(workspace() + "/" + path);
    return text ? *text : "";
  }

  std::string folder_;
  std::unique_ptr<WorkspaceGuard> guard_;
};

}  // namespace talaria
