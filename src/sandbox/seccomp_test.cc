#include "sandbox/seccomp.h"

#include <gmock/gmock.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/syscall.h>

#include <cstring>
#include <set>

#include "sandbox/syscalls.h"
#include "sandbox/syscalls_attempts.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

// The filter run by hand, as the kernel would: what it says of calls that must not really be made here, and of all
// numbers there are.
class Judge {
 public:
  explicit Judge(const std::vector<uint8_t>& filter) : program_(filter.size() / sizeof(sock_filter)) {
    std::memcpy(program_.data(), filter.data(), filter.size());
  }

  uint32_t operator()(const seccomp_data& call) const {
    uint32_t accumulator = 0;
    for (size_t at = 0; at < program_.size(); ++at) {
      const sock_filter& step = program_[at];
      switch (step.code) {
        case BPF_LD | BPF_W | BPF_ABS:
          std::memcpy(&accumulator, reinterpret_cast<const char*>(&call) + step.k, sizeof accumulator);
          break;
        case BPF_ALU | BPF_AND | BPF_K: accumulator &= step.k; break;
        case BPF_JMP | BPF_JA | BPF_K: at += step.k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: at += accumulator == step.k ? step.jt : step.jf; break;
        case BPF_JMP | BPF_JGT | BPF_K: at += accumulator > step.k ? step.jt : step.jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: at += accumulator >= step.k ? step.jt : step.jf; break;
        case BPF_RET | BPF_K: return step.k;
        default: ADD_FAILURE() << "instruction " << step.code; return 0;
      }
    }
    ADD_FAILURE() << "the filter ends without a verdict";
    return 0;
  }

  uint32_t operator()(int number, std::array<uint64_t, 6> arguments = {}, uint32_t architecture = native) const {
    seccomp_data call{number, architecture, 0, {}};
    std::ranges::copy(arguments, call.args);
    return (*this)(call);
  }

#ifdef __x86_64__
  static constexpr uint32_t native = AUDIT_ARCH_X86_64;
#else
  static constexpr uint32_t native = AUDIT_ARCH_AARCH64;
#endif

 private:
  std::vector<sock_filter> program_;
};

constexpr uint32_t failing_with(int error) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error); }

class FilterTest : public testing::Test {
 protected:
  std::vector<uint8_t> filter_ = *compile_filter({});
  Judge judge_{filter_};
};

TEST_F(FilterTest, RefusesEveryAttempt) {
  for (const SyscallAttempt& attempt : attempts_to_refuse())
    EXPECT_EQ(judge_(attempt.number, attempt.arguments), failing_with(attempt.error)) << attempt.what;
}

TEST_F(FilterTest, LetsEveryOtherSystemCallThrough) {
  std::set<int> judged;
  for (const RefusedSyscall& refused : refused_syscalls()) judged.insert(refused.number);
  for (const RestrictedSyscall& restricted : restricted_syscalls({})) judged.insert(restricted.number);
  EXPECT_GT(judged.size(), 50U);
  for (int number = 0; number <= newest_syscall; ++number) {
    if (judged.contains(number)) continue;
    EXPECT_EQ(judge_(number), SECCOMP_RET_ALLOW) << number;
  }
}

TEST_F(FilterTest, RefusesNumbersNewerThanItKnowsAndThoseOfX32) {
  for (int number = newest_syscall + 1; number < 2000; ++number) EXPECT_EQ(judge_(number), failing_with(ENOSYS));
  for (int number = 0; number < 2000; ++number) EXPECT_EQ(judge_(number | 0x40000000), failing_with(ENOSYS));
  for (const int number : {0x3fffffff, 0x7fffffff, -1}) EXPECT_EQ(judge_(number), failing_with(ENOSYS));
}

TEST_F(FilterTest, KillsCallersOfForeignArchitectures) {
  for (const uint32_t architecture : {AUDIT_ARCH_I386 + 0U, AUDIT_ARCH_ARM + 0U, AUDIT_ARCH_RISCV64 + 0U, 0U, ~0U})
    for (int number = -1; number < 600; ++number)
      EXPECT_EQ(judge_(number, {}, architecture), SECCOMP_RET_KILL_PROCESS) << architecture << " " << number;
}

TEST_F(FilterTest, LetsOrdinaryUsesOfRestrictedCallsThrough) {
  constexpr uint64_t dirt = 0xabcdULL << 32;
  for (const uint64_t family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    EXPECT_EQ(judge_(SYS_socket, {family, SOCK_STREAM | SOCK_CLOEXEC, 0}), SECCOMP_RET_ALLOW) << family;
    EXPECT_EQ(judge_(SYS_socket, {dirt | family, SOCK_STREAM, dirt}), SECCOMP_RET_ALLOW) << family;
  }
  EXPECT_EQ(judge_(SYS_socket, {AF_INET, SOCK_STREAM, IPPROTO_TCP}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge_(SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge_(SYS_clone, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS}),
            SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge_(SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD}), SECCOMP_RET_ALLOW);
  for (const uint64_t request : {TCGETS, TIOCGWINSZ, TIOCSCTTY, FIONREAD})
    EXPECT_EQ(judge_(SYS_ioctl, {0, request}), SECCOMP_RET_ALLOW) << request;
  for (const uint64_t persona : {0UL, 0xffffffffUL, ~0UL, uint64_t{ADDR_NO_RANDOMIZE}})
    EXPECT_EQ(judge_(SYS_personality, {persona}), SECCOMP_RET_ALLOW) << persona;
}

TEST_F(FilterTest, CanBeCompiledForFewerFamilies) {
  const Judge none(*compile_filter({.families = {}}));
  const Judge internet(*compile_filter({.families = {AF_INET, AF_INET6}}));
  for (const uint64_t family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    const bool open = family == AF_INET || family == AF_INET6;
    EXPECT_EQ(none(SYS_socket, {family}), failing_with(EAFNOSUPPORT)) << family;
    EXPECT_EQ(internet(SYS_socket, {family}), open ? SECCOMP_RET_ALLOW : failing_with(EAFNOSUPPORT)) << family;
  }
  EXPECT_EQ(none(SYS_socketpair, {AF_UNIX}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(none(SYS_mount), failing_with(EPERM));
}

TEST_F(FilterTest, IsTheSameBytesEachTime) { EXPECT_EQ(*compile_filter({}), filter_); }

TEST_F(FilterTest, LoadsOnlyOnceNewPrivilegesAreRuledOut) {
  EXPECT_EQ(try_in_child(Who::ordinary_user, [&] { return load_filter(filter_); }),
            Ended{may_gain_privileges() ? EACCES : 0});
  EXPECT_EQ(try_in_child(Who::ordinary_user, [&] { return give_up_privileges() ? load_filter(filter_) : 1; }), Ended{});
}

TEST_F(FilterTest, RefusesToLoadBytesThatAreNoFilter) {
  const auto load = [](const std::vector<uint8_t>& bytes) {
    return try_in_child(Who::caller, [&] { return give_up_privileges() ? load_filter(bytes) : 1; });
  };
  EXPECT_EQ(load({}), Ended{EINVAL});
  EXPECT_EQ(load({1, 2, 3}), Ended{EINVAL});
  EXPECT_EQ(load(std::vector<uint8_t>(64, 0xff)), Ended{EINVAL});
  EXPECT_EQ(load(std::vector<uint8_t>(8 * 70000)), Ended{EINVAL});
  filter_.resize(filter_.size() - 8);  // its last verdict is gone
  EXPECT_EQ(load(filter_), Ended{EINVAL});
}

TEST(SyscallTablesTest, NameEachSystemCallOnce) {
  std::set<std::string_view> names;
  std::set<int> numbers;
  for (const RefusedSyscall& refused : refused_syscalls()) {
    EXPECT_TRUE(names.insert(refused.name).second) << refused.name;
    EXPECT_TRUE(numbers.insert(refused.number).second) << refused.name;
    EXPECT_LE(refused.number, newest_syscall) << refused.name;
    EXPECT_THAT(refused.error, testing::AnyOf(EPERM, ENOSYS, EOPNOTSUPP)) << refused.name;
    EXPECT_FALSE(refused.group.empty()) << refused.name;
  }
}

}  // namespace
}  // namespace talaria
