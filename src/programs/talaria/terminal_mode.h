#pragma once
#include <termios.h>

#include <optional>

#include "os/pty.h"

namespace talaria {

// Every key goes to the job as it is; the terminal is as before when this goes.
class RawMode {
 public:
  explicit RawMode(int fd);
  ~RawMode();
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

 private:
  int fd_;
  std::optional<termios> before_;
};

// Of the terminal we are on, if any.
std::optional<WindowSize> window_size();

}  // namespace talaria
