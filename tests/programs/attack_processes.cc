// Reaching other processes: those of the host, our own programs, and the sandbox's first process.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "attack.h"

namespace attack {
namespace {

// The victim's pid names nobody in here; its own numbers are tried too, in case it does.
std::vector<pid_t> others(const Attempt& attempt) {
  std::vector<pid_t> pids;
  for (const char* who : {"victim", "gateway", "keeper", "holder"}) {
    if (attempt.bait.number(who) > 1) pids.push_back(static_cast<pid_t>(attempt.bait.number(who)));
  }
  return pids;
}

void trace(Attempt& attempt) {
  for (const pid_t pid : others(attempt)) {
    const std::string who = std::to_string(pid);
    attempt.must_be_filtered("seize " + who, ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr));
    attempt.must_be_filtered("attach to " + who, ::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr));
  }
  attempt.must_be_filtered("seize the first process", ::ptrace(PTRACE_SEIZE, 1, nullptr, nullptr));
  attempt.must_be_filtered("seize the parent", ::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr));
  attempt.must_be_filtered("ask to be traced", ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
}

void read_memory(Attempt& attempt) {
  char buffer[64] = {};
  const iovec here{buffer, sizeof buffer - 1};
  const iovec there{reinterpret_cast<void*>(attempt.bait.number("victim_address")), sizeof buffer - 1};
  const pid_t victim = static_cast<pid_t>(attempt.bait.number("victim"));
  attempt.must_be_filtered("process_vm_readv", ::process_vm_readv(victim, &here, 1, &there, 1, 0));
  attempt.must_hold_no_secret("process_vm_readv", buffer);
  attempt.must_be_filtered("process_vm_readv of the parent", ::process_vm_readv(::getppid(), &here, 1, &here, 1, 0));
  const int memory = ::open(("/proc/" + attempt.bait["victim"] + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (!attempt.must_fail("open its memory", memory)) {
    (void)!::pread(memory, buffer, sizeof buffer - 1, attempt.bait.number("victim_address"));
    attempt.must_hold_no_secret("its memory", buffer);
  }
}

void write_memory(Attempt& attempt) {
  char text[] = "overwritten";
  const iovec here{text, sizeof text};
  const iovec there{reinterpret_cast<void*>(attempt.bait.number("victim_address")), sizeof text};
  const pid_t victim = static_cast<pid_t>(attempt.bait.number("victim"));
  attempt.must_be_filtered("process_vm_writev", ::process_vm_writev(victim, &here, 1, &there, 1, 0));
  const int memory = ::open(("/proc/" + attempt.bait["victim"] + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  if (!attempt.must_fail("open its memory to write", memory)) {
    (void)!::pwrite(memory, text, sizeof text, attempt.bait.number("victim_address"));
  }
  attempt.must_fail("open the first process's memory", ::open("/proc/1/mem", O_RDWR | O_CLOEXEC));
}

void take_descriptor(Attempt& attempt) {
  std::vector<pid_t> pids = others(attempt);
  pids.insert(pids.end(), {1, 2, ::getppid()});
  for (const pid_t pid : pids) {
    const long process = ::syscall(SYS_pidfd_open, pid, 0);
    for (const long fd : {0L, 3L, 4L, attempt.bait.number("victim_fd")}) {
      const long taken = ::syscall(SYS_pidfd_getfd, process, fd, 0);
      attempt.must_be_filtered("take " + std::to_string(fd) + " of " + std::to_string(pid), taken);
    }
  }
}

void open_others(Attempt& attempt) {
  for (const pid_t pid : others(attempt)) {
    attempt.must_fail("pidfd_open " + std::to_string(pid), ::syscall(SYS_pidfd_open, pid, 0));
    attempt.must_fail("getpgid " + std::to_string(pid), ::getpgid(pid));
    attempt.must_fail("kcmp " + std::to_string(pid), ::syscall(SYS_kcmp, ::getpid(), pid, 0, 0, 0));
  }
}

// In every way there is; by a signal that a victim survives, so that it can tell.
void signal_others(Attempt& attempt) {
  for (const pid_t pid : others(attempt)) {
    const std::string who = std::to_string(pid);
    for (const int number : {0, SIGURG, SIGWINCH, SIGCONT}) {
      attempt.must_fail("kill " + who, ::kill(pid, number));
      attempt.must_fail("kill the group of " + who, ::kill(-pid, number));
      attempt.must_fail("tkill " + who, ::syscall(SYS_tkill, pid, number));
      attempt.must_fail("tgkill " + who, ::syscall(SYS_tgkill, pid, pid, number));
      attempt.must_fail("sigqueue " + who, ::sigqueue(pid, number, {}));
    }
    const long process = ::syscall(SYS_pidfd_open, pid, 0);
    attempt.must_fail("pidfd_send_signal " + who, ::syscall(SYS_pidfd_send_signal, process, SIGURG, nullptr, 0));
  }
}

void kill_others(Attempt& attempt) {
  for (const pid_t pid : others(attempt)) {
    for (const int number : {SIGTERM, SIGKILL, SIGSTOP}) {
      attempt.must_fail("kill " + std::to_string(pid), ::kill(pid, number));
    }
  }
}

// -1 is everyone in sight. SIGURG ends nobody, and the victim counts it.
void signal_everyone(Attempt& attempt) {
  for (const int number : {SIGURG, SIGWINCH}) attempt.note("kill -1: " + with_errno(::kill(-1, number)));
  // All of this user: with the same user outside, the victim may be meant too.
  attempt.note("setpriority: " + with_errno(::setpriority(PRIO_USER, 0, 19)));
  attempt.note("ioprio: " + with_errno(::syscall(SYS_ioprio_set, 3, ::getuid(), 3 << 13)));
}

void signal_first(Attempt& attempt) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSTOP, SIGKILL, SIGSEGV, SIGCHLD, SIGUSR1}) {
    attempt.note(std::to_string(number) + " " + with_errno(::kill(1, number)));
    attempt.note(std::to_string(number) + " " + with_errno(::syscall(SYS_tgkill, 1, 1, number)));
  }
  // It lives as long as we do: when it ends, the kernel ends us before the next line.
  ::usleep(50'000);
  attempt.note("it lives");
}

// The kernel sends a signal for us, to a process of our choice.
void signal_by_owner(Attempt& attempt) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  for (const pid_t pid : others(attempt)) {
    const f_owner_ex owner{F_OWNER_PID, pid};
    const std::string who = std::to_string(pid);
    ::fcntl(ends[0], F_SETSIG, SIGURG);
    attempt.must_fail("own by " + who, ::fcntl(ends[0], F_SETOWN, pid));
    attempt.must_fail("own by the group " + who, ::fcntl(ends[0], F_SETOWN, -pid));
    attempt.must_fail("own by F_SETOWN_EX " + who, ::fcntl(ends[0], F_SETOWN_EX, &owner));
    ::fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    (void)!::write(ends[1], "x", 1);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGURG;
    event._sigev_un._tid = pid;
    timer_t timer;
    attempt.must_fail("a timer for " + who, ::timer_create(CLOCK_MONOTONIC, &event, &timer));
  }
}

void change_others(Attempt& attempt) {
  const rlimit tight{16, 16};
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  const sched_param idle{};
  for (const pid_t pid : others(attempt)) {
    const std::string who = " of " + std::to_string(pid);
    attempt.must_fail("setpriority" + who, ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19));
    attempt.must_fail("prlimit" + who, ::prlimit(pid, RLIMIT_NOFILE, &tight, nullptr));
    attempt.must_fail("affinity" + who, ::sched_setaffinity(pid, sizeof first, &first));
    attempt.must_fail("scheduler" + who, ::sched_setscheduler(pid, SCHED_IDLE, &idle));
    attempt.must_fail("ioprio" + who, ::syscall(SYS_ioprio_set, 1, pid, 3 << 13));
    attempt.must_fail("migrate_pages" + who, ::syscall(SYS_migrate_pages, pid, 0, nullptr, nullptr));
    attempt.must_fail("setpgid" + who, ::setpgid(pid, 0));
  }
}

// More than our share.
void favour_ourselves(Attempt& attempt) {
  const sched_param real_time{50};
  attempt.must_fail("real-time", ::sched_setscheduler(0, SCHED_FIFO, &real_time));
  attempt.must_fail("round robin", ::sched_setscheduler(0, SCHED_RR, &real_time));
  attempt.must_fail("priority -20", ::setpriority(PRIO_PROCESS, 0, -20));
  attempt.must_fail("real-time disk", ::syscall(SYS_ioprio_set, 1, 0, 1 << 13));
  const struct {
    const char* name;
    int resource;
  } limits[] = {{"processes", RLIMIT_NPROC},
                {"file size", RLIMIT_FSIZE},
                {"files", RLIMIT_NOFILE},
                {"core dumps", RLIMIT_CORE},
                {"locked memory", RLIMIT_MEMLOCK}};
  for (const auto& [name, resource] : limits) {
    rlimit now{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &now);
    rlimit more{now.rlim_cur, RLIM_INFINITY};
    if (now.rlim_max == RLIM_INFINITY) {
      attempt.broke(std::string("no limit of ") + name);
      continue;
    }
    attempt.must_fail(std::string("more ") + name, ::setrlimit(static_cast<__rlimit_resource>(resource), &more));
  }
}

constexpr NamedAttempt all[] = {
    {"trace", trace},
    {"read_memory", read_memory, Harm::none},
    {"write_memory", write_memory, Harm::none},
    {"take_descriptor", take_descriptor, Harm::none},
    {"open_others", open_others, Harm::none},
    {"signal_others", signal_others},
    {"kill_others", kill_others},
    {"signal_everyone", signal_everyone},
    {"signal_first", signal_first},
    {"signal_by_owner", signal_by_owner},
    {"change_others", change_others},
    {"favour_ourselves", favour_ourselves},
};

}  // namespace

Attempts processes() { return all; }

}  // namespace attack
