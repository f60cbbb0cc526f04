#include "files/ignore_trap.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "files/files_trial.h"
#include "os/socket.h"

namespace talaria {
namespace {

class IgnoreTrapTest : public testing::Test {
 protected:
  IgnoreTrapTest() {
    trial_.put("top/in/a", "");
    trial_.put("top/in/.ignore", "a\n");
    trial_.put("home/x", "");
  }
  void make_fifo(const std::string& name) {
    ASSERT_TRUE(make_directories(parent_of(trial_.path(name)), 0755));
    ASSERT_EQ(::mkfifo(trial_.path(name).c_str(), 0644), 0);
  }
  void make_link(const std::string& name, const std::string& target) {
    ASSERT_EQ(::symlink(target.c_str(), trial_.path(name).c_str()), 0);
  }
  std::string found(SearchRequest request = {}) {
    request.real_path = trial_.path("top");
    const auto trap = find_ignore_trap(trial_.files, request, trial_.path("home"), cancelled_);
    return trap ? trap->path + ": " + trap->what : "none";
  }
  FilesTrial trial_;
  std::atomic<bool> cancelled_ = false;
};

TEST_F(IgnoreTrapTest, FindsNoneAmongFilesThatEnd) {
  make_fifo("top/pipe");
  make_fifo("top/.hidden/.ignore");
  make_fifo("top/ignore");
  trial_.put("top/.git/info/exclude", "a\n");
  make_link("top/.gitignore", "/dev/null");
  make_link("top/.rgignore", "nowhere");
  ASSERT_TRUE(make_directories(trial_.path("top/folder/.ignore"), 0755));
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string socket = trial_.path("top/in/.gitignore");
  ASSERT_LT(socket.size(), sizeof name.sun_path);
  socket.copy(name.sun_path, socket.size());
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  EXPECT_EQ(found(), "none");
}

TEST_F(IgnoreTrapTest, FindsOneBelow) {
  make_fifo("top/in/deep/.rgignore");
  EXPECT_EQ(found(), "in/deep/.rgignore: a FIFO");
  EXPECT_EQ(found({.path = "top/"}), "top/in/deep/.rgignore: a FIFO");
  cancelled_ = true;
  EXPECT_EQ(found(), "none");
}

TEST_F(IgnoreTrapTest, FindsOneInAHiddenFolderWhenThatIsSearched) {
  make_fifo("top/.github/.gitignore");
  EXPECT_EQ(found(), "none");
  EXPECT_EQ(found({.file_glob = ".github/**"}), ".github/.gitignore: a FIFO");
  EXPECT_EQ(found({.pattern = ".git*", .target = SearchTarget::files}), ".github/.gitignore: a FIFO");
}

TEST_F(IgnoreTrapTest, FindsOneAboveAndInTheHome) {
  make_fifo(".ignore");
  EXPECT_EQ(found(), trial_.path(".ignore") + ": a FIFO");
  make_fifo("home/.config/git/ignore");
  EXPECT_EQ(found(), trial_.path("home/.config/git/ignore") + ": a FIFO");
}

TEST_F(IgnoreTrapTest, FindsOneOfARepository) {
  make_fifo("top/in/.git/info/exclude");
  EXPECT_EQ(found(), "in/.git/info/exclude: a FIFO");
}

TEST_F(IgnoreTrapTest, FindsOneOfAWorktree) {
  trial_.put("top/in/.git", "gitdir: " + trial_.path("elsewhere/own") + "\n");
  EXPECT_EQ(found(), "none");
  make_fifo("elsewhere/own/commondir");
  EXPECT_EQ(found(), trial_.path("elsewhere/own/commondir") + ": a FIFO");
  ASSERT_EQ(::unlink(trial_.path("elsewhere/own/commondir").c_str()), 0);
  trial_.put("elsewhere/own/commondir", "../shared\n");
  EXPECT_EQ(found(), "none");
  make_fifo("elsewhere/shared/info/exclude");
  EXPECT_EQ(found(), trial_.path("elsewhere/own/../shared/info/exclude") + ": a FIFO");
}

TEST_F(IgnoreTrapTest, FollowsLinks) {
  make_link("top/.ignore", "/dev/zero");
  EXPECT_EQ(found(), ".ignore: a character device");
  make_link("top/.gitignore", "/proc/self/fd/1");
  ASSERT_EQ(::unlink(trial_.path("top/.ignore").c_str()), 0);
  EXPECT_EQ(found(), ".gitignore: a link to a process's file");
}

}  // namespace
}  // namespace talaria
