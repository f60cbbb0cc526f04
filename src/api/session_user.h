#pragma once
#include <set>
#include <string>

#include "base/result.h"
#include "store/session_table.h"
#include "tools/operation.h"

namespace talaria {

class Sessions;

// The sessions that one connection uses: while it lives, nobody else is given one of them as a free one.
class SessionUser {
 public:
  explicit SessionUser(Sessions& sessions) : sessions_(sessions) {}
  SessionUser(const SessionUser&) = delete;
  ~SessionUser();

  // The session meant, used from now on. Whoever asks for a free slot gets the same one each time.
  Result<SessionRow> resolve(SessionRef ref, const Caller& caller);

 private:
  Result<int64_t> slot_for(SessionRef ref, const Caller& caller) const;

  Sessions& sessions_;
  std::set<std::string> used_;
};

}  // namespace talaria
