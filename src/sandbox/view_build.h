#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/identity.h"
#include "sandbox/mounts.h"
#include "sandbox/view.h"

namespace talaria {

// What the steps of a plan take from the host: one detached mount a step, invalid where a step takes nothing or what it
// takes is missing and it can do without. Root opens them before it becomes someone else, with their owners mapped.
Result<std::vector<UniqueFd>> open_sources(const MountPlan& plan, const Identity& identity);

// A file system that was made for a view and that nobody outside sees: writable for commands, or sealed.
struct OwnFolder {
  std::string target;
  UniqueFd mount;
};

// Builds the view in the calling process's own mount namespace and makes it the root. Errors name the step.
Result<std::vector<OwnFolder>> build_view(const MountPlan& plan, std::vector<UniqueFd> sources);

// Whoever replaces a file outside takes the mount away that made it read-only inside. Puts back, in the view, what a
// plan's mirrors made read-only or pinned and no longer is. What lies on a mount of `fixed` needs no mirror.
Result<> renew_mirrors(const MountPlan& plan, const MountIds& fixed);

// The plan without the mirrors that renew_mirrors leaves out.
MountPlan without_mirrors_on(const MountIds& fixed, MountPlan plan);

}  // namespace talaria
