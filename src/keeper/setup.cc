#include "keeper/setup.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/close_range.h>
#include <cerrno>
#include <csignal>

namespace talaria {
namespace {

// Each step returns true when it is done; errno says why not.

bool own_session() { return ::setsid() >= 0; }

bool controlling_terminal(int slave) { return ::ioctl(slave, TIOCSCTTY, 0) == 0; }

bool take_streams(int input, int output, std::span<const PlacedFd> further) {
  // The given fds are above 2 (the spawner keeps 0, 1 and 2 on /dev/null), so none is overwritten before its turn.
  if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) return false;
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;
  errno = place(further.data(), further.size());
  return errno == 0;
}

bool limits(const SpawnView& order) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return false;
  files.rlim_cur = order.open_files;
  return ::setrlimit(RLIMIT_NOFILE, &files) == 0;
}

bool default_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);  // SIGKILL and SIGSTOP refuse: as they are
  sigset_t none;
  sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

}  // namespace

SetupFailure become_command(const SpawnView& order, int input, int output, std::span<const PlacedFd> further) {
  if (!own_session()) return {SpaceStep::session, errno};
  if (order.terminal && !controlling_terminal(output)) return {SpaceStep::terminal, errno};
  if (!take_streams(input, output, further)) return {SpaceStep::streams, errno};
  if (!limits(order)) return {SpaceStep::limits, errno};
  if (!default_signals()) return {SpaceStep::signals, errno};
  if (::chdir(order.cwd) != 0) return {SpaceStep::cwd, errno};
  ::execve(order.argv[0], order.argv.data(), order.environment.data());
  return {SpaceStep::exec, errno};
}

}  // namespace talaria
