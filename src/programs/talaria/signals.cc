#include "talaria/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace talaria {
namespace {

constexpr int64_t same_ns = 20'000'000;
constexpr suseconds_t patience_us = 500'000;

// A handler has no other way to what it needs, so this is the one state that belongs to the whole program. All of it is
// set before the handlers are, or atomic.
std::atomic<int> told_fd{-1};
std::atomic<int64_t> first_at_ns{0};
std::atomic<int> signals_so_far{0};
std::atomic<int> last_number{0};
std::atomic<int> terminal_fd{-1};
termios terminal_before{};

int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

[[noreturn]] void leave_by_signal(int number) {
  if (const int fd = terminal_fd; fd >= 0) ::tcsetattr(fd, TCSANOW, &terminal_before);
  constexpr char words[] =
      "talaria: stopped waiting at the second signal; what you started may still run (talaria ps shows it)\n";
  pollfd errors{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&errors, 1, 0) > 0 && (errors.revents & POLLOUT)) (void)!::write(STDERR_FILENO, words, sizeof words - 1);
  ::_exit(128 + number);
}

// Only calls that signal-safety(7) allows, and setitimer(2), which is nothing but a system call.
void hear_signal(int number) {
  const int before = errno;
  if (number == SIGALRM) leave_by_signal(last_number);
  if (number != SIGWINCH) {
    const int64_t now = monotonic_ns();
    if (signals_so_far > 0 && now - first_at_ns < same_ns) {
      errno = before;
      return;
    }
    if (signals_so_far == 0) first_at_ns = now;
    last_number = number;
    if (++signals_so_far > 2) leave_by_signal(number);
    const itimerval patience{{0, 0}, {0, patience_us}};
    if (signals_so_far == 2) ::setitimer(ITIMER_REAL, &patience, nullptr);
  }
  const auto byte = static_cast<unsigned char>(number);
  (void)!::write(told_fd, &byte, 1);
  errno = before;
}

void handle_signal(int number) {
  struct sigaction old {};
  if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN && number != SIGALRM) return;
  struct sigaction action {};
  action.sa_handler = hear_signal;
  action.sa_flags = SA_RESTART;
  // One at a time, so that none of them meets another half done.
  for (const int other : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGWINCH}) ::sigaddset(&action.sa_mask, other);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

UniqueFd catch_signals(WindowChanges window) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};  // then signals end us, as they do others
  told_fd = ends[1];                                          // for as long as we run
  for (const int number : {SIGALRM, SIGINT, SIGTERM, SIGHUP}) handle_signal(number);
  if (window == WindowChanges::tell) handle_signal(SIGWINCH);
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGALRM, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&wanted, number);
  ::sigprocmask(SIG_UNBLOCK, &wanted, nullptr);
  return UniqueFd(ends[0]);
}

int next_signal(const UniqueFd& signals) {
  unsigned char byte = 0;
  if (::read(signals.get(), &byte, 1) != 1) return 0;
  return byte;
}

void restore_when_leaving(int fd, const termios& before) {
  terminal_fd = -1;
  terminal_before = before;
  terminal_fd = fd;
}

}  // namespace talaria
