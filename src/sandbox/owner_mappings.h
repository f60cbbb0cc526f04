#pragma once
#include <map>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/identity.h"
#include "sandbox/mounts.h"
#include "sandbox/view.h"

namespace talaria {

// Shows the sandbox's user as the owner of what belongs to the owner of `place`. Makes each mapping once.
class OwnerMappings {
 public:
  explicit OwnerMappings(const Identity& identity) : identity_(identity) {}

  Result<> apply(int mount, int place, Owners owners, Reach reach = Reach::whole_tree);

 private:
  Result<> try_to_map(int mount, int place, Reach reach);

  const Identity& identity_;
  std::map<OwnerMapping, UniqueFd> made_;
};

}  // namespace talaria
