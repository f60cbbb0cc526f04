#include "sandbox/owner_mappings.h"

#include <sys/stat.h>

namespace talaria {

Result<> OwnerMappings::apply(int mount, int place, Owners owners, Reach reach) {
  if (!identity_.mapped_owners || owners == Owners::as_they_are) return ok;
  Result<> mapped = try_to_map(mount, place, reach);
  if (!mapped && owners == Owners::mapped) return mapped;
  return ok;
}

Result<> OwnerMappings::try_to_map(int mount, int place, Reach reach) {
  struct stat owner {};
  if (::fstat(place, &owner) != 0) return Error::from_errno("look at the owner");
  const OwnerMapping mapping{owner.st_uid, owner.st_gid, identity_.uid, identity_.gid};
  auto found = made_.find(mapping);
  if (found == made_.end()) found = made_.emplace(mapping, TRY(make_owner_mapping(mapping))).first;
  return map_owners(mount, found->second.get(), reach);
}

}  // namespace talaria
