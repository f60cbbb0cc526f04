// attack victim: a process outside, with a secret in its memory, its environment and an open file. Says where, and
// then, for each line of its input, what was done to it so far.
// attack who: who it runs as and what it may.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "attack.h"

namespace attack {
namespace {

volatile sig_atomic_t signals[65];

void count(int number) { signals[number] = signals[number] + 1; }

std::string line_of(const char* name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return line.substr(line.find('\t') + 1);
  }
  return "";
}

// All that another process could have changed.
std::string state() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  cpu_set_t processors;
  ::sched_getaffinity(0, sizeof processors, &processors);
  std::string text =
      "tracer " + line_of("TracerPid:") + ", priority " + std::to_string(::getpriority(PRIO_PROCESS, 0)) +
      ", disk priority " + std::to_string(::syscall(SYS_ioprio_get, 1, 0)) + ", scheduler " +
      std::to_string(::sched_getscheduler(0)) + ", files " + std::to_string(files.rlim_cur) + ", processors " +
      std::to_string(CPU_COUNT(&processors)) + ", group " + std::to_string(::getpgid(0));
  for (int number = 1; number < 65; ++number) {
    if (signals[number] > 0) text += ", signal " + std::to_string(number);
  }
  return text;
}

}  // namespace

int be_victim() {
  const char* secret = ::getenv("TALARIA_BAIT");
  const char* file = ::getenv("TALARIA_BAIT_FILE");
  if (!secret || !file) return 2;
  for (int number = 1; number < 65; ++number) ::signal(number, count);
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  char* memory = ::strdup(secret);
  const int fd = ::open(file, O_RDWR | O_CLOEXEC);
  const std::string before = state();
  std::printf("ready %p %d\n", static_cast<void*>(memory), fd);
  std::fflush(stdout);
  std::string question;
  char letter;
  ssize_t got;
  while ((got = ::read(0, &letter, 1)) != 0) {
    if (got < 0) continue;  // by a signal
    if (letter != '\n') {
      question += letter;
      continue;
    }
    const std::string after = state();
    const bool intact = std::strcmp(memory, secret) == 0;
    std::printf("%s: %s%s.\n", question.c_str(), intact ? "untouched" : "overwritten",
                before == after ? "" : (", was: " + before + ", is: " + after).c_str());
    std::fflush(stdout);
    question.clear();
  }
  return 0;
}

int say_who() {
  uid_t user[3];
  gid_t group[3];
  ::getresuid(&user[0], &user[1], &user[2]);
  ::getresgid(&group[0], &group[1], &group[2]);
  std::printf("users %u %u %u, groups %u %u %u, may %s of %s\n", user[0], user[1], user[2], group[0], group[1],
              group[2], line_of("CapEff:").c_str(), line_of("CapPrm:").c_str());
  return 0;
}

}  // namespace attack
