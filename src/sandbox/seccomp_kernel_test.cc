// The same questions as in seccomp_test.cc, put to the kernel from inside a child under the filter.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "sandbox/seccomp.h"
#include "sandbox/syscalls.h"
#include "sandbox/syscalls_attempts.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

constexpr int x32 = 0x40000000;

class FilterInKernelTest : public testing::TestWithParam<Who> {
 protected:
  Ended under_filter(const std::function<int()>& body) {
    return try_in_child(GetParam(), [&] {
      if (!give_up_privileges() || load_filter(filter_) != 0) return 125;
      return body();
    });
  }

  std::vector<uint8_t> filter_ = *compile_filter({});
};

INSTANTIATE_TEST_SUITE_P(As, FilterInKernelTest, testing::Values(Who::caller, Who::ordinary_user),
                         [](const auto& who) { return std::string(name_of(who.param)); });

// One errno for each attempt, written by the child, read outside.
class Answers {
 public:
  explicit Answers(size_t count)
      : size_(count * sizeof(int)),
        answers_(static_cast<int*>(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    CHECK(answers_ != MAP_FAILED);
  }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers() { ::munmap(answers_, size_); }
  int& operator[](size_t at) { return answers_[at]; }

 private:
  size_t size_;
  int* answers_;
};

TEST_P(FilterInKernelTest, RefusesEveryAttempt) {
  const std::vector<SyscallAttempt> attempts = attempts_to_refuse();
  Answers answers(attempts.size());
  const Ended ended = under_filter([&] {
    for (size_t at = 0; at < attempts.size(); ++at) answers[at] = attempt(attempts[at]);
    return 0;
  });
  ASSERT_EQ(ended, Ended{});
  for (size_t at = 0; at < attempts.size(); ++at) EXPECT_EQ(answers[at], attempts[at].error) << attempts[at].what;
}

TEST_P(FilterInKernelTest, RefusesEveryAttemptAsX32) {
  std::vector<SyscallAttempt> attempts = attempts_to_refuse();
  for (SyscallAttempt& attempt : attempts) attempt.number |= x32;
  for (int number = 512; number < 550; ++number) attempts.push_back({"x32 only", number | x32, {}, ENOSYS});
  Answers answers(attempts.size());
  const Ended ended = under_filter([&] {
    for (size_t at = 0; at < attempts.size(); ++at) answers[at] = attempt(attempts[at]);
    return 0;
  });
  ASSERT_EQ(ended, Ended{});
  for (size_t at = 0; at < attempts.size(); ++at) EXPECT_EQ(answers[at], ENOSYS) << attempts[at].what;
}

TEST_P(FilterInKernelTest, RefusesNumbersOfTheFuture) {
  EXPECT_EQ(under_filter([] {
              for (int number = newest_syscall + 1; number < 1000; ++number)
                if (attempt({"", number, {}, 0}) != ENOSYS) return 1;
              return 0;
            }),
            Ended{});
}

#ifdef __x86_64__
long by_interrupt_80(int number) {
  long result = number;
  asm volatile("int $0x80" : "+a"(result) : "b"(-1L), "c"(-1L), "d"(-1L) : "memory", "r8", "r9", "r10", "r11");
  return result;
}

TEST_P(FilterInKernelTest, KillsTheCallerOfThe32BitEntry) {
  // Without the filter it works, or is a fault on kernels that have no such entry.
  constexpr int getpid_of_i386 = 20;
  const Ended unfiltered =
      try_in_child(GetParam(), [] { return by_interrupt_80(getpid_of_i386) == ::getpid() ? 0 : 1; });
  ASSERT_TRUE(unfiltered == Ended{} || unfiltered == (Ended{0, SIGSEGV})) << unfiltered;
  const Ended killed{0, unfiltered.signal ? SIGSEGV : SIGSYS};
  std::vector<int> numbers{getpid_of_i386};
  // i386's own: execve, mount, ptrace, socketcall, clone, bpf, io_uring_setup, clone3, mount_setattr.
  for (const int number : {11, 21, 26, 102, 120, 357, 425, 435, 442}) numbers.push_back(number);
  for (const RefusedSyscall& refused : refused_syscalls()) numbers.push_back(refused.number);
  for (const int number : numbers) {
    EXPECT_EQ(under_filter([&] {
                by_interrupt_80(number);
                return 0;
              }),
              killed)
        << number;
  }
}
#endif

TEST_P(FilterInKernelTest, HoldsForChildrenAndThreads) {
  EXPECT_EQ(under_filter([] {
              return try_in_child(Who::caller, [] { return outcome(::syscall(SYS_unshare, CLONE_NEWUSER)); }).code;
            }),
            Ended{EPERM});
}

TEST_P(FilterInKernelTest, CannotBeLoosenedFromInside) {
  EXPECT_EQ(under_filter([] {
              // A filter of one's own that allows everything loads, and changes nothing.
              const std::vector<uint8_t> allow_all{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f};
              if (load_filter(allow_all) != 0) return 1;
              return outcome(::syscall(SYS_unshare, CLONE_NEWUSER));
            }),
            Ended{EPERM});
}

}  // namespace
}  // namespace talaria
