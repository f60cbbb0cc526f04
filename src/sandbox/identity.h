#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "json/json.h"
#include "os/fd.h"
#include "sandbox/profile.h"

namespace talaria {

// Who root's sandboxes run as.
enum class RootIdentity {
  mapped,  // a user id nobody has, with the workspace's owner shown as that user
  same,    // root without any capability
};
Result<RootIdentity> root_identity_named(std::string_view name);

struct IdentityFacts {
  uid_t uid = 0;  // ours
  gid_t gid = 0;
  ProfileKind profile = ProfileKind::workspace_write;
  RootIdentity root_identity = RootIdentity::mapped;
  // Why the owners of the workspace cannot be mapped; nothing when they can.
  std::optional<std::string> no_mapping;
  // Root's sandboxes take their user ids from here, `slot` being the session's number.
  uint32_t first_id = 64'000;
  uint32_t ids = 1000;
  uint32_t slot = 0;
};

// Who a sandbox is, as plain data. Inside and outside it is the same number.
struct Identity {
  bool user_namespace = true;
  uint32_t uid = 0;
  uint32_t gid = 0;
  bool mapped_owners = false;       // what is shown belongs to this user inside, to its owner outside
  bool keeps_capabilities = false;  // only root's profile full
  bool operator==(const Identity&) const = default;
};

// Pure. Refuses where a sandbox would be the machine's root without a person having said so.
Result<Identity> plan_identity(const IdentityFacts& facts);

JsonObject to_json(const Identity& identity);
Result<Identity> identity_from_json(const JsonObject& object);

// A user namespace that says: what `from` owns on disk belongs to `to` in a mount it is used for. Only root can.
struct OwnerMapping {
  uint32_t from_uid = 0;
  uint32_t from_gid = 0;
  uint32_t to_uid = 0;
  uint32_t to_gid = 0;
  auto operator<=>(const OwnerMapping&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 here
};
Result<UniqueFd> make_owner_mapping(const OwnerMapping& mapping);

// Nothing when the owners of `path` can be mapped, else why not. Only root can ask.
std::optional<std::string> why_owners_cannot_be_mapped(const std::string& path);

// Says in /proc who a process in a new user namespace is. Of another process only root can; of itself anyone.
Result<> write_id_maps(const std::string& process, uint32_t uid, uint32_t gid, bool deny_groups);

}  // namespace talaria
