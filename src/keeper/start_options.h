#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/json.h"
#include "keeper/frame.h"
#include "os/fd.h"
#include "os/pty.h"
#include "process/permit.h"
#include "sandbox/numbered_fd.h"

namespace talaria {

enum class Stdin { null, pipe, fd };

// How a command is to be started, beside the command itself.
struct StartOptions {
  std::string job;  // chosen by the caller; a repeated start is the same job
  Stdin stdin_kind = Stdin::null;
  UniqueFd stdin_fd;                   // with Stdin::fd
  std::optional<WindowSize> terminal;  // all three streams are a terminal; stdin_kind is ignored
  Clock::duration timeout{};           // zero: none
  Clock::duration grace = 5s;          // between SIGTERM and SIGKILL
  uint64_t max_log_bytes = 64 << 20;
  bool in_memory = false;          // the output may hold secrets: never on disk
  std::string space;               // the sandbox to run in; empty: the plain host
  std::vector<std::string> steps;  // what must confine it; the keeper refuses what it cannot do
  std::vector<NumberedFd> fds;     // the command finds them under 2 (stderr, else the same as stdout) and 3 to 63
  std::vector<UniqueFd> kept;      // held by the keeper while the job lives; see KeeperClient::kept
  std::string warm;                // the warm base to fork it from, if the sandbox has it ready; empty: none
  JsonObject meta;                 // kept by the keeper word for word and given back in JobStatus
};

// What asks the keeper for it. An error: the keeper would not take such descriptors.
Result<Frame> start_frame(const Command& command, StartOptions options);

}  // namespace talaria
