#include "os/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace talaria {
namespace {

bool is_null_device(int fd, int access) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISCHR(info.st_mode) && info.st_rdev == ::makedev(1, 3) &&
         (::fcntl(fd, F_GETFL) & O_ACCMODE) == access && ::fcntl(fd, F_GETFD) == 0;
}

// In a process of its own, which has these closed: each is the null device afterwards, and the others are as they were.
int exit_code_with_closed(unsigned closed) {
  const pid_t child = ::fork();
  if (child == 0) {
    struct stat before[3] = {}, after{};
    for (int fd = 0; fd < 3; ++fd) {
      if (closed & (1U << fd)) ::close(fd);
      else if (::fstat(fd, &before[fd]) != 0) ::_exit(10 + fd);
    }
    if (!reserve_standard_streams()) ::_exit(20);
    for (int fd = 0; fd < 3; ++fd) {
      if (closed & (1U << fd)) {
        if (!is_null_device(fd, fd == 0 ? O_RDONLY : O_WRONLY)) ::_exit(30 + fd);
      } else if (::fstat(fd, &after) != 0 || after.st_ino != before[fd].st_ino) {
        ::_exit(40 + fd);
      }
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardStreamsTest, WhatIsClosedBecomesTheNullDeviceAndTheRestStays) {
  ASSERT_TRUE(reserve_standard_streams());  // the test itself may have been started without some
  for (unsigned closed = 0; closed < 8; ++closed) EXPECT_EQ(exit_code_with_closed(closed), 0) << closed;
}

}  // namespace
}  // namespace talaria
