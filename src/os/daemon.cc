#include "os/daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>

#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr int ready_fd = 3;

// The first line that comes, or "" when the pipe closes or the patience is over before one did.
std::string await_line(int fd, Clock::duration patience) {
  const auto deadline = Clock::now() + patience;
  std::string line;
  while (line.find('\n') == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched{fd, POLLIN, 0};
    if (left <= 0) break;
    const int ready = ::poll(&watched, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;  // a signal to us says nothing about the daemon
    if (ready <= 0) break;
    char buffer[512];
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    line.append(buffer, static_cast<size_t>(count));
  }
  return line.substr(0, line.find('\n'));
}

// A disk that has no room for a log must not keep a program from starting.
std::string usable_log(const std::string& log) {
  return open_file(log, O_WRONLY | O_CREAT | O_APPEND) ? log : "/dev/null";
}

}  // namespace

Result<std::string> start_daemon(const std::string& program, std::vector<std::string> environment,
                                 const std::string& log, Clock::duration patience) {
  auto [read_end, write_end] = TRY(make_pipe());
  environment.push_back(std::string(ready_variable) + "=" + std::to_string(ready_fd));
  std::vector<char*> envp, argv = {const_cast<char*>(program.c_str()), nullptr};
  for (std::string& entry : environment) envp.push_back(entry.data());
  envp.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // Whatever we block or ignore is our business, not the daemon's.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, usable_log(log).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), ready_fd);
  posix_spawn_file_actions_addclosefrom_np(&actions, ready_fd + 1);
  pid_t pid;
  const int failure = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) return Error::from_number(failure, "start " + program);

  write_end.reset();
  const std::string line = await_line(read_end.get(), patience);
  if (line.empty()) {
    return Error(ErrorCode::unavailable, program + " did not start; " + log + " may say why");
  }
  return line;
}

void announce_ready(const std::string& line) {
  const char* number = std::getenv(ready_variable);
  if (!number) return;
  const UniqueFd fd(std::atoi(number));
  ::unsetenv(ready_variable);
  (void)write_all(fd.get(), line + "\n");
}

std::string sibling_program(const std::string& name) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string own(path, length > 0 ? static_cast<size_t>(length) : 0);
  return own.substr(0, own.find_last_of('/') + 1) + name;
}

std::string library_directory() {
  const std::string beside = sibling_program("../lib/talaria");
  char real[PATH_MAX];
  return ::realpath(beside.c_str(), real) ? real : beside;
}

}  // namespace talaria
