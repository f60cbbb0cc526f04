#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "os/pty.h"
#include "policy/modes.h"

namespace talaria {

// Which events of a job its session wants to hear of.
struct Notify {
  std::optional<bool> exit;           // absent: as configured
  std::vector<std::string> patterns;  // regular expressions looked for in its output, each once
  bool operator==(const Notify&) const = default;
};

JsonObject to_json(const Notify& notify);
Notify notify_from(const JsonObject& object);

// What a caller of exec wants, checked as far as that is possible without knowing the configuration.
struct ExecArguments {
  std::string command;
  std::optional<std::string> workdir;  // trimmed; never blank
  std::map<std::string, std::string> env;
  std::optional<int64_t> yield_ms;  // already clamped
  bool background = false;
  std::optional<double> timeout_seconds;  // 0: none
  bool pty = false;
  WindowSize size;
  bool elevated = false;
  std::optional<Host> host;
  std::optional<Security> security;
  std::optional<Ask> ask;
  std::optional<std::string> node;
  std::optional<std::string> stdin_text;
  std::string label;
  bool persist = false;
  Notify notify;
  bool operator==(const ExecArguments&) const = default;
};

// The kernel takes one argument of at most 131,072 bytes with its NUL, and `bash -c` gets the command as one.
inline constexpr size_t longest_command = 131'000;

inline constexpr int64_t least_yield_ms = 10;
inline constexpr int64_t most_yield_ms = 120'000;

Result<ExecArguments> parse_exec_arguments(const JsonObject& object);

// The yield window in force: the call's, else the configured one, else the environment's, else ten seconds.
int64_t yield_window(std::optional<int64_t> call, std::optional<int64_t> configured,
                     const std::map<std::string, std::string>& environment);

}  // namespace talaria
