#include "talaria/hidden_input.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>

#include "base/unseen.h"
#include "config/wipe.h"
#include "os/fd.h"
#include "os/file.h"
#include "talaria/hidden_line.h"

namespace talaria {
namespace {

// The signals that would leave the terminal without echo, or find it with echo again. They wait while this lives, and
// can be asked for.
class HeldSignals {
 public:
  HeldSignals() {
    ::sigemptyset(&held_);
    for (const int number : std::array{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT}) {
      struct sigaction action {};
      const bool ignored = ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
      if (!ignored) ::sigaddset(&held_, number);
    }
    ::sigprocmask(SIG_BLOCK, &held_, &before_);
    fd_ = UniqueFd(::signalfd(-1, &held_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  int fd() const { return fd_.get(); }
  // The one that came, or 0.
  int next() const {
    signalfd_siginfo info{};
    return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }
  // Lets it do what it would have done: end us, or stop us until we are continued.
  void let_through(int number) const {
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    ::raise(number);
    ::sigprocmask(SIG_BLOCK, &held_, nullptr);
  }

 private:
  sigset_t held_{};
  sigset_t before_{};
  UniqueFd fd_;
};

// A terminal whose echo can be turned off and is on again when this goes.
class QuietTerminal {
 public:
  static Result<QuietTerminal> open() {
    UniqueFd fd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios settings{};
    if (!fd || ::tcgetattr(fd.get(), &settings) != 0) {
      return Error(ErrorCode::unavailable, "there is no terminal to ask on");
    }
    return QuietTerminal(std::move(fd), settings);
  }
  QuietTerminal(QuietTerminal&&) = default;
  ~QuietTerminal() {
    if (fd_ && quiet_) show();
  }

  int fd() const { return fd_.get(); }
  EditingKeys keys() const {
    const auto key = [&](int index) { return static_cast<char>(before_.c_cc[index]); };
    return {key(VERASE), key(VWERASE), key(VKILL), key(VEOF)};
  }
  // What was typed before goes: it was seen.
  Result<> hide() {
    termios settings = before_;
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | IEXTEN);
    settings.c_lflag |= ISIG;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    if (::tcsetattr(fd_.get(), TCSAFLUSH, &settings) != 0) return Error::from_errno("turn the terminal's echo off");
    quiet_ = true;
    return ok;
  }
  // The rest of a paste goes, too: a shell would take it for a command. Signals are held meanwhile, so this never waits
  // for a terminal whose output somebody stopped.
  void show() {
    ::tcflush(fd_.get(), TCIFLUSH);
    ::tcsetattr(fd_.get(), TCSANOW, &before_);
    quiet_ = false;
    pollfd room{fd_.get(), POLLOUT, 0};
    if (::poll(&room, 1, 0) > 0 && (room.revents & POLLOUT)) say("\n");
  }
  void say(const std::string& text) const { (void)write_all(fd_.get(), text); }

 private:
  QuietTerminal(UniqueFd fd, const termios& before) : fd_(std::move(fd)), before_(before) {}

  UniqueFd fd_;
  termios before_;
  bool quiet_ = false;
};

// What came next: bytes into `buffer`, or a signal.
struct Arrived {
  size_t bytes = 0;
  int signal = 0;
};

Result<Arrived> wait_for_either(int terminal, const HeldSignals& signals, char* buffer, size_t size) {
  while (true) {
    std::array<pollfd, 2> watched = {pollfd{terminal, POLLIN, 0}, pollfd{signals.fd(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
      return Error::from_errno("wait for the terminal");
    if (const int number = signals.next()) return Arrived{0, number};
    if (watched[0].revents == 0) continue;
    const ssize_t count = ::read(terminal, buffer, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("read the terminal");
    if (count == 0) return Error(ErrorCode::cancelled, "the terminal is gone");
    return Arrived{static_cast<size_t>(count), 0};
  }
}

// Lets a signal do its work with the terminal as it was. When that did not end us, the question starts anew.
Result<> give_way(QuietTerminal& terminal, const HeldSignals& signals, HiddenLine& line, int number) {
  line.forget();
  terminal.show();
  // Continued after a stop that nobody told us of: the shell has put the echo back meanwhile.
  if (number != SIGCONT) signals.let_through(number);
  if (number != SIGCONT && number != SIGTSTP) return Error(ErrorCode::cancelled, "the question was interrupted");
  return terminal.hide();
}

}  // namespace

Result<std::optional<std::string>> ask_hidden(const std::string& prompt) {
  QuietTerminal terminal = TRY(QuietTerminal::open());
  const HeldSignals signals;
  HiddenLine line(terminal.keys());
  std::string buffer(256, '\0');
  const WipedAtEnd wiped(buffer);
  TRY(terminal.hide());
  terminal.say(terminal_text(prompt));
  while (true) {
    const Arrived arrived = TRY(wait_for_either(terminal.fd(), signals, buffer.data(), buffer.size()));
    if (arrived.signal != 0) {
      TRY(give_way(terminal, signals, line, arrived.signal));
      terminal.say(terminal_text(prompt));
    }
    for (size_t i = 0; i < arrived.bytes; ++i) {
      const HiddenLine::State state = line.take(buffer[i]);
      if (state == HiddenLine::State::typing) continue;
      if (line.too_long()) return invalid("that is longer than any variable can be");
      if (line.text().empty()) return std::optional<std::string>();
      return std::optional(line.text());
    }
  }
}

bool can_ask_hidden() { return static_cast<bool>(QuietTerminal::open()); }

}  // namespace talaria
