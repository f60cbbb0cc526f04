#include "api/shells.h"

#include "api/session_details.h"
#include "base/text.h"

namespace talaria {

ShellState Shells::of(const SessionRow& session) const {
  ShellState state;
  state.cwd = sessions_.details(session).shell_cwd;
  if (const auto known = variables_.find(session.id); known != variables_.end()) {
    state.exported = known->second.exported;
    state.unset = known->second.unset;
  }
  return state;
}

Result<> Shells::keep(const std::string& session, ShellState state) {
  std::vector<std::string> names;
  for (const auto& [name, value] : state.exported) names.push_back(name);
  if (names.empty() && state.unset.empty()) variables_.erase(session);
  else variables_[session] = {std::move(state.exported), std::move(state.unset)};
  return sessions_.change(session, [&](SessionDetails& details) {
    details.shell_cwd = state.cwd;
    details.exported = std::move(names);
  });
}

void Shells::forget_cwd(const std::string& session) {
  (void)sessions_.change(session, [](SessionDetails& details) { details.shell_cwd.clear(); });
}

std::string Shells::lost_note(const SessionRow& session) {
  if (variables_.contains(session.id)) return "";
  const std::vector<std::string> names = sessions_.details(session).exported;
  if (names.empty()) return "";
  (void)sessions_.change(session.id, [](SessionDetails& details) { details.exported.clear(); });
  return "What earlier commands exported is gone, for the gateway was started anew or the session had ended: " +
         join(names, ", ") + ".";
}

std::string Shells::visit(const SessionRow& session, const std::string& cwd) {
  std::string before = sessions_.details(session).shell_cwd;
  if (cwd != (before.empty() ? session.cwd : before)) leave(session.id, cwd);
  return before;
}

// What cannot be stored is no loss: the next visit sets it again.
void Shells::leave(const std::string& session, const std::string& back_to) {
  SessionRow row;
  row.id = session;
  if (sessions_.details(row).shell_cwd == back_to) return;
  (void)sessions_.change(session, [&](SessionDetails& details) { details.shell_cwd = back_to; });
}

}  // namespace talaria
