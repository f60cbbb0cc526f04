#include "sandbox/probe_attempts.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>

#include "base/text.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/mounts.h"
#include "sandbox/network.h"

namespace talaria {
namespace {

constexpr unsigned probe_seconds = 10;

// What a child found out, told line by line on a pipe: name, tab, nothing or why not.
class Findings {
 public:
  explicit Findings(int pipe) : pipe_(pipe) {}
  bool tell(const char* name, const Result<>& tried) const {
    const std::string line = std::string(name) + "\t" + (tried ? "" : tried.error().message()) + "\n";
    (void)write_all(pipe_, line);
    return static_cast<bool>(tried);
  }

 private:
  int pipe_;
};

Result<> own_user_namespace() {
  if (::prctl(PR_SET_DUMPABLE, 1) != 0) return Error::from_errno("become dumpable");  // else /proc/self is root's
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (::unshare(CLONE_NEWUSER) != 0) return Error::from_errno("make a user namespace");
  return write_id_maps("self", uid, gid, true);
}

Result<> other_namespaces() {
  if (::unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP) == 0)
    return ok;
  return Error::from_errno("make mount, pid, network, ipc, uts and cgroup namespaces");
}

Result<> own_root() {
  TRY(make_all_mounts_private());
  const UniqueFd old_root = TRY(open_file("/", O_PATH | O_DIRECTORY));
  const UniqueFd root = TRY(clone_mount(old_root.get(), Reach::whole_tree));
  TRY(restrict_mount(root.get(), {.read_only = true, .no_setuid = true}, Reach::whole_tree));
  TRY(attach_mount(root.get(), old_root.get()));
  TRY(new_tmpfs({.bytes = 4096, .inodes = 4}));
  return enter_root(root.get());
}

Result<> own_proc() {
  const UniqueFd place = TRY(open_file("/proc", O_PATH | O_DIRECTORY));
  const UniqueFd proc = TRY(new_proc());
  return attach_mount(proc.get(), place.get());
}

Result<> own_terminals() {
  TRY(new_devpts());
  return ok;
}

Result<> nested_namespaces() {
  clone_args arguments{};
  arguments.flags = CLONE_NEWPID | CLONE_NEWNS;
  arguments.exit_signal = SIGCHLD;
  const pid_t pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid < 0) return Error::from_errno("make a pid namespace in a pid namespace");
  if (pid == 0) ::_exit(::getpid() == 1 ? 0 : 1);
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid || status != 0) {
    return Error(ErrorCode::unavailable, "a nested pid namespace did not work");
  }
  return ok;
}

// The first process of the new pid namespace.
void try_inside(const Findings& findings) {
  if (!findings.tell("mounts", own_root())) return;
  findings.tell("proc", own_proc());
  findings.tell("loopback", bring_up_loopback());
  findings.tell("devpts", own_terminals());
  findings.tell("command_namespaces", nested_namespaces());
}

[[noreturn]] void try_all(const Findings& findings) {
  ::alarm(probe_seconds);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!findings.tell("user_namespaces", own_user_namespace())) ::_exit(0);
  if (!findings.tell("namespaces", other_namespaces())) ::_exit(0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::alarm(probe_seconds);
    try_inside(findings);
    ::_exit(0);
  }
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  ::_exit(0);
}

std::map<std::string, std::string> ask_a_child() {
  std::map<std::string, std::string> said;
  Result<std::pair<UniqueFd, UniqueFd>> pipe = make_pipe();
  const pid_t pid = pipe ? ::fork() : -1;
  if (pid == 0) try_all(Findings(pipe->second.get()));
  if (pid < 0) return said;
  pipe->second.reset();
  std::string text;
  char buffer[1024];
  for (ssize_t count; (count = ::read(pipe->first.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, count);
  ::waitpid(pid, nullptr, 0);
  for (const std::string& line : split(text, '\n')) {
    const size_t tab = line.find('\t');
    if (tab != std::string::npos) said[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return said;
}

}  // namespace

std::vector<Capability> try_namespaces() {
  const std::map<std::string, std::string> said = ask_a_child();
  std::vector<Capability> found;
  std::string before;
  for (const char* name :
       {"user_namespaces", "namespaces", "mounts", "proc", "loopback", "devpts", "command_namespaces"}) {
    const auto answer = said.find(name);
    Capability one{name, false, "", ""};
    if (answer == said.end()) {
      one.detail = before.empty() ? "could not be tried" : "needs " + before;
    } else {
      one.ok = answer->second.empty();
      one.detail = one.ok ? "works" : answer->second;
    }
    if (!one.ok && before.empty() && answer != said.end()) before = name;
    found.push_back(std::move(one));
  }
  return found;
}

Capability try_seccomp() {
  const uint32_t refuse = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refuse) == 0) return {"seccomp", true, "works", ""};
  return {"seccomp", false, Error::from_errno("ask for system call filters").message(),
          "use a kernel built with CONFIG_SECCOMP_FILTER"};
}

}  // namespace talaria
