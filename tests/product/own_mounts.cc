#include "product/own_mounts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "os/file.h"

namespace talaria {
namespace {

// Events among them are shared, as they are on most machines.
void have_own_mounts() {
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  ASSERT_EQ(::unshare(uid == "0" ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER), 0);
  if (uid != "0") {
    const auto put = [](const std::string& path, const std::string& text) {
      const UniqueFd file = *open_file(path, O_WRONLY);
      ASSERT_TRUE(write_all(file.get(), text));
    };
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", uid + " " + uid + " 1");
    put("/proc/self/gid_map", gid + " " + gid + " 1");
  }
  ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr), 0);
}

}  // namespace

void in_own_mounts(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    have_own_mounts();
    if (!testing::Test::HasFatalFailure()) body();
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace talaria
