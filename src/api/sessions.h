#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/session_details.h"
#include "api/workspace.h"
#include "base/clock.h"
#include "store/store.h"
#include "tools/operation.h"

namespace talaria {

// The agents' conversations with us.
class Sessions {
 public:
  Sessions(Store& store, WorkspaceRules rules) : store_(store), rules_(std::move(rules)) {}

  // The session a caller means, made if it names a directory that has none yet. One that had ended lives on.
  Result<SessionRow> resolve(const SessionRef& ref, const Caller& caller);

  // The live one that resolve would find by directory, or nothing.
  Result<std::optional<SessionRow>> find_live(const SessionRef& ref, const Caller& caller);

  // How many connections use a session.
  void begin_use(const std::string& id) { ++users_[id]; }
  void end_use(const std::string& id);
  bool is_used(const std::string& id) const { return users_.contains(id); }

  // Its workspace, and why it is that.
  Workspace workspace(const SessionRow& session) const;

  Result<SessionRow> find(const std::string& id) { return by_id(id); }
  // What is remembered of it, as of now.
  SessionDetails details(const SessionRow& session) const;
  Result<> change(const std::string& session, const std::function<void(SessionDetails&)>& change);

  // Its skills may pass these variables to its commands and programs, for as long as they are trusted to; their values
  // are secret for good. All or, with an error that names the one that cannot be passed, none.
  Result<> grant(const std::string& session, const std::vector<std::string>& names);

  // Ends those nobody used since `before`, and those of processes that have ended, unless `busy` says otherwise.
  // Returns their ids.
  Result<std::vector<std::string>> end_idle(EpochMs before, EpochMs now,
                                            const std::function<bool(const std::string&)>& busy);

 private:
  Result<SessionRow> by_id(const std::string& id);
  Result<SessionRow> by_directory(const std::string& cwd, const SessionKey& key, const Caller& caller);
  Result<std::optional<SessionRow>> in_workspace(const std::string& workspace, const SessionKey& key);
  Result<std::optional<SessionRow>> from_there_before(const std::string& cwd, const SessionKey& key);
  std::vector<std::string> orphaned() const;
  Result<SessionRow> use(SessionRow session, const SessionRef& ref);
  PendingWrite write_of(const std::string& id);
  Result<> keep(const SessionRow& session);

  Store& store_;
  WorkspaceRules rules_;
  // By id, as of now, so that most calls touch no database. What cannot be stored yet is here.
  std::map<std::string, SessionRow> known_;
  std::map<std::string, int> users_;  // by id; none is 0
};

}  // namespace talaria
