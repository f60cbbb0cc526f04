#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "os/fd.h"
#include "sandbox/space.h"

namespace talaria {

// What the holder of a session is asked: a header, then `length` bytes, fds with the first of them.
struct HolderRequest {
  enum Kind : uint32_t {
    command,   // a CommandOrder; fds: control, stdin, stdout, stderr, and those the order names
    terminal,  // a winsize; fd: where the terminal is sent
    files,     // a CommandOrder whose confinement the file server takes; fd: its socket
    warm,      // a WarmOrder
    show,      // a ShowOrder; fds: where the ShowAnswer is written (a stream), and the mounts that are given
  };
  uint32_t kind;
  uint32_t length;
};

// The first process of a session's namespaces: becomes who the plan says, builds the view, says so on `socket`
// (what holder_answer() reads), and then makes commands until the other end is gone. `sources` are open already when
// root started it; `mapped` gives a byte when others have written its id maps.
[[noreturn]] void hold_session(const SpacePlan& plan, std::vector<UniqueFd> sources, UniqueFd mapped, UniqueFd socket);

}  // namespace talaria
