#pragma once
#include "base/result.h"
#include "os/fd.h"

namespace talaria {

struct WindowSize {
  int rows = 40;
  int cols = 120;
  bool operator==(const WindowSize&) const = default;
};

// Both ends of a new terminal; the master is non-blocking.
struct Pty {
  UniqueFd master;
  UniqueFd slave;
};

Result<Pty> open_pty(WindowSize size);
Result<> resize_pty(int master, WindowSize size);

}  // namespace talaria
