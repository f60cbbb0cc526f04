#pragma once
#include <memory>
#include <string>
#include <vector>

#include "guard/git_guard.h"
#include "guard/mounted_names.h"
#include "guard/remedies.h"
#include "guard/violation.h"
#include "os/fd.h"

namespace talaria {

// The git directory of a workspace that is a linked worktree: it lies elsewhere, and commands can write there too.
class OutsideGit {
 public:
  struct Order {
    std::string directory;               // absolute, without links
    std::vector<std::string> read_only;  // absolute: what a mount keeps as it is inside
    std::string session;
    std::string quarantine;
  };
  // Nothing where there is none.
  static std::unique_ptr<OutsideGit> start(const Order& order);

  void absorb() { git_.accept_all(); }
  std::vector<Violation> judge(Look look);

 private:
  OutsideGit(const Order& order, UniqueFd root);

  UniqueFd root_;  // the folder that holds it
  Remedies remedies_;
  MountedNames mounted_;
  GitGuard git_;
};

}  // namespace talaria
