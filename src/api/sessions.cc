#include "api/sessions.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "api/client_name.h"
#include "base/id.h"
#include "base/meant_name.h"
#include "base/text.h"
#include "base/unseen.h"
#include "os/random.h"
#include "process/environment.h"
#include "tools/tool.h"

namespace talaria {
namespace {

constexpr int64_t touch_every_ms = 60'000;  // idle ends are counted in minutes: no write for every call
constexpr size_t longest_name = 100;
constexpr size_t most_granted = 100;
constexpr int most_ended_at_once = 1000;

Result<> check_directory(const std::string& cwd) {
  if (cwd.empty() || cwd.front() != '/' || cwd.find('\0') != std::string::npos) {
    return invalid("a session's cwd must be an absolute path, got \"" + shown_line(cwd.substr(0, 128)) + "\"");
  }
  struct stat info {};
  if (::stat(cwd.c_str(), &info) != 0) return Error::from_errno("use " + cwd + " as a session's cwd");
  if (!S_ISDIR(info.st_mode))
    return invalid("a session's cwd must be a directory, and " + shown_line(cwd) + " is a file");
  return ok;
}

Result<> check_name(const std::string& name, const std::string& whose) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.size() <= longest_name && std::none_of(name.begin(), name.end(), control)) return ok;
  return invalid("a " + whose + "'s name is at most " + std::to_string(longest_name) +
                 " bytes without control characters");
}

// One with a name is everybody's.
SessionKey key_for(const SessionRef& ref, const Caller& caller) {
  if (ref.name && !ref.name->empty()) return {.name = *ref.name};
  return {.client = caller.client, .slot = ref.slot.value_or(1)};
}

Result<> check_toolsets(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!toolset_named(name)) {
      return invalid("there is no toolset \"" + name.substr(0, 64) + "\"" +
                     did_you_mean_one_of(name, {"terminal", "file", "web", "code", "skills"}));
    }
  }
  return ok;
}

}  // namespace

Result<SessionRow> Sessions::resolve(const SessionRef& ref, const Caller& caller) {
  if (ref.cwd) TRY(check_directory(*ref.cwd));
  if (ref.name) TRY(check_name(*ref.name, "session"));
  if (ref.toolsets) TRY(check_toolsets(*ref.toolsets));
  if (ref.id) {
    SessionRow session = TRY(by_id(*ref.id));
    return use(std::move(session), ref);
  }
  if (!ref.cwd) {
    return invalid(
        "no session: give session.id of an existing one, or session.cwd (an absolute directory) for a new one");
  }
  TRY(check_name(caller.client, "client"));
  SessionRow session = TRY(by_directory(*ref.cwd, key_for(ref, caller), caller));
  return use(std::move(session), ref);
}

Result<SessionRow> Sessions::by_id(const std::string& id) {
  const auto cached = known_.find(id);
  if (cached != known_.end()) return cached->second;
  std::optional<SessionRow> stored = TRY(store_.sessions().find(id));
  if (!stored) {
    return Error(ErrorCode::not_found,
                 "no session '" + id.substr(0, 64) + "'; give session.cwd (an absolute directory) to start one");
  }
  return *std::move(stored);
}

Result<std::optional<SessionRow>> Sessions::in_workspace(const std::string& workspace, const SessionKey& key) {
  for (const auto& [id, session] : known_) {
    if (!session.ended_ms && session.workspace == workspace && key_of(session) == key) return std::optional(session);
  }
  return store_.sessions().find_by_key(key, workspace);
}

Result<std::optional<SessionRow>> Sessions::find_live(const SessionRef& ref, const Caller& caller) {
  if (!ref.cwd) return std::optional<SessionRow>();
  TRY(check_directory(*ref.cwd));
  const SessionKey key = key_for(ref, caller);
  std::optional<SessionRow> there = TRY(in_workspace(find_workspace(*ref.cwd, rules_).path, key));
  return there ? std::move(there) : from_there_before(*ref.cwd, key);
}

Result<SessionRow> Sessions::by_directory(const std::string& cwd, const SessionKey& key, const Caller& caller) {
  const std::string workspace = find_workspace(cwd, rules_).path;
  if (std::optional<SessionRow> there = TRY(in_workspace(workspace, key))) return *std::move(there);
  if (std::optional<SessionRow> before = TRY(from_there_before(cwd, key))) {
    before->workspace = workspace;
    TRY(keep(*before));
    return *std::move(before);
  }
  SessionRow session;
  session.id = id_from(random_u64());
  session.name = key.name;
  session.client = key.client;
  session.slot = key.slot;
  session.workspace = workspace;
  session.cwd = cwd;
  session.door = caller.door;
  session.created_ms = session.last_used_ms = store_.timeline().now();
  TRY(keep(session));
  return session;
}

// A repository that was made, removed or is judged otherwise now gives a directory another workspace. Whoever still
// works there goes on with the same session, and with its jobs. One whose repository is still there goes on in that.
Result<std::optional<SessionRow>> Sessions::from_there_before(const std::string& cwd, const SessionKey& key) {
  const auto has_repository = [this](const SessionRow& session) {
    const Workspace own = find_workspace(session.workspace, rules_);
    return own.reason == WorkspaceReason::repository && own.path == session.workspace;
  };
  for (const auto& [id, session] : known_) {
    const bool same = !session.ended_ms && session.cwd == cwd && key_of(session) == key;
    if (same && !has_repository(session)) return std::optional(session);
  }
  std::optional<SessionRow> stored = TRY(store_.sessions().find_by_directory(key, cwd));
  // What is known is newer than what is stored, and was looked at.
  if (stored && (known_.contains(stored->id) || has_repository(*stored))) stored.reset();
  return stored;
}

Workspace Sessions::workspace(const SessionRow& session) const {
  Workspace found = find_workspace(session.cwd, rules_);
  if (found.path == session.workspace) return found;
  return {session.workspace, WorkspaceReason::session,
          "The workspace is " + shown_line(session.workspace) + ", as it was when this session began."};
}

// As it is when it is written: what waits for long is written once.
PendingWrite Sessions::write_of(const std::string& id) {
  PendingWrite change;
  change.key = "session:" + id;
  change.write = [this, id]() -> Result<> {
    const auto known = known_.find(id);
    return known == known_.end() ? Result<>(ok) : store_.sessions().put(known->second);
  };
  return change;
}

// A lock or a full disk is no reason not to work: then it is stored when that is over.
Result<> Sessions::keep(const SessionRow& session) {
  std::optional<SessionRow> before;
  if (const auto known = known_.find(session.id); known != known_.end()) before = known->second;
  known_.insert_or_assign(session.id, session);
  Result<> kept = store_.write_now(write_of(session.id));
  if (kept) return ok;
  if (before) known_.insert_or_assign(session.id, *before);
  else known_.erase(session.id);
  return kept;
}

Result<SessionRow> Sessions::use(SessionRow session, const SessionRef& ref) {
  const EpochMs now = store_.timeline().now();
  const bool moved = ref.cwd && session.cwd != *ref.cwd;
  const bool begins_anew = session.ended_ms.has_value();
  SessionDetails details;
  if (moved || ref.toolsets || begins_anew) details = details_of(session);
  const bool other_tools = ref.toolsets && details.toolsets != ref.toolsets;
  // Whoever comes from another directory means that one, and not where a command went.
  if (moved) session.cwd = *ref.cwd, details.shell_cwd.clear();
  if (other_tools) details.toolsets = ref.toolsets;
  // What its skills were given ended with it.
  if (begins_anew) details.granted.clear(), details.skills.clear();
  if (moved || other_tools || begins_anew) keep_details(session, details);
  if (moved || other_tools || begins_anew) {
    session.last_used_ms = now;
    session.ended_ms.reset();
    TRY(keep(session));
    return session;
  }
  const bool touched = now - session.last_used_ms > touch_every_ms;
  if (touched) session.last_used_ms = now;
  known_.insert_or_assign(session.id, session);
  if (touched) store_.write_soon(write_of(session.id));
  return session;
}

SessionDetails Sessions::details(const SessionRow& session) const {
  const auto known = known_.find(session.id);
  return details_of(known == known_.end() ? session : known->second);
}

Result<> Sessions::change(const std::string& session, const std::function<void(SessionDetails&)>& change) {
  SessionRow row = TRY(by_id(session));
  const SessionDetails before = details_of(row);
  SessionDetails after = before;
  change(after);
  if (after == before) return ok;
  keep_details(row, after);
  return keep(row);
}

Result<> Sessions::grant(const std::string& session, const std::vector<std::string>& names) {
  for (const std::string& name : names) TRY(check_declared_name(name));
  const SessionRow row = TRY(by_id(session));
  std::vector<std::string> granted = details_of(row).granted;
  for (const std::string& name : names) {
    if (std::find(granted.begin(), granted.end(), name) == granted.end()) granted.push_back(name);
  }
  if (granted.size() > most_granted) {
    return Error(ErrorCode::denied, "a session's skills may pass at most " + std::to_string(most_granted) +
                                        " variables to its commands, and these would be " +
                                        std::to_string(granted.size()));
  }
  return change(session, [&](SessionDetails& details) { details.granted = std::move(granted); });
}

void Sessions::end_use(const std::string& id) {
  if (const auto found = users_.find(id); found != users_.end() && --found->second == 0) users_.erase(found);
}

// Nobody can name these any more but by their ids.
std::vector<std::string> Sessions::orphaned() const {
  std::vector<std::string> ids;
  for (const auto& [id, session] : known_) {
    if (!session.ended_ms && !is_used(id) && is_ended_process(session.client)) ids.push_back(id);
  }
  return ids;
}

Result<std::vector<std::string>> Sessions::end_idle(EpochMs before, EpochMs now,
                                                    const std::function<bool(const std::string&)>& busy) {
  std::vector<std::string> ended;
  const std::vector<std::string> orphans = orphaned();
  std::vector<std::string> candidates = TRY(store_.sessions().idle(before, most_ended_at_once));
  candidates.insert(candidates.end(), orphans.begin(), orphans.end());
  for (const std::string& id : candidates) {
    if (store_.trouble()) break;  // next time
    if (busy(id)) continue;
    const auto known = known_.find(id);
    std::optional<SessionRow> session =
        known != known_.end() ? std::optional(known->second) : TRY(store_.sessions().find(id));
    // What is known here may not be stored yet.
    if (!session || session->persist || session->ended_ms) continue;
    const bool orphan = std::find(orphans.begin(), orphans.end(), id) != orphans.end();
    if (session->last_used_ms > before && !orphan) continue;
    session->ended_ms = now;
    TRY(keep(*session));
    if (!store_.waits("session:" + id)) known_.erase(id);
    ended.push_back(id);
  }
  return ended;
}

}  // namespace talaria
