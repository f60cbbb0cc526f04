// Other file systems, full disks, and takes that are killed.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include "guard/quarantine_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class QuarantineDiskTest : public QuarantineTrial {
 protected:
  // Runs `body` in a process with mounts of its own, which go with it.
  static void in_own_mounts(const std::function<void()>& body) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      become_root_of_mounts();
      body();
      std::fflush(stdout);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  static void mount_disk(const std::string& path, const std::string& options) {
    ASSERT_TRUE(make_directories(path));
    ASSERT_EQ(::mount("none", path.c_str(), "tmpfs", 0, options.c_str()), 0);
  }

  // Kills a take at every system call, before and after it, and looks each time what is left.
  void kill_at_every_step() {
    bool finished = false;
    int step = 1;
    for (; !finished && !HasFailure(); ++step) {
      write(workspace_ + "/.envrc", "precious", 0755);
      finished = killed_take(step);
      Quarantine quarantine(folder_);
      const std::vector<QuarantinedItem> items = *quarantine.list();
      if (is_there(workspace_ + "/.envrc")) {
        EXPECT_THAT(items, IsEmpty()) << step;
        EXPECT_EQ(*read_file(workspace_ + "/.envrc"), "precious");
        EXPECT_THAT(left(), ElementsAre(".envrc")) << step;
        continue;
      }
      ASSERT_EQ(items.size(), 1U) << step;
      EXPECT_THAT(left(), IsEmpty()) << step;
      ASSERT_TRUE(quarantine.restore(items[0])) << step;
      EXPECT_EQ(*read_file(workspace_ + "/.envrc"), "precious");
      EXPECT_EQ(mode_of(workspace_ + "/.envrc"), 0755U) << step;
    }
    EXPECT_GT(step, 30);
  }

 private:
  static void become_root_of_mounts() {
    const auto uid = ::geteuid();
    const auto gid = ::getegid();
    ASSERT_EQ(::unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER), 0);
    if (uid != 0) {
      const auto map = [](const char* path, const std::string& text) {
        const Result<UniqueFd> file = open_file(path, O_WRONLY);
        ASSERT_TRUE(file && write_all(file->get(), text));
      };
      map("/proc/self/setgroups", "deny");
      map("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
      map("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
    }
    ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  }

  // Whether it came to its end before.
  bool killed_take(int step) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      Quarantine quarantine(folder_);
      ::_exit(take(quarantine, ".envrc") ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    for (int stop = 0; stop < step; ++stop) {
      ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
      ::waitpid(child, &status, 0);
      if (WIFEXITED(status)) {
        EXPECT_EQ(status, 0);
        return true;
      }
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return false;
  }
};

TEST_F(QuarantineDiskTest, AKillAtAnyStepLosesNothing) { kill_at_every_step(); }

TEST_F(QuarantineDiskTest, AKillAtAnyStepOfACopyLosesNothing) {
  in_own_mounts([this] {
    mount_disk(workspace_, "size=1m");
    kill_at_every_step();
  });
}

TEST_F(QuarantineDiskTest, WhatIsOnAnotherFileSystemIsCopiedBothWays) {
  in_own_mounts([this] {
    mount_disk(workspace_, "size=1m");
    ASSERT_TRUE(make_directories(workspace_ + "/.husky/sub"));
    write(workspace_ + "/.husky/sub/hook", "x", 04751);
    ASSERT_EQ(::symlink("/etc", (workspace_ + "/.husky/link").c_str()), 0);
    ASSERT_EQ(::mkfifo((workspace_ + "/.husky/pipe").c_str(), 0600), 0);
    const auto item = take(".husky");
    ASSERT_TRUE(item) << item.error().message();
    EXPECT_EQ(item->beside + item->note, "");
    EXPECT_THAT(left(), IsEmpty());
    EXPECT_EQ(mode_of(content(*item) + "/sub/hook"), 0640U);
    const auto restored = quarantine_.restore(*item);
    ASSERT_TRUE(restored) << restored.error().message();
    EXPECT_THAT(left(), ElementsAre(".husky"));
    EXPECT_EQ(mode_of(workspace_ + "/.husky/sub/hook"), 04751U);
    EXPECT_THAT(*list_directory(workspace_ + "/.husky"), ElementsAre("link", "pipe", "sub"));
    EXPECT_THAT(*quarantine_.list(), IsEmpty());
  });
}

TEST_F(QuarantineDiskTest, WhatIsTooLargeStaysBesideAndCanBePutBack) {
  in_own_mounts([this] {
    mount_disk(workspace_, "size=1m");
    Quarantine quarantine(folder_, {.most_copied_bytes = 10});
    write(workspace_ + "/.envrc", std::string(100, 'x'), 0755);
    const auto item = take(quarantine, ".envrc");
    ASSERT_TRUE(item);
    EXPECT_EQ(item->beside, workspace_ + "/.talaria-taken-" + item->id);
    EXPECT_THAT(item->note, HasSubstr("too large"));
    EXPECT_EQ(mode_of(item->beside), 0U);
    EXPECT_EQ(*quarantine.list(), std::vector{*item});
    const auto restored = quarantine.restore(*item);
    ASSERT_TRUE(restored) << restored.error().message();
    EXPECT_EQ(mode_of(workspace_ + "/.envrc"), 0755U);
    EXPECT_THAT(left(), ElementsAre(".envrc"));
    const auto again = take(quarantine, ".envrc");
    ASSERT_TRUE(again && quarantine.remove(*again));
    EXPECT_THAT(left(), IsEmpty());
  });
}

TEST_F(QuarantineDiskTest, OnAFullOrReadOnlyDiskItIsOutOfTheWayAndWhole) {
  for (const char* options : {"size=16k", "size=1m,nr_inodes=3", "ro"}) {
    in_own_mounts([&] {
      mount_disk(folder_, options);
      write(workspace_ + "/.envrc", std::string(100'000, 'x'), 0755);
      const auto item = take(".envrc");
      ASSERT_TRUE(item) << item.error().message();
      EXPECT_EQ(item->beside, workspace_ + "/.talaria-taken-" + item->id) << options;
      EXPECT_NE(item->note, "");
      EXPECT_THAT(left(), ElementsAre(".talaria-taken-" + item->id));
      EXPECT_EQ(mode_of(item->beside), 0U);
      ASSERT_EQ(::chmod(item->beside.c_str(), 0600), 0);
      EXPECT_EQ(read_file(item->beside)->size(), 100'000U);
      EXPECT_TRUE(quarantine_.list()) << options;
    });
    for (const std::string& name : left()) ASSERT_EQ(::unlink((workspace_ + "/" + name).c_str()), 0);
  }
}

TEST_F(QuarantineDiskTest, AMountPointIsSaidToBeOne) {
  in_own_mounts([this] {
    mount_disk(workspace_ + "/.husky", "size=1m");
    const auto item = take(".husky");
    ASSERT_FALSE(item);
    EXPECT_EQ(item.error().code(), ErrorCode::conflict);
    EXPECT_THAT(item.error().message(), HasSubstr("mount point"));
    EXPECT_THAT(*quarantine_.list(), IsEmpty());
  });
}

}  // namespace
}  // namespace talaria
