#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "process/environment.h"

namespace talaria {

// What lasts from one command of a session to the next: where it went, and what it exported.
struct ShellState {
  std::string cwd;  // empty: where the session is
  Environment exported;
  std::set<std::string> unset;
  bool operator==(const ShellState&) const = default;
};

// What a shell says of itself when it ends.
struct ShellReport {
  std::string cwd;
  Environment exported;
  bool operator==(const ShellReport&) const = default;
};

// A shell that runs `command`, also one that begins with a dash.
std::vector<std::string> plain_shell(const std::string& shell, const std::string& command);
// A bash that runs `command` and, whatever that does, reports at its end to the file that is its stdin; the command's
// own stdin is empty. Lost when the command sets an EXIT trap of its own or replaces the shell (exec).
std::vector<std::string> reporting_shell(const std::string& bash, const std::string& command);
// For its stdin.
Result<UniqueFd> make_report_file();
// Nothing when there is no whole report.
std::optional<ShellReport> read_report(int fd);
std::optional<ShellReport> parse_report(std::string_view text);

// What the command changed of what it was given, brought into `state`, which others may have changed meanwhile. Names
// for which `may_keep` gives an error stay as they were; the errors are the result.
std::vector<std::string> take_changes(ShellState& state, const ShellState& given, const Environment& environment,
                                      const std::string& cwd, const ShellReport& report,
                                      const std::function<Result<>(const Environment&)>& may_keep);

// The variables of a command under this state.
void apply_state(const ShellState& state, Environment& environment);

}  // namespace talaria
