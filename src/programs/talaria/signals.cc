#include "talaria/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace talaria {

UniqueFd catch_signals(WindowChanges window) {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, number);
  if (window == WindowChanges::tell) ::sigaddset(&set, SIGWINCH);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int next_signal(const UniqueFd& signals) {
  signalfd_siginfo info{};
  return ::read(signals.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace talaria
