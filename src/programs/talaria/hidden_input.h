#pragma once
#include <optional>
#include <string>

#include "base/result.h"

namespace talaria {

// Asks the person at the terminal for a secret: `prompt` is shown as it is given, what is typed is not. It is the
// terminal that is asked (/dev/tty), wherever stdin comes from and stdout goes to. Nothing when the person skips it,
// with an empty line or Ctrl-D. However the question ends (also by Ctrl-C, Ctrl-Z or a signal), the terminal is as
// before, and what was typed ahead is dropped instead of reaching a shell. Without a terminal: ErrorCode::unavailable.
// Give the answer to wipe() when it is stored.
Result<std::optional<std::string>> ask_hidden(const std::string& prompt);

// Whether there is a terminal to ask on.
bool can_ask_hidden();

}  // namespace talaria
