#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "guard/git_folder.h"
#include "guard/git_inventory.h"
#include "guard/known_entry.h"
#include "guard/mounted_names.h"
#include "guard/remedies.h"

namespace talaria {

// When something is judged.
enum class Look {
  hasty,  // while commands run: git may be in the middle of making it
  final,  // a command has ended
};

// What is new and takes git more than one step to make is left alone for a moment, unless the look is final.
class Newcomers {
 public:
  bool may_be_judged(const std::string& path, Look look);
  void forget() { noticed_.clear(); }

 private:
  std::map<std::string, Clock::time_point> noticed_;
};

// The git directories of a workspace: those that were there keep what is locked in them as it was, those that commands
// made may hold only what is harmless.
class GitGuard {
 public:
  GitGuard(int root, std::string workspace, Remedies& remedies, const MountedNames& mounted)
      : root_(root), workspace_(std::move(workspace)), remedies_(remedies), mounted_(mounted) {}

  // A git directory at this path is the person's, with all that is in it now.
  void accept(const std::string& path);
  // One that appeared while commands ran. Known ones stay what they are.
  void note_new(const std::string& path);
  bool knows(const std::string& path) const { return old_.contains(path) || new_.contains(path); }
  // Whether all that is in it is listed here, so that nobody else need look.
  bool lists(const std::string& path) const { return old_.contains(path) && name_part(path) == ".git"; }
  // Folders that commands made look like git directories for a while: ordinary folders again, to be looked through.
  std::vector<std::string> drop_lapsed();
  // The folders that have one of the person's as their .git.
  std::vector<std::string> roots() const;
  // The person's are accepted as they are now; those that commands made stay theirs.
  void accept_all();
  void judge(Look look);

 private:
  struct OldFolder {
    GitInventory known;
    std::set<std::string> rebases;  // todo files that ran something before
    bool clean = true;              // nothing was found when it was last listed
  };
  void judge_old(const std::string& path, OldFolder& folder, Look look);
  bool judge_inner(const std::string& path, int directory, const std::set<std::string>& added, Look look);
  bool judge_locked(const std::string& path, OldFolder& folder, const GitInventory& now,
                    const std::set<std::string>& added, Look look);
  void judge_removed(const std::string& path, LockedEntries& known, const GitInventory& now);
  void judge_crowd(const std::string& path, int directory, const GitInventory& known);
  void judge_new(const std::string& path, int directory, Look look);
  void judge_rebase(const std::string& path, int directory, const OldFolder& folder);
  void judge_change(const std::string& path, KnownEntry& before, const KnownEntry& now);
  void cure(const std::string& path, const GitFinding& finding);
  // A repository that was moved still has the person's own hooks and settings.
  bool was_the_persons(const std::string& path, const std::string& name) const;
  GitSurroundings surroundings_of(const std::string& path) const;

  int root_;
  std::string workspace_;
  Remedies& remedies_;
  const MountedNames& mounted_;
  std::map<std::string, OldFolder> old_;  // by path from the workspace
  std::set<std::string> new_;
  Newcomers newcomers_;
};

}  // namespace talaria
