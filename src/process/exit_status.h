#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// How a process ended: by itself with a code, or by a signal.
struct ExitStatus {
  int code = 0;    // counts only when signal is 0
  int signal = 0;  // 0: it ended by itself

  // The status of wait(2) and waitpid(2).
  static ExitStatus from_wait(int status);
  // The si_code and si_status of waitid(2).
  static ExitStatus from_waitid(int how, int value);

  bool success() const { return code == 0 && signal == 0; }
  // What a shell puts into $?: 128 + signal.
  int shell_code() const { return signal > 0 ? 128 + signal : code; }
  bool operator==(const ExitStatus&) const = default;
};

// "SIGTERM", "SIGRTMIN+3"; "signal 99" for what is none.
std::string signal_name(int number);

// "TERM", "sigterm" or "15".
Result<int> parse_signal(std::string_view text);

}  // namespace talaria
