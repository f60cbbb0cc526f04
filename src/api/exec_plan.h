#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "api/exec_arguments.h"
#include "base/result.h"
#include "config/settings.h"
#include "policy/modes.h"
#include "process/environment.h"

namespace talaria {

// What a call of exec comes to under the configuration, before the gate has judged it.
struct ExecPlan {
  bool background = false;
  int64_t yield_ms = 10'000;
  double timeout_seconds = 0;  // 0: none
  Host host = Host::gateway;
  Security security = Security::deny;
  Ask ask = Ask::always;
  bool elevated = false;
  bool through_sudo = false;
  std::string workdir;             // absolute; on the plain host there, and ours to enter
  std::vector<std::string> notes;  // wishes that were not granted, for the one who had them
};

// The steps in their order: background, elevation, host, security, ask, workdir. `environment` is the gateway's own,
// for the yield window.
Result<ExecPlan> plan_exec(const ExecArguments& arguments, const ExecSettings& settings, const std::string& session_cwd,
                           const Environment& environment);

// What to tell whoever ran an elevated command that failed for lack of the rights it did not get; or empty.
std::string elevation_hint(const ExecPlan& plan, uid_t user, std::optional<int> exit_code);

// Where a relative, absolute or absent workdir leads. The error names it.
Result<std::string> resolve_workdir(const std::optional<std::string>& workdir, const std::string& session_cwd);

// The same for a command in a sandbox, where other directories may be there than here.
std::string workdir_inside(const std::optional<std::string>& workdir, const std::string& session_cwd);

// The program of this name on a PATH, absolute; empty when there is none. Relative entries of the PATH do not count.
std::string find_program(const std::string& name, const std::string& path);

}  // namespace talaria
