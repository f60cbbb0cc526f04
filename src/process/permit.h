#pragma once
#include <utility>

#include "process/command.h"

namespace talaria {

// The only key that starts a process. It carries the very command that was judged, and only the Gate can cut one, so
// that execution nobody permitted does not compile. Used once: starting consumes it.
class Permit {
 public:
  Permit(Permit&&) = default;
  Permit& operator=(Permit&&) = default;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

  const Command& command() const { return command_; }

 private:
  friend class Gate;
  explicit Permit(Command command) : command_(std::move(command)) {}

  Command command_;
};

}  // namespace talaria
