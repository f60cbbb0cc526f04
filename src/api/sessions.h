#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/session_details.h"
#include "base/clock.h"
#include "store/store.h"
#include "tools/operation.h"

namespace talaria {

// The directory above `cwd` (or it itself) that holds a .git, else `cwd`; links resolved.
std::string workspace_of(const std::string& cwd);

// The agents' conversations with us.
class Sessions {
 public:
  explicit Sessions(Store& store) : store_(store) {}

  // The session a caller means, made if it names a directory that has none yet. One that had ended lives on.
  Result<SessionRow> resolve(const SessionRef& ref, const Caller& caller);

  Result<SessionRow> find(const std::string& id) { return by_id(id); }
  // What is remembered of it, as of now.
  SessionDetails details(const SessionRow& session) const;
  Result<> change(const std::string& session, const std::function<void(SessionDetails&)>& change);

  // Its skills may pass these variables to its commands and programs, for as long as they are trusted to; their values
  // are secret for good. All or, with an error that names the one that cannot be passed, none.
  Result<> grant(const std::string& session, const std::vector<std::string>& names);

  // Ends those nobody used since `before`, unless `busy` says otherwise. Returns their ids.
  Result<std::vector<std::string>> end_idle(EpochMs before, EpochMs now,
                                            const std::function<bool(const std::string&)>& busy);

 private:
  Result<SessionRow> by_id(const std::string& id);
  Result<SessionRow> by_directory(const std::string& cwd, const std::string& name, const Caller& caller);
  Result<SessionRow> use(SessionRow session, const SessionRef& ref);
  PendingWrite write_of(const std::string& id);
  Result<> keep(const SessionRow& session);

  Store& store_;
  // By id, as of now, so that most calls touch no database. What cannot be stored yet is here.
  std::map<std::string, SessionRow> known_;
};

}  // namespace talaria
