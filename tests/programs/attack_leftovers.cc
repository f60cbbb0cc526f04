// attack leave HOW MARK: starts a process that wants to outlive its command and its session, and ends. The process
// makes the file MARK when it has got away.
// And what concerns us ourselves: our sockets, our files, and what would start with the next login.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "attack.h"

namespace attack {
namespace {

[[noreturn]] void stay() {
  for (;;) ::pause();
}

void make_mark(const std::string& mark) {
  const int fd = ::open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
}

void get_away(const std::string& mark) {
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  make_mark(mark);
  for (int fd = 0; fd < 1024; ++fd) ::close(fd);
}

void ignore_signals() {
  for (int number = 1; number < 65; ++number) ::signal(number, SIG_IGN);
}

const std::map<std::string, std::function<void(const std::string&)>> ways = {
    {"daemon", [](const std::string& mark) { get_away(mark); }},
    {"deaf",
     [](const std::string& mark) {
       ignore_signals();
       get_away(mark);
     }},
    {"stopped",
     [](const std::string& mark) {
       get_away(mark);
       ::raise(SIGSTOP);
     }},
    {"undying",
     [](const std::string& mark) {
       ::prctl(PR_SET_CHILD_SUBREAPER, 1);
       ::prctl(PR_SET_PDEATHSIG, 0);
       ignore_signals();
       get_away(mark);
     }},
    {"nameless",
     [](const std::string& mark) {
       ::prctl(PR_SET_DUMPABLE, 0);
       ::prctl(PR_SET_NAME, "kworker/0:1");
       get_away(mark);
     }},
    // Never the same process for long.
    {"runner",
     [](const std::string& mark) {
       ignore_signals();
       get_away(mark);
       for (;;) {
         const pid_t child = ::fork();
         if (child > 0) ::_exit(0);
         if (child < 0) ::usleep(1000);
       }
     }},
    {"waiting",
     [](const std::string& mark) {
       get_away(mark);
       if (::vfork() == 0) stay();  // its parent cannot run until it ends
     }},
};

}  // namespace

int leave_behind(const std::string& how, const std::string& mark) {
  const auto way = ways.find(how);
  if (way == ways.end()) return 2;
  if (::fork() > 0) {
    struct stat status {};
    while (::stat(mark.c_str(), &status) != 0) ::usleep(1000);
    return 0;
  }
  way->second(mark);
  stay();
}

// --- ourselves ---

namespace {

void our_sockets(Attempt& attempt) {
  std::vector<std::string> places;
  for (const char* bait : {"gateway_socket", "keeper_socket", "own_socket"}) places.push_back(attempt.bait[bait]);
  for (const char* name : {"/run/gateway.sock", "/run/keeper.sock", "/gateway.sock", "/keeper.sock"}) {
    places.push_back(attempt.bait["own"] + name);
  }
  for (const std::string& path : places) {
    for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
      const int fd = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
      sockaddr_un address{AF_UNIX, {}};
      std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
      attempt.must_fail("connect to " + path, ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
      ::close(fd);
    }
  }
}

void our_files(Attempt& attempt) {
  const std::string& own = attempt.bait["own"];
  for (const std::string name : {"/config.yaml", "/own-bait", "/run/new", "/new", "/jobs/new", "/logs/new"}) {
    attempt.must_fail("create " + own + name, ::open((own + name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    attempt.must_fail("unlink " + own + name, ::unlink((own + name).c_str()));
  }
  attempt.must_fail("rename our home", ::rename(own.c_str(), "/tmp/own"));
  attempt.must_fail("remove our home", ::rmdir(own.c_str()));
  for (const std::string& path : tree_of(own, 500)) {
    if (::access(path.c_str(), W_OK) == 0) attempt.broke("may write " + path);
  }
}

// A home of its own is there to be written to: what is put into it must not be in the person's.
void start_up_files(Attempt& attempt) {
  const char* home = ::getenv("HOME");
  struct stat status {};
  const bool real = ::stat((attempt.bait["home"] + "/home-bait").c_str(), &status) == 0;
  for (const std::string& folder : {std::string(home ? home : "/nowhere"), attempt.bait["home"]}) {
    ::mkdir((folder + "/.config").c_str(), 0755);
    ::mkdir((folder + "/.config/autostart").c_str(), 0755);
    for (const std::string name : {"/.bashrc", "/.profile", "/.config/autostart/attack.desktop", "/.attacked"}) {
      const int fd = ::open((folder + name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
      attempt.note(name + " " + with_errno(fd));
      if (fd < 0) continue;
      (void)!::write(fd, "# attacked\n", 11);
      if (real) attempt.broke("wrote " + folder + name);
      ::close(fd);
    }
  }
}

constexpr NamedAttempt all[] = {
    {"our_sockets", our_sockets, Harm::none}, {"our_files", our_files}, {"start_up_files", start_up_files, Harm::none}};

}  // namespace

Attempts ourselves() { return all; }

}  // namespace attack
