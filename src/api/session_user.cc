#include "api/session_user.h"

#include "api/sessions.h"

namespace talaria {

SessionUser::~SessionUser() {
  for (const std::string& id : used_) sessions_.end_use(id);
}

Result<SessionRow> SessionUser::resolve(SessionRef ref, const Caller& caller) {
  if (ref.slot == free_slot) ref.slot = TRY(slot_for(ref, caller));
  SessionRow session = TRY(sessions_.resolve(ref, caller));
  if (used_.insert(session.id).second) sessions_.begin_use(session.id);
  return session;
}

Result<int64_t> SessionUser::slot_for(SessionRef ref, const Caller& caller) const {
  for (const std::string& id : used_) {
    ref.slot = TRY(sessions_.find(id)).slot;
    const std::optional<SessionRow> there = TRY(sessions_.find_live(ref, caller));
    if (there && there->id == id) return *ref.slot;
  }
  for (ref.slot = 1; *ref.slot <= last_slot; ++*ref.slot) {
    const std::optional<SessionRow> there = TRY(sessions_.find_live(ref, caller));
    if (!there || !sessions_.is_used(there->id)) return *ref.slot;
  }
  return Error(ErrorCode::conflict,
               "all " + std::to_string(last_slot) + " sessions this client may have here are in use");
}

}  // namespace talaria
