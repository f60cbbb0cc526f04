// Shared memory, semaphores and queues of others; and what came along into the sandbox.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "attack.h"

extern char** environ;

namespace attack {
namespace {

void shared_memory(Attempt& attempt) {
  const int id = ::shmget(static_cast<key_t>(attempt.bait.number("shm_key")), 0, 0);
  attempt.must_fail("find by key", id);
  for (const int segment : {id, static_cast<int>(attempt.bait.number("shm_id"))}) {
    if (segment < 0) continue;
    void* memory = ::shmat(segment, nullptr, 0);
    if (attempt.must_fail("attach", memory == reinterpret_cast<void*>(-1) ? -1 : 0)) continue;
    attempt.must_hold_no_secret("segment", static_cast<char*>(memory));
    std::memcpy(memory, "overwritten", 12);
  }
  shmid_ds found{};
  for (int index = 0; index < 64; ++index) attempt.must_fail("list", ::shmctl(index, 15 /* SHM_STAT_ANY */, &found));
}

void semaphores(Attempt& attempt) {
  const int id = ::semget(static_cast<key_t>(attempt.bait.number("sem_key")), 0, 0);
  attempt.must_fail("find by key", id);
  for (const int set : {id, static_cast<int>(attempt.bait.number("sem_id"))}) {
    if (set < 0) continue;
    attempt.must_fail("set", ::semctl(set, 0, SETVAL, 666));
    attempt.must_fail("read", ::semctl(set, 0, GETVAL));
  }
}

void queues(Attempt& attempt) {
  const int id = ::msgget(static_cast<key_t>(attempt.bait.number("msg_key")), 0);
  attempt.must_fail("find by key", id);
  struct {
    long type;
    char text[256];
  } message{1, "attack"};
  for (const int queue : {id, static_cast<int>(attempt.bait.number("msg_id"))}) {
    if (queue < 0) continue;
    attempt.must_fail("send", ::msgsnd(queue, &message, 6, IPC_NOWAIT));
    if (!attempt.must_fail("receive", ::msgrcv(queue, &message, sizeof message.text - 1, 0, IPC_NOWAIT))) {
      attempt.must_hold_no_secret("message", message.text);
    }
  }
}

void posix_queues(Attempt& attempt) {
  const std::string& name = attempt.bait["mq"];
  for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR}) {
    const mqd_t queue = ::mq_open(name.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
    if (attempt.must_fail("open " + name, queue)) continue;
    (void)::mq_send(queue, "attack", 6, 0);
    ::mq_close(queue);
  }
  attempt.must_fail("unlink " + name, ::mq_unlink(name.c_str()));
}

void posix_memory(Attempt& attempt) {
  const std::string& name = attempt.bait["shm"];
  const int fd = ::shm_open(name.c_str(), O_RDWR, 0);
  if (!attempt.must_fail("open " + name, fd)) (void)!::pwrite(fd, "overwritten", 11, 0);
  attempt.must_not_read("/dev/shm" + name);
  attempt.must_fail("unlink " + name, ::shm_unlink(name.c_str()));
}

void counts(Attempt& attempt) {
  for (const std::string kind : {"shm", "sem", "msg"}) {
    const std::string table = text_of("/proc/sysvipc/" + kind);
    if (table.find(attempt.bait[kind + "_key"]) != std::string::npos) attempt.broke("listed in /proc/sysvipc/" + kind);
    else attempt.note(kind + " of the host is not listed");
  }
}

constexpr NamedAttempt all[] = {
    {"shared_memory", shared_memory, Harm::none},
    {"semaphores", semaphores, Harm::none},
    {"queues", queues, Harm::none},
    {"posix_queues", posix_queues, Harm::none},
    {"posix_memory", posix_memory, Harm::none},
    {"counts", counts, Harm::none},
};

// --- what came along ---

void descriptors(Attempt& attempt) {
  for (int fd = 3; fd < 4096; ++fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) continue;
    char target[4096] = {};
    (void)!::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target - 1);
    attempt.broke("descriptor " + std::to_string(fd) + " is " + target);
  }
  attempt.note("none above 2");
}

// The standard streams lead to nothing that can be rewound, cut or entered.
void streams(Attempt& attempt) {
  for (int fd = 0; fd < 3; ++fd) {
    struct stat status {};
    const std::string name = "descriptor " + std::to_string(fd);
    if (::fstat(fd, &status) != 0) attempt.note(name + " is closed");
    else if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) attempt.broke(name + " is a file");
    attempt.must_fail("cut " + name, ::ftruncate(fd, 0));
    attempt.must_fail("enter " + name, ::fchdir(fd));
    attempt.must_fail("look around " + name, ::openat(fd, "..", O_PATH | O_CLOEXEC));
  }
}

void environment(Attempt& attempt) {
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    attempt.must_hold_no_secret("environment", text);
    for (const std::string name :
         {"TALARIA_HOME=", "LD_PRELOAD=", "SSH_AUTH_SOCK=", "DBUS_", "XAUTHORITY=", "BASH_ENV="}) {
      if (text.starts_with(name)) attempt.broke(text);
    }
  }
  for (const char* process : {"self", "1", "2"}) {
    attempt.must_hold_no_secret("its /proc", text_of(std::string("/proc/") + process + "/environ"));
  }
}

constexpr NamedAttempt all_hygiene[] = {
    {"descriptors", descriptors}, {"streams", streams}, {"environment", environment, Harm::none}};

}  // namespace

Attempts ipc() { return all; }
Attempts hygiene() { return all_hygiene; }

}  // namespace attack
