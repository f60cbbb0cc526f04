#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "gate/file_gate.h"
#include "gate/web_gate.h"
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

// Whose call of which tool a file or host was judged for.
struct ToolUse {
  std::string tool;
  std::string session;
  std::string door;
};

// Judges every command and is the only one who can cut a Permit. Each verdict is recorded before anything may run.
class Gate {
 public:
  // Called with every verdict. An error means it could not be recorded, and then nothing runs.
  using Recorder = std::function<Result<>(const GateRequest&, const Verdict&)>;
  // Called with every verdict on a file or a host.
  using UseRecorder = std::function<void(const ToolUse&, const std::string& what, const Verdict&)>;
  explicit Gate(Recorder recorder, UseRecorder uses = {})
      : record_(std::move(recorder)), record_use_(std::move(uses)) {}

  Verdict judge(const GateRequest& request) const;
  // A permit for exactly this command, or the reason why there is none (ErrorCode::denied).
  Result<Permit> permit(Command command, const GateRequest& request) const;

  // For one call of a file tool, or of a web tool, under these rules of the owner's.
  // `own` is for files of the plain host; a sandbox shows none of them.
  FileGate files(const RuleList& read, const RuleList& write, const FilePlaces& places, OwnState own = {}) const;
  WebGate web(RuleList hosts) const;

  // A search in files for a tool, by a program that only reads: rg or grep, by its absolute path, without the options
  // that make it start another program.
  Result<Permit> search(std::vector<std::string> argv, const std::string& cwd,
                        std::map<std::string, std::string> environment) const;
  // The text of a PDF document: pdftotext from its stdin to its stdout.
  Result<Permit> pdf_text(const std::string& pdftotext, std::map<std::string, std::string> environment) const;
  // What a Python says of itself: a line "talaria-python " and a JSON object with version, implementation,
  // executable, base, prefix, base_prefix, ctypes, stdlib, library and site. `python` is its absolute path.
  Result<Permit> python_facts(const std::string& python, std::map<std::string, std::string> environment) const;
  // Removes the directory that a program of execute_code ran in, and could not remove itself.
  Result<Permit> remove_staging(const std::string& directory) const;
  // What a tool's gate judged, for the record.
  void note(const ToolUse& use, const FileGate& gate) const;
  void note(const ToolUse& use, const WebGate& gate) const;

  // Our own one errand: ask the user's login shell for its environment. The command is built here, so that nobody can
  // pass another one through this door. `shell` must be the absolute path of a bash or zsh.
  enum class Interactive { no, yes };
  Result<Permit> login_environment(const std::string& shell, Interactive interactive, const std::string& marker,
                                   std::map<std::string, std::string> environment) const;

 private:
  Recorder record_;
  UseRecorder record_use_;
};

}  // namespace talaria
