// Asking the kernel directly: calls that change the machine or look into it, and ways around a filter. Arguments are
// such that nothing happens even where a call is let through; its error then tells that it was.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <functional>

#include "attack.h"

namespace attack {
namespace {

void uring(Attempt& attempt) {
  io_uring_params parameters{};
  attempt.must_be_filtered("io_uring_setup", ::syscall(SYS_io_uring_setup, 4, &parameters));
  attempt.must_be_filtered("io_uring_enter", ::syscall(SYS_io_uring_enter, -1, 1, 0, 0, nullptr, 0));
  attempt.must_be_filtered("io_uring_register", ::syscall(SYS_io_uring_register, -1, 0, nullptr, 0));
}

void programs_in_kernel(Attempt& attempt) {
  union bpf_attr attributes {};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 4;
  attributes.max_entries = 1;
  for (const int command : {BPF_MAP_CREATE, BPF_PROG_LOAD, BPF_OBJ_GET, BPF_PROG_GET_NEXT_ID, BPF_BTF_LOAD}) {
    attempt.must_be_filtered("bpf", ::syscall(SYS_bpf, command, &attributes, sizeof attributes));
  }
  perf_event_attr event{};
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_SW_TASK_CLOCK;
  event.exclude_kernel = 1;
  attempt.must_be_filtered("perf of itself", ::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
  attempt.must_be_filtered("perf of everyone", ::syscall(SYS_perf_event_open, &event, -1, 0, -1, 0));
}

void page_faults(Attempt& attempt) {
  attempt.must_be_filtered("userfaultfd", ::syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC));
  attempt.must_be_filtered("userfaultfd of the kernel", ::syscall(SYS_userfaultfd, O_CLOEXEC));
  attempt.must_be_filtered("fanotify", ::syscall(SYS_fanotify_init, FAN_CLASS_NOTIF | FAN_CLOEXEC, O_RDONLY));
  attempt.must_be_filtered("fanotify by name", ::syscall(SYS_fanotify_init, FAN_REPORT_FID | FAN_CLOEXEC, O_RDONLY));
}

void modules(Attempt& attempt) {
  attempt.must_be_filtered("init_module", ::syscall(SYS_init_module, "x", 1, ""));
  attempt.must_be_filtered("finit_module", ::syscall(SYS_finit_module, -1, "", 0));
  attempt.must_be_filtered("delete_module", ::syscall(SYS_delete_module, "talaria_no_such", O_NONBLOCK));
  attempt.must_be_filtered("kexec_load", ::syscall(SYS_kexec_load, 0, 1000, nullptr, 0));
  attempt.must_be_filtered("kexec_file_load", ::syscall(SYS_kexec_file_load, -1, -1, 0, "", 0));
}

void machine(Attempt& attempt) {
  attempt.must_be_filtered("reboot", ::syscall(SYS_reboot, 1, 2, LINUX_REBOOT_CMD_RESTART, nullptr));
  attempt.must_be_filtered("swapon", ::syscall(SYS_swapon, "/nowhere", 0));
  attempt.must_be_filtered("swapoff", ::syscall(SYS_swapoff, "/nowhere"));
  attempt.must_be_filtered("acct", ::syscall(SYS_acct, "/nowhere"));
  attempt.must_be_filtered("quotactl", ::syscall(SYS_quotactl, -1, "/nowhere", 0, nullptr));
  attempt.must_be_filtered("vhangup", ::syscall(SYS_vhangup));
#ifdef SYS_iopl
  attempt.must_be_filtered("iopl", ::syscall(SYS_iopl, 3));
  attempt.must_be_filtered("ioperm", ::syscall(SYS_ioperm, 0x80, 1, 1));
#endif
  char text[64];
  attempt.must_be_filtered("syslog read all", ::syscall(SYS_syslog, 3, text, sizeof text));
  attempt.must_be_filtered("syslog size", ::syscall(SYS_syslog, 10, nullptr, 0));
}

void names(Attempt& attempt) {
  attempt.must_fail("sethostname", ::sethostname("attacked", 8));
  attempt.must_fail("setdomainname", ::setdomainname("attacked", 8));
}

void clocks(Attempt& attempt) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  timeval same{now.tv_sec, now.tv_nsec / 1000};
  timex look{};
  attempt.must_be_filtered("settimeofday", ::syscall(SYS_settimeofday, &same, nullptr));
  attempt.must_be_filtered("clock_settime", ::syscall(SYS_clock_settime, CLOCK_REALTIME, &now));
  attempt.must_be_filtered("adjtimex", ::syscall(SYS_adjtimex, &look));
  attempt.must_be_filtered("clock_adjtime", ::syscall(SYS_clock_adjtime, CLOCK_REALTIME, &look));
  const long timer = ::syscall(SYS_timerfd_create, CLOCK_REALTIME_ALARM, 0);
  attempt.must_fail("a timer that wakes the machine", timer);
}

void personalities(Attempt& attempt) {
  for (const unsigned long value :
       {static_cast<unsigned long>(READ_IMPLIES_EXEC), static_cast<unsigned long>(PER_LINUX32),
        static_cast<unsigned long>(UNAME26), static_cast<unsigned long>(MMAP_PAGE_ZERO)}) {
    attempt.must_be_filtered("personality " + std::to_string(value), ::syscall(SYS_personality, value));
  }
  void* zero = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  attempt.must_fail("map address 0", zero == MAP_FAILED ? -1 : 0);
}

// In a child, because the answer may be its end: by SIGSYS, or a code.
void in_child(Attempt& attempt, const std::string& what, const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) attempt.note(what + " ended by " + ::strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) == 0) attempt.note(what + " was refused");
  else attempt.broke(what + " got through");
}

#ifdef __x86_64__
long interrupt_80(long number, long first, long second) {
  long result = number;
  asm volatile("int $0x80"
               : "+a"(result)
               : "b"(first), "c"(second), "d"(0L), "S"(0L)
               : "memory", "r8", "r9", "r10", "r11");
  return result;
}
#endif

// The same calls by other entries, where they have other numbers.
void other_entries(Attempt& attempt) {
#ifdef __x86_64__
  constexpr long getpid_32 = 20, unshare_32 = 310, x32 = 0x40000000;
  in_child(attempt, "int 0x80 getpid", [] { return interrupt_80(getpid_32, 0, 0) > 0 ? 1 : 0; });
  in_child(attempt, "int 0x80 unshare", [] { return interrupt_80(unshare_32, CLONE_NEWUSER, 0) == 0 ? 1 : 0; });
  in_child(attempt, "x32 getpid", [] { return ::syscall(x32 | SYS_getpid) > 0 ? 1 : 0; });
  in_child(attempt, "x32 unshare", [] { return ::syscall(x32 | SYS_unshare, CLONE_NEWUSER) == 0 ? 1 : 0; });
  in_child(attempt, "x32 execve", [] { return ::syscall(x32 | 520, "/bin/true", nullptr, nullptr) == 0 ? 1 : 0; });
#endif
  for (const long number : {470L, 500L, 511L, 1000L, 0x7fffffffL}) {
    attempt.must_be_filtered("unknown call " + std::to_string(number), ::syscall(number, 0, 0, 0));
  }
  in_child(attempt, "call -1", [] { return ::syscall(-1) < 0 ? 0 : 1; });
}

// A filter of our own that allows everything must not take anything back.
void loosen_filter(Attempt& attempt) {
  sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{1, allow};
  attempt.note("a second filter: " + with_errno(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)));
  sock_filter trap[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG)};
  const sock_fprog second{1, trap};
  attempt.note("a third: " + with_errno(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &second)));
  attempt.must_be_filtered("mount after it", ::mount("none", "/tmp", "tmpfs", 0, nullptr));
  attempt.must_be_filtered("unshare after it", ::syscall(SYS_unshare, CLONE_NEWUSER));
}

// Landlock rules only ever add up.
void loosen_landlock(Attempt& attempt) {
  const uint64_t handled[3] = {1, 0, 0};  // LANDLOCK_ACCESS_FS_EXECUTE
  const long ruleset = ::syscall(SYS_landlock_create_ruleset, handled, sizeof handled, 0);
  struct __attribute__((packed)) {
    uint64_t allowed;
    int32_t parent;
  } rule{1, ::open("/", O_PATH | O_CLOEXEC)};
  ::syscall(SYS_landlock_add_rule, ruleset, 1, &rule, 0);
  attempt.note("a second ruleset: " + with_errno(::syscall(SYS_landlock_restrict_self, ruleset, 0)));
  attempt.must_fail("write /etc after it", ::open("/etc/passwd", O_WRONLY | O_CLOEXEC));
  attempt.must_fail("write .mcp.json after it", ::open(".mcp.json", O_WRONLY | O_CLOEXEC));
}

void keys(Attempt& attempt) {
  const std::string& name = attempt.bait["key"];
  attempt.must_be_filtered("add_key", ::syscall(SYS_add_key, "user", name.c_str(), "overwritten", 11, -4));
  attempt.must_be_filtered("request_key", ::syscall(SYS_request_key, "user", name.c_str(), nullptr, 0));
  for (const long ring : {-1L, -2L, -3L, -4L, -5L}) {
    const long key = ::syscall(SYS_keyctl, 10 /* search */, ring, "user", name.c_str(), 0);
    if (attempt.must_be_filtered("keyctl search", key)) continue;
    char text[256] = {};
    ::syscall(SYS_keyctl, 11 /* read */, key, text, sizeof text - 1);
    attempt.must_hold_no_secret("keyctl read", text);
  }
  attempt.must_be_filtered("keyctl by number",
                           ::syscall(SYS_keyctl, 11, attempt.bait.number("key_number"), nullptr, 0));
  attempt.must_be_filtered("a new session keyring", ::syscall(SYS_keyctl, 1, nullptr));
  attempt.must_be_filtered("the user keyring", ::syscall(SYS_keyctl, 0, -4, 0));
}

constexpr NamedAttempt all[] = {
    {"uring", uring, Harm::none},
    {"programs_in_kernel", programs_in_kernel},
    {"page_faults", page_faults},
    {"modules", modules},
    {"machine", machine},
    {"names", names},
    {"clocks", clocks},
    {"personalities", personalities},
    {"other_entries", other_entries, Harm::none},
    {"loosen_filter", loosen_filter},
    {"loosen_landlock", loosen_landlock},
    {"keys", keys, Harm::none},
};

}  // namespace

Attempts system_calls() { return all; }

}  // namespace attack
