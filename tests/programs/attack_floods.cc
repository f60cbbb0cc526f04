// Taking more than a share: each takes until it is refused, or has what the bait says is too much. "BROKE" is then said
// by the flood itself; where the sandbox ends it, it says nothing.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "attack.h"

namespace attack {
namespace {

constexpr size_t mebibyte = 1 << 20;

const std::string& block() {
  static const std::string bytes(mebibyte, 'x');
  return bytes;
}

// Holds what it has, so that whoever watches can see it.
void hold(Attempt& attempt, const std::string& what, long count) {
  ::sleep(5);
  attempt.broke("has " + std::to_string(count) + " " + what);
}

void take_mebibytes(Attempt& attempt, const std::string& what, bool (*take)()) {
  const long most = attempt.bait.number("flood_mebibytes");
  for (long count = 0; count < most; ++count) {
    if (!take()) return (void)attempt.must_fail("after " + std::to_string(count) + " MiB of " + what, -1);
  }
  hold(attempt, "MiB of " + what, most);
}

bool map_one(int flags) {
  void* memory = ::mmap(nullptr, mebibyte, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) std::memset(memory, 1, mebibyte);
  return memory != MAP_FAILED;
}

void memory(Attempt& attempt) {
  take_mebibytes(attempt, "memory", [] { return map_one(MAP_PRIVATE); });
}

void shared_memory(Attempt& attempt) {
  take_mebibytes(attempt, "shared memory", [] { return map_one(MAP_SHARED); });
}

// Each of many processes has only a little.
void memory_of_many(Attempt& attempt) {
  const long most = attempt.bait.number("flood_mebibytes");
  for (long count = 0; count < most / 16; ++count) {
    const pid_t child = ::fork();
    if (child < 0) return (void)attempt.must_fail("after " + std::to_string(count) + " processes", -1);
    if (child > 0) continue;
    for (int mine = 0; mine < 16; ++mine) map_one(MAP_PRIVATE);
    for (;;) ::pause();
  }
  hold(attempt, "MiB in many processes", most);
}

// Written, never mapped: no process has it in its count.
bool write_to_memory() {
  static int file = -1;
  static size_t written = 64 * mebibyte;
  if (written >= 64 * mebibyte) {
    file = ::memfd_create("flood", MFD_CLOEXEC);
    written = 0;
  }
  written += mebibyte;
  return ::write(file, block().data(), mebibyte) == static_cast<ssize_t>(mebibyte);
}

void files_in_memory(Attempt& attempt) { take_mebibytes(attempt, "files in memory", write_to_memory); }

// The same, of a process that nobody else of its user may look at.
void files_in_memory_unseen(Attempt& attempt) {
  ::prctl(PR_SET_DUMPABLE, 0);
  take_mebibytes(attempt, "files in memory", write_to_memory);
}

// Sent along a socket and closed: it stays, and no table of descriptors has it.
bool send_away() {
  static int pair[2] = {-1, -1};
  static int sent = 0;
  if (sent % 100 == 0 && ::socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return false;
  ++sent;
  const int file = ::memfd_create("flood", MFD_CLOEXEC);
  if (file < 0 || ::write(file, block().data(), mebibyte) != static_cast<ssize_t>(mebibyte)) return false;
  char byte = 'x';
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof file)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  const bool gone = ::sendmsg(pair[0], &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
  ::close(file);
  return gone;
}

void files_in_flight(Attempt& attempt) { take_mebibytes(attempt, "files in flight", send_away); }

// Detached at once: it stays, and nobody has it.
bool take_segment() {
  const int id = ::shmget(IPC_PRIVATE, mebibyte, IPC_CREAT | 0600);
  void* memory = id < 0 ? reinterpret_cast<void*>(-1) : ::shmat(id, nullptr, 0);
  if (memory == reinterpret_cast<void*>(-1)) return false;
  std::memset(memory, 1, mebibyte);
  return ::shmdt(memory) == 0;
}

void segments(Attempt& attempt) { take_mebibytes(attempt, "detached segments", take_segment); }

// What waits in sockets is the kernel's memory.
bool fill_sockets() {
  size_t sent = 0;
  while (sent < mebibyte) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) return false;
    const int large = 4 << 20;
    ::setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
    for (ssize_t count; (count = ::send(pair[0], block().data(), 65536, MSG_NOSIGNAL)) > 0;) sent += count;
  }
  return true;
}

void socket_buffers(Attempt& attempt) { take_mebibytes(attempt, "socket buffers", fill_sockets); }

void fill_folder(Attempt& attempt, const std::string& folder) {
  const long most = attempt.bait.number("flood_mebibytes");
  const std::string name = folder + "/flood-";
  int file = -1;
  long count = 0;
  for (; count < most; ++count) {
    if (count % 64 == 0) {
      if (file >= 0) ::close(file);
      file = ::open((name + std::to_string(count)).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    const ssize_t written = file < 0 ? -1 : ::write(file, block().data(), mebibyte);
    if (written == static_cast<ssize_t>(mebibyte)) continue;
    if (written >= 0) errno = ENOSPC;
    attempt.must_fail("after " + std::to_string(count) + " MiB in " + folder, -1);
    break;
  }
  if (count == most) hold(attempt, "MiB in " + folder, most);
  for (long at = 0; at < most; at += 64) ::unlink((name + std::to_string(at)).c_str());
}

void temporary_folder(Attempt& attempt) { fill_folder(attempt, "/tmp"); }
void shm_folder(Attempt& attempt) { fill_folder(attempt, "/dev/shm"); }
void private_home(Attempt& attempt) { fill_folder(attempt, attempt.bait["home"]); }
void workspace(Attempt& attempt) { fill_folder(attempt, "."); }

// Taken from the disk without a byte being written.
void workspace_allocated(Attempt& attempt) {
  const long most = attempt.bait.number("flood_mebibytes");
  for (long count = 0; count < most; count += 32) {
    const int fd = ::open(("flood-" + std::to_string(count)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int result = ::fallocate(fd, 0, 0, static_cast<off_t>(32 * mebibyte));
    if (result != 0) return (void)attempt.must_fail("after " + std::to_string(count) + " MiB allocated", result);
    ::close(fd);
  }
  hold(attempt, "MiB allocated", most);
}

// Each by a process that has ended before anyone looks.
void workspace_by_many(Attempt& attempt) {
  const long most = attempt.bait.number("flood_mebibytes");
  for (long count = 0; count < most; ++count) {
    const pid_t child = ::fork();
    if (child == 0) {
      const int fd = ::open(("flood-" + std::to_string(count)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      const bool written = ::write(fd, block().data(), mebibyte) == static_cast<ssize_t>(mebibyte);
      ::_exit(written && ::fsync(fd) == 0 ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    if (status != 0) return attempt.note("refused after " + std::to_string(count) + " MiB");
  }
  hold(attempt, "MiB written by many", most);
}

void large_file(Attempt& attempt) {
  ::signal(SIGXFSZ, SIG_IGN);
  const int fd = ::open("flood-large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const off_t large = 1LL << 40;
  attempt.must_fail("a file of a terabyte", ::pwrite(fd, "x", 1, large));
  attempt.must_fail("truncate to a terabyte", ::ftruncate(fd, large));
  attempt.must_fail("allocate a terabyte", ::fallocate(fd, 0, 0, large));
  ::unlink("flood-large");
}

void make_inodes(Attempt& attempt, const std::string& folder) {
  const long most = attempt.bait.number("flood_inodes");
  for (long count = 0; count < most; ++count) {
    const int fd = ::open((folder + "/i" + std::to_string(count)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return (void)attempt.must_fail("after " + std::to_string(count) + " files in " + folder, fd);
    ::close(fd);
  }
  attempt.broke("made " + std::to_string(most) + " files in " + folder);
}

void workspace_inodes(Attempt& attempt) {
  ::mkdir("many", 0755);
  make_inodes(attempt, "many");
}

void temporary_inodes(Attempt& attempt) { make_inodes(attempt, "/tmp"); }
void home_inodes(Attempt& attempt) { make_inodes(attempt, attempt.bait["home"]); }
void shm_inodes(Attempt& attempt) { make_inodes(attempt, "/dev/shm"); }

void fork_bomb(Attempt& attempt) {
  const long most = attempt.bait.number("flood_processes");
  for (long count = 0; count < most; ++count) {
    const pid_t child = ::fork();
    if (child < 0) return (void)attempt.must_fail("after " + std::to_string(count) + " processes", child);
    if (child > 0) continue;
    for (;;) {  // each tries to become many
      if (::fork() < 0) ::usleep(1000);
    }
  }
  hold(attempt, "processes", most);
}

void threads(Attempt& attempt) {
  const long most = attempt.bait.number("flood_processes");
  for (long count = 0; count < most; ++count) {
    pthread_t thread;
    pthread_attr_t small;
    ::pthread_attr_init(&small);
    ::pthread_attr_setstacksize(&small, 16384);
    errno = ::pthread_create(
        &thread, &small,
        [](void*) -> void* {
          for (;;) ::pause();
        },
        nullptr);
    if (errno != 0) return (void)attempt.must_fail("after " + std::to_string(count) + " threads", -1);
  }
  hold(attempt, "threads", most);
}

void many_descriptors(Attempt& attempt) {
  for (long count = 0; count < 200'000; ++count) {
    if (::dup(0) < 0) return (void)attempt.must_fail("after " + std::to_string(count) + " descriptors", -1);
  }
  attempt.broke("has 200000 descriptors");
}

void large_arguments(Attempt& attempt) {
  const std::string large(1 << 17, 'x');
  std::vector<std::string> argv = {"/bin/true"};
  for (int i = 0; i < 64; ++i) argv.push_back(large.substr(0, large.size() - 1));
  const Output output = output_of(argv);
  if (output.code == 0) attempt.broke("8 MiB of arguments");
  else attempt.note("ended with " + std::to_string(output.code));
}

// The person has only so many of these, and shares them with a sandbox of the same user.
void watches(Attempt& attempt) {
  long count = 0;
  while (count < 900 && ::inotify_init1(IN_CLOEXEC) >= 0) ++count;
  attempt.note("has " + std::to_string(count) + " watchers, then " + with_errno(-1));
  std::puts("watching");
  std::fflush(stdout);
  char byte;
  while (::read(0, &byte, 1) > 0) {
  }
}

constexpr NamedAttempt all[] = {
    {"memory", memory},
    {"shared_memory", shared_memory},
    {"memory_of_many", memory_of_many},
    {"files_in_memory", files_in_memory},
    {"files_in_memory_unseen", files_in_memory_unseen},
    {"files_in_flight", files_in_flight},
    {"segments", segments},
    {"socket_buffers", socket_buffers},
    {"temporary_folder", temporary_folder},
    {"shm_folder", shm_folder},
    {"private_home", private_home},
    {"workspace", workspace},
    {"workspace_allocated", workspace_allocated},
    {"workspace_by_many", workspace_by_many},
    {"workspace_inodes", workspace_inodes},
    {"large_file", large_file},
    {"temporary_inodes", temporary_inodes},
    {"home_inodes", home_inodes},
    {"shm_inodes", shm_inodes},
    {"fork_bomb", fork_bomb},
    {"threads", threads},
    {"many_descriptors", many_descriptors},
    {"large_arguments", large_arguments},
    {"watches", watches},
};

}  // namespace

Attempts floods() { return all; }

}  // namespace attack
