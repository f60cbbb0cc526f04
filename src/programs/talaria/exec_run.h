#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

// What `talaria exec` was told, and what runs a command the same way.
struct ExecOptions {
  std::string name = "exec";  // of the command line's own command, for its complaints
  bool background = false;
  bool terminal = false;
  bool pty = false;
  bool elevated = false;
  bool persist = false;
  bool json = false;
  bool no_stdin = false;
  std::optional<std::string> host, workdir, label, session, security, ask;
  std::vector<std::string> env;
  std::optional<double> timeout;
  std::optional<int64_t> yield_ms;
  std::vector<std::string> words;
  std::optional<JsonObject> sandbox;  // {profile?, network?}: a person's wish, beside what is configured
  bool tell_sandbox = false;          // in the end, on stderr: which sandbox it was
};

// Runs it; gives the exit code.
int run_exec(const ExecOptions& options);

}  // namespace talaria
