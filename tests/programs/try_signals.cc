// try_signals SIGNAL PID…: sends a signal to each process in every way there is.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "report.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: try_signals SIGNAL PID…\n");
    return 2;
  }
  const int signal = std::atoi(argv[1]);
  for (int at = 2; at < argc; ++at) {
    const pid_t pid = std::atoi(argv[at]);
    const std::string to = std::string(" to ") + argv[at];
    report(("kill" + to).c_str(), ::kill(pid, signal));
    report(("kill the group" + to).c_str(), ::kill(-pid, signal));
    report(("tkill" + to).c_str(), ::syscall(SYS_tkill, pid, signal));
    report(("tgkill" + to).c_str(), ::syscall(SYS_tgkill, pid, pid, signal));
    report(("sigqueue" + to).c_str(), ::sigqueue(pid, signal, {}));
    const long pidfd = ::syscall(SYS_pidfd_open, pid, 0);
    report(("pidfd_open" + to).c_str(), pidfd);
    report(("pidfd_send_signal" + to).c_str(), ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
  }
}
