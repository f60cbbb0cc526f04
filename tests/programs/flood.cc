// flood processes|threads|memory|file|inodes|descriptors|locked|queues|signals MOST: takes more and more of one thing
// until it is refused or has MOST of it (memory, file and locked count in MiB). Says how much it got and why it
// stopped, and then waits for the end of its input, so that the flood can be looked at.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "report.h"

namespace {

constexpr size_t mebibyte = 1 << 20;

long fork_one(long) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  return child;
}

long start_thread(long) {
  pthread_t thread;
  errno = ::pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        for (;;) ::pause();
      },
      nullptr);
  return errno ? -1 : 0;
}

long map_one(int extra_flags) {
  void* memory = ::mmap(nullptr, mebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | extra_flags, -1, 0);
  if (memory == MAP_FAILED) return -1;
  std::memset(memory, 1, mebibyte);
  return 0;
}

long grow_file(long) {
  static const int file = ::open("flood.file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  static const std::vector<char> data(mebibyte, 'x');
  const ssize_t written = ::write(file, data.data(), data.size());
  if (written >= 0 && written < static_cast<ssize_t>(mebibyte)) return ::write(file, data.data(), data.size());
  return written;
}

long make_inode(long count) {
  return ::close(::open(("flood." + std::to_string(count)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

long lock_one(long) {
  void* memory = ::mmap(nullptr, mebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? -1 : ::mlock(memory, mebibyte);
}

long queue_signal(long) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  return ::sigqueue(::getpid(), SIGRTMIN, {});
}

const std::map<std::string, std::function<long(long)>> floods = {
    {"processes", fork_one},
    {"threads", start_thread},
    {"memory", [](long) { return map_one(0); }},
    {"file", grow_file},
    {"inodes", make_inode},
    {"descriptors", [](long) { return ::dup(0); }},
    {"locked", lock_one},
    {"queues",
     [](long count) {
       return ::mq_open(("/flood" + std::to_string(count)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600, nullptr);
     }},
    {"signals", queue_signal},
};

}  // namespace

int main(int argc, char** argv) {
  const auto flood = floods.find(argc > 1 ? argv[1] : "");
  if (argc != 3 || flood == floods.end()) {
    std::fprintf(stderr, "usage: flood processes|threads|memory|file|inodes|descriptors|locked|queues|signals MOST\n");
    return 2;
  }
  ::signal(SIGXFSZ, SIG_IGN);  // so that the write fails instead
  const long most = std::strtol(argv[2], nullptr, 10);
  long count = 0, result = 0;
  while (count < most && (result = flood->second(count)) >= 0) ++count;
  report((std::string(argv[1]) + " " + std::to_string(count)).c_str(), result);
  char byte;
  while (::read(0, &byte, 1) > 0) {
  }
}
