#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/landlock.h"
#include "sandbox/rlimits.h"

namespace talaria {

// What a session's sandbox is told about one command. Its fds travel beside it: control, stdin, stdout, stderr, the
// cgroup when it has one, and one for each of `numbers`.
struct CommandOrder {
  std::vector<std::string> argv;         // argv[0] is the path of the program
  std::vector<std::string> environment;  // NAME=value
  std::string cwd = "/";
  bool terminal = false;            // stdin is a terminal and becomes the command's own
  bool keeps_capabilities = false;  // only root's profile full
  bool no_new_privileges = true;
  std::optional<ResourceLimits> limits;
  std::optional<LandlockRules> landlock;
  std::vector<uint8_t> filter;  // seccomp; empty: none
  // Of one command only. They come last and only where there are any, so that keepers and gateways of before read what
  // every command of a session gets.
  bool has_cgroup = false;
  std::vector<int> numbers;  // of further descriptors, each 3 to 63
  std::string warm;          // the warm base to fork it from, if that is ready; empty: none
  bool waits = false;        // it begins when it is told to: CommandSignal::Kind::go
};

std::string encode(const CommandOrder& order);
Result<CommandOrder> decode_command_order(std::string_view bytes);

// The program that a session keeps ready, to fork commands from.
struct WarmOrder {
  std::string id;                        // another one means another program, or another state of it on disk
  std::vector<std::string> argv;         // argv[0] is the path of the program
  std::vector<std::string> environment;  // NAME=value
  std::vector<std::string> pinned{};     // what else it runs; see require_pinned
  bool operator==(const WarmOrder&) const = default;
};

std::string encode(const WarmOrder& order);
Result<WarmOrder> decode_warm_order(std::string_view bytes);

// The steps a sandbox is set up by; an error names the one that failed.
enum class SpaceStep : int32_t {
  clone,
  identity,
  mounts,
  network,
  session,
  terminal,
  streams,
  limits,
  signals,
  cwd,
  hygiene,
  landlock,
  seccomp,
  exec,
};
std::string_view name_of(SpaceStep step);

// How a command's own init and the one who ordered it talk: fixed-size messages on a SOCK_SEQPACKET pair.
struct CommandReport {
  enum class Kind : int32_t {
    started,  // value: pid of the command, as the receiver sees it; other: 1 when forked from a warm base
    failed,   // value: SpaceStep, other: errno, detail: what was tried
    ended,    // value: wait status, other: processes left, and `written`
    wrote,    // `written` grew by wrote_step or more, by processes that are gone
  };
  static constexpr uint64_t wrote_step = 16ULL << 20;

  Kind kind = Kind::started;
  int32_t value = 0;
  int32_t other = 0;
  int32_t sender = 0;    // pid of the one who reports, as the receiver sees it; not with `started`
  uint64_t written = 0;  // bytes to disks, by all processes of the command that are gone
  char detail[180] = {};
};

struct CommandSignal {
  enum class Kind : int32_t {
    signal,  // value: signal for every process of the command
    end,     // value: milliseconds between SIGTERM and SIGKILL
    go,      // to a command that waits
  };
  Kind kind;
  int32_t value;
};

}  // namespace talaria
