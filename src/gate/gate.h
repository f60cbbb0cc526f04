#pragma once
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "policy/verdict.h"
#include "process/permit.h"

namespace talaria {

// Everything about a wish to run a command that is not the command itself.
struct GateRequest {
  std::string text;  // the command as it was asked for, before it was wrapped in a shell
  std::string session;
  std::string job;
  std::string door;
  Host host = Host::gateway;
  Security security = Security::deny;  // effective: configured and asked, already merged
  Ask ask = Ask::always;
};

// Judges every command and is the only one who can cut a Permit. Each verdict is recorded before anything may run.
class Gate {
 public:
  // Called with every verdict. An error means it could not be recorded, and then nothing runs.
  using Recorder = std::function<Result<>(const GateRequest&, const Verdict&)>;
  explicit Gate(Recorder recorder) : record_(std::move(recorder)) {}

  Verdict judge(const GateRequest& request) const;
  // A permit for exactly this command, or the reason why there is none (ErrorCode::denied).
  Result<Permit> permit(Command command, const GateRequest& request) const;

  // Our own one errand: ask the user's login shell for its environment. The command is built here, so that nobody can
  // pass another one through this door. `shell` must be the absolute path of a bash or zsh.
  enum class Interactive { no, yes };
  Result<Permit> login_environment(const std::string& shell, Interactive interactive, const std::string& marker,
                                   std::map<std::string, std::string> environment) const;

 private:
  Recorder record_;
};

}  // namespace talaria
