#pragma once
#include "base/result.h"
#include "sandbox/space_order.h"

namespace talaria {

// What a program wants to do around a fork of itself.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*in_parent)() = nullptr;  // also when the fork failed
  void (*in_child)() = nullptr;   // in the command, when it is confined
};

// The life of a warm base, in the program that is kept ready: says so on `socket` (see WarmRequest) and forks a command
// for each order. Returns in the commands only, with their order; each is process 2 of its own namespaces, confined and
// with nothing open but its streams. The base itself ends with its socket. An error when it cannot be one: it has more
// than one thread, which a fork would lose, or it cannot hide its memory.
Result<CommandOrder> serve_as_warm_base(UniqueFd socket, const ForkHooks& hooks);

}  // namespace talaria
