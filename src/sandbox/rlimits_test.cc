#include "sandbox/rlimits.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "sandbox/trial.h"

namespace talaria {
namespace {

constexpr ResourceLimits unchanged{
    .core = ResourceLimits::as_it_is,
    .processes = ResourceLimits::as_it_is,
    .data = ResourceLimits::as_it_is,
    .file_size = ResourceLimits::as_it_is,
    .open_files = ResourceLimits::as_it_is,
    .locked_memory = ResourceLimits::as_it_is,
    .message_queues = ResourceLimits::as_it_is,
    .pending_signals = ResourceLimits::as_it_is,
};

rlimit limit_of(__rlimit_resource resource) {
  rlimit limit{};
  CHECK(::getrlimit(resource, &limit) == 0);
  return limit;
}

bool is(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  const rlimit limit = limit_of(resource);
  return limit.rlim_cur == soft && limit.rlim_max == hard;
}

TEST(ResourceLimitsTest, SetsSoftAndHardLimits) {
  const ResourceLimits limits{.core = 0,
                              .processes = 77,
                              .data = 1 << 30,
                              .file_size = 4096,
                              .open_files = 90,
                              .open_files_at_first = 80,
                              .locked_memory = 8192,
                              .message_queues = 0,
                              .pending_signals = 33};
  EXPECT_EQ(try_in_child(Who::ordinary_user,
                         [&] {
                           if (const int error = apply_limits(limits)) return error;
                           return is(RLIMIT_CORE, 0, 0) && is(RLIMIT_NPROC, 77, 77) &&
                                          is(RLIMIT_DATA, 1 << 30, 1 << 30) && is(RLIMIT_FSIZE, 4096, 4096) &&
                                          is(RLIMIT_NOFILE, 80, 90) && is(RLIMIT_MEMLOCK, 8192, 8192) &&
                                          is(RLIMIT_MSGQUEUE, 0, 0) && is(RLIMIT_SIGPENDING, 33, 33)
                                      ? 0
                                      : 1;
                         }),
            Ended{});
}

TEST(ResourceLimitsTest, LeavesTighterLimitsAndThoseItIsNotGiven) {
  EXPECT_EQ(try_in_child(Who::ordinary_user,
                         [] {
                           const rlimit tight{10, 20};
                           if (::setrlimit(RLIMIT_NOFILE, &tight) != 0) return 1;
                           if (apply_limits(unchanged) != 0 || !is(RLIMIT_NOFILE, 10, 20)) return 2;
                           ResourceLimits loose = unchanged;
                           loose.open_files = 1 << 20;
                           return apply_limits(loose) == 0 && is(RLIMIT_NOFILE, 10, 10) ? 0 : 3;
                         }),
            Ended{});
}

TEST(ResourceLimitsTest, OpenFilesAreFarFewerThanWhoSetsThemMayHave) {
  const auto of = [](rlim_t ours) {
    return try_in_child(Who::ordinary_user, [ours] {
      const rlimit limit{ours, ours};
      if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
      if (apply_limits(ResourceLimits{.open_files = 1 << 20}) != 0) return -2;
      return static_cast<int>(limit_of(RLIMIT_NOFILE).rlim_max / 64);
    });
  };
  EXPECT_EQ(of(4096), Ended{2048 / 64});
  EXPECT_EQ(of(8192), Ended{4096 / 64});
  EXPECT_EQ(of(16384), Ended{8192 / 64});
}

TEST(ResourceLimitsTest, CannotBeRaisedAgain) {
  EXPECT_EQ(try_in_child(Who::ordinary_user,
                         [] {
                           ResourceLimits limits = unchanged;
                           limits.file_size = 4096;
                           if (apply_limits(limits) != 0) return 1;
                           const rlimit more{8192, 8192};
                           return outcome(::setrlimit(RLIMIT_FSIZE, &more));
                         }),
            Ended{EPERM});
}

TEST(ResourceLimitsTest, StopForkingAllocatingWritingAndOpening) {
  const auto under = [](auto member, uint64_t value, const std::function<int()>& body) {
    return try_in_child(Who::ordinary_user, [&] {
      ResourceLimits limits = unchanged;
      limits.*member = value;
      if (apply_limits(limits) != 0) return 125;
      return body();
    });
  };
  // Nobody's other processes count too, so no number above this one is sure to be enough.
  EXPECT_EQ(under(&ResourceLimits::processes, 0, [] { return outcome(::fork()); }), Ended{EAGAIN});
  EXPECT_EQ(under(&ResourceLimits::data, 1 << 30,
                  [] {
                    void* memory =
                        ::mmap(nullptr, 2UL << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                    return memory == MAP_FAILED ? errno : 0;
                  }),
            Ended{ENOMEM});
  EXPECT_EQ(under(&ResourceLimits::file_size, 4096,
                  [] {
                    ::signal(SIGXFSZ, SIG_IGN);
                    const int file = ::memfd_create("file", MFD_CLOEXEC);
                    return outcome(::ftruncate(file, 4097));
                  }),
            Ended{EFBIG});
  EXPECT_EQ(under(&ResourceLimits::file_size, 4096,
                  [] {
                    const int file = ::memfd_create("file", MFD_CLOEXEC);
                    return outcome(::ftruncate(file, 4097));
                  }),
            (Ended{0, SIGXFSZ}));
  EXPECT_EQ(under(&ResourceLimits::open_files, 3, [] { return outcome(::dup(0)); }), Ended{EMFILE});
  EXPECT_EQ(under(&ResourceLimits::locked_memory, 4096,
                  [] { return outcome(::syscall(SYS_mlockall, MCL_CURRENT | MCL_FUTURE)); }),
            Ended{ENOMEM});
}

TEST(ResourceLimitsTest, MakeNoCoreDump) {
  EXPECT_EQ(try_in_child(Who::ordinary_user,
                         [] {
                           ResourceLimits limits = unchanged;
                           limits.core = 0;
                           return apply_limits(limits) == 0 && is(RLIMIT_CORE, 0, 0) ? 0 : 1;
                         }),
            Ended{});
}

}  // namespace
}  // namespace talaria
