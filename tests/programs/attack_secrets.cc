// Reading what a sandbox must not show.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <set>

#include "attack.h"

namespace attack {
namespace {

// Where people keep them; the outside has put a secret into each.
void home_files(Attempt& attempt) {
  const std::string names[] = {"/.ssh/id_ed25519", "/.aws/credentials",    "/.netrc",      "/.gnupg/secring.gpg",
                               "/.kube/config",    "/.docker/config.json", "/.npmrc",      "/.git-credentials",
                               "/home-bait",       "/.bash_history",       "/documents/x", "/.config/gh/hosts.yml"};
  const char* variable = ::getenv("HOME");
  for (const std::string& home : {attempt.bait["home"], std::string(variable ? variable : "/"), std::string("~")}) {
    for (const std::string& name : names) attempt.must_not_read(home + name);
  }
  for (const std::string& name : names) attempt.must_not_read(".." + name);
}

void other_homes(Attempt& attempt) {
  const std::set<std::string> own = {attempt.bait["home"], attempt.bait["workspace"]};
  for (const std::string folder : {"/home", "/root"}) {
    const std::vector<std::string> names = names_in(folder);
    attempt.note(folder + " has " + std::to_string(names.size()) + " names");
    for (const std::string& path : tree_of(folder, 2000)) {
      if (attempt.bait["workspace"].starts_with(path) || path.starts_with(attempt.bait["workspace"])) continue;
      if (attempt.bait["home"].starts_with(path) || path.starts_with(attempt.bait["home"])) continue;
      struct stat status {};
      if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), R_OK) == 0) {
        attempt.broke("can read " + path);
      }
    }
  }
  attempt.must_not_read(attempt.bait["outside"] + "/bait");
  attempt.must_not_read(attempt.bait["other_home"] + "/.ssh/id_ed25519");
}

void system_secrets(Attempt& attempt) {
  for (const std::string path :
       {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_ed25519_key",
        "/etc/ssh/ssh_host_rsa_key", "/etc/ssl/private/ssl-cert-snakeoil.key", "/var/backups/shadow.bak", "/swapfile",
        "/etc/security/opasswd"}) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    attempt.must_fail("open " + path, fd);
    if (fd >= 0) ::close(fd);
  }
}

void our_home(Attempt& attempt) {
  const std::string& own = attempt.bait["own"];
  const char* names[] = {"/own-bait",  "/config.yaml", "/talaria.db", "/run/gateway.sock", "/run/keeper.sock",
                         "/logs",      "/gateway.log", "/jobs",       "/run/bait",         "/secrets",
                         "/keys",      "/db",          "/state.db",   "/sessions",         "/run/gateway",
                         "/audit.log", "/policy.yaml", "/cache"};
  for (const std::string name : names) {
    struct stat status {};
    attempt.must_fail("look at " + own + name, ::lstat((own + name).c_str(), &status));
    attempt.must_not_read(own + name);
  }
  for (const std::string& path : tree_of(own, 500)) {
    if (::access(path.c_str(), R_OK) != 0) continue;
    attempt.must_hold_no_secret(path, text_of(path));
    if (path.find("bait") != std::string::npos) attempt.broke("shown: " + path);
  }
}

void runtime_folders(Attempt& attempt) {
  for (const std::string folder : {"/run", "/var/run", "/run/user", "/mnt", "/media", "/var/lib/docker"}) {
    for (const std::string& path : tree_of(folder, 500)) {
      struct stat status {};
      if (::lstat(path.c_str(), &status) != 0) continue;
      if (S_ISSOCK(status.st_mode)) attempt.broke("a socket: " + path);
      // What we show there ourselves holds nothing of the host's.
      const std::string inside = path.starts_with("/var/") ? path.substr(4) : path;
      const bool ours = inside.starts_with("/run/accounts/") || inside.starts_with("/run/resolver/") ||
                        inside.starts_with("/run/talaria/lib/");
      if (S_ISREG(status.st_mode) && !ours) attempt.broke("a file: " + path);
    }
    attempt.note(folder + " has nothing of the host");
  }
}

// Everything within reach that has bait in its name.
void search_everything(Attempt& attempt) {
  int seen = 0;
  for (const std::string folder :
       {"/home", "/root", "/tmp", "/var", "/opt", "/srv", "/mnt", "/media", "/run", "/dev"}) {
    for (const std::string& path : tree_of(folder, 5000)) {
      ++seen;
      if (path.starts_with(attempt.bait["workspace"]) || path.find("bait") == std::string::npos) continue;
      if (::access(path.c_str(), R_OK) == 0) attempt.must_hold_no_secret(path, text_of(path));
    }
  }
  attempt.note("looked at " + std::to_string(seen) + " names");
}

void process_of(Attempt& attempt, const std::string& pid) {
  const std::string process = "/proc/" + pid;
  for (const char* part : {"/environ", "/cmdline", "/maps", "/mem", "/stack", "/syscall", "/auxv", "/io", "/smaps"}) {
    const int fd = ::open((process + part).c_str(), O_RDONLY | O_CLOEXEC);
    if (attempt.must_fail("open " + process + part, fd)) continue;
    attempt.must_hold_no_secret(process + part, text_of(process + part));
    ::close(fd);
  }
  for (const std::string folder : {"/fd", "/map_files", "/task", "/root", "/cwd", "/ns"}) {
    const int fd = ::open((process + folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    attempt.must_fail("open " + process + folder, fd);
    if (fd >= 0) ::close(fd);
  }
  for (const std::string& fd : names_in(process + "/fd")) attempt.must_not_read(process + "/fd/" + fd);
}

void outside_processes(Attempt& attempt) {
  for (const char* who : {"victim", "gateway", "keeper"}) process_of(attempt, attempt.bait[who]);
}

// The sandbox's own first process knows more than the command.
void first_process(Attempt& attempt) {
  for (const std::string part : {"/proc/1/environ", "/proc/1/mem", "/proc/1/maps", "/proc/1/stack", "/proc/1/auxv"}) {
    const int fd = ::open(part.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      attempt.must_fail("open " + part, fd);
      continue;
    }
    const std::string text = text_of(part);
    if (!text.empty()) attempt.broke(part + " can be read");
    else attempt.note(part + " is empty");
    ::close(fd);
  }
  const int fds = ::open("/proc/1/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  attempt.must_fail("open /proc/1/fd", fds);
  attempt.must_fail("open /proc/1/exe to write", ::open("/proc/1/exe", O_WRONLY | O_CLOEXEC));
}

// Whatever has a number in /proc.
void all_processes(Attempt& attempt) {
  int seen = 0;
  for (const std::string& name : names_in("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    ++seen;
    attempt.must_hold_no_secret("/proc/" + name + "/environ", text_of("/proc/" + name + "/environ"));
    const std::string command = text_of("/proc/" + name + "/cmdline");
    if (command.find("victim") != std::string::npos || command.find("talaria-gateway") != std::string::npos) {
      attempt.broke("sees a process of the host: " + name);
    }
  }
  // Not listed is not the same as not there.
  for (int pid = 1; pid < 40000; ++pid) {
    if (pid == ::getpid() || pid == ::getppid()) continue;
    const std::string environment = text_of("/proc/" + std::to_string(pid) + "/environ");
    if (environment.find(secret_mark) != std::string::npos) attempt.broke("environment of " + std::to_string(pid));
  }
  attempt.note(std::to_string(seen) + " processes in sight");
}

constexpr NamedAttempt all[] = {
    {"home_files", home_files, Harm::none},
    {"other_homes", other_homes, Harm::none},
    {"system_secrets", system_secrets},
    {"our_home", our_home, Harm::none},
    {"runtime_folders", runtime_folders},
    {"search_everything", search_everything, Harm::none},
    {"outside_processes", outside_processes, Harm::none},
    {"first_process", first_process},
    {"all_processes", all_processes, Harm::none},
};

}  // namespace

Attempts secrets() { return all; }

}  // namespace attack
