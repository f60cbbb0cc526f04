#include "talaria/terminal_mode.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "talaria/signals.h"

namespace talaria {

RawMode::RawMode(int fd) : fd_(fd) {
  termios settings{};
  if (::tcgetattr(fd, &settings) != 0) return;
  before_ = settings;
  restore_when_leaving(fd, settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(fd, TCSADRAIN, &settings);
}

RawMode::~RawMode() {
  if (!before_) return;
  ::tcsetattr(fd_, TCSADRAIN, &*before_);
  restore_when_leaving(-1, *before_);
}

std::optional<WindowSize> window_size() {
  for (const int fd : {STDOUT_FILENO, STDIN_FILENO, STDERR_FILENO}) {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
      return WindowSize{size.ws_row, size.ws_col};
    }
  }
  return std::nullopt;
}

}  // namespace talaria
