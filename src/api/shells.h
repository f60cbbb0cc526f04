#pragma once
#include <map>
#include <string>

#include "api/sessions.h"
#include "api/shell_state.h"

namespace talaria {

// What lasts from one command of a session to the next. Where it went is stored with the session; what it exported may
// be secret, so it stays in memory, and the session only remembers the names.
class Shells {
 public:
  explicit Shells(Sessions& sessions) : sessions_(sessions) {}

  ShellState of(const SessionRow& session) const;
  Result<> keep(const std::string& session, ShellState state);
  void forget_cwd(const std::string& session);
  // Its commands start in `cwd` from now on; tells where they were.
  std::string visit(const SessionRow& session, const std::string& cwd);
  void leave(const std::string& session, const std::string& back_to);
  // The session ended.
  void forget(const std::string& session) { variables_.erase(session); }
  // What was exported before this process began, and is gone: said once.
  std::string lost_note(const SessionRow& session);

 private:
  struct Variables {
    Environment exported;
    std::set<std::string> unset;
  };
  Sessions& sessions_;
  std::map<std::string, Variables> variables_;  // by session
};

}  // namespace talaria
