#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "guard/danger.h"
#include "guard/folder_watch.h"
#include "guard/git_guard.h"
#include "guard/in_the_making.h"
#include "guard/known_entry.h"
#include "guard/mounted_names.h"
#include "guard/named_by_git.h"
#include "guard/outside_git.h"
#include "guard/remedies.h"
#include "guard/violation.h"
#include "os/fd.h"

namespace talaria {

// The rule of a .git that is a file.
inline constexpr std::string_view git_file_rule = "git-file";

struct GuardOrder {
  std::string workspace;   // absolute, without links
  std::string quarantine;  // the folder
  std::string session;
  std::vector<std::string> protected_names;     // further locked names
  std::vector<std::string> read_only = {};      // from the workspace: what a mount keeps as it is inside
  std::string home = {};                        // the person's
  std::string git_directory = {};               // of a linked worktree, outside; absolute
  std::vector<std::string> git_read_only = {};  // absolute: what a mount keeps as it is there
  std::string commits = {};                     // the folder in which it is written whose commits are whose
};

// Sees to it that sandboxed commands leave nothing in a workspace that a program outside would run. It knows what was
// there; what appears beside it, or in its place, while commands run is judged and taken away.
//
// It is for a process outside of the sandbox, with the person's identity, and treats all it meets as hostile: every
// step is from an open folder by one name, and nothing follows a link.
class WorkspaceGuard {
 public:
  // Whether a commit that the repository had before has this content at this path.
  using IsCommitted = std::function<bool(const std::string& path, const std::string& content)>;

  // Told of the contents about which many such questions will follow.
  using Expect = std::function<void(const std::vector<std::string>& contents)>;

  // Looks through the workspace: what is there is the person's.
  static Result<std::unique_ptr<WorkspaceGuard>> start(const GuardOrder& order, IsCommitted is_committed,
                                                       Expect expect = {});

  // Readable when something may be to be judged; -1 where nothing can tell.
  int fd() const { return watch_.fd(); }

  // What changed since the last look was the person's doing: no command ran.
  void absorb();
  // What changed since was, or may have been, a command's. What was done about it.
  std::vector<Violation> judge(Look look);

 private:
  enum class Doing { persons, commands };
  struct Known {
    KnownEntry entry;
    DangerousName name;
  };

  WorkspaceGuard(const GuardOrder& order, UniqueFd root, IsCommitted is_committed, Expect expect);

  void look_around(Doing doing);
  void look_at_half_made(Doing doing);
  void look_at_unwatched(Doing doing);
  void watch(int directory, const std::string& path);
  void walk(const std::string& path, Doing doing);
  void note(const std::string& folder, int directory, const FolderEntry& entry, Doing doing);
  void look_for_named();
  void look_for_linked();
  void suspect(const std::string& path);
  bool leads_into_git_data(const std::string& path) const;
  bool leads_to_git_outside(const std::string& path) const;
  std::vector<std::string> roots() const;
  void note_git(const std::string& path, bool is_folder, Doing doing);
  void accept(const std::string& path, const DangerousName& name, Doing doing);
  void judge_suspects(Look look);
  void announce(const std::map<std::string, DangerousName>& suspects) const;
  void judge_name(const DangerousName& name);
  void judge_new_folder(const DangerousName& name, int directory);
  void judge_entry(const std::string& path, const DangerousName& name);
  void judge_known(Look look);
  bool is_made_now(const std::string& path, Look look);
  bool is_as_it_was(const std::string& path, const KnownEntry& entry) const;
  struct Below {
    std::vector<std::string> paths;  // of files and links, those nearest first
    bool complete = true;            // false: there are more than are looked at
  };
  Below below(const std::string& path) const;
  void judge_crowd(const DangerousName& name, int directory);
  void bring_back(const std::string& path, Known& known);
  std::vector<std::string> paths_in_worktrees(const std::string& path) const;
  bool may_stay(const std::string& path, const KnownEntry& entry);

  UniqueFd root_;
  std::string workspace_;
  std::string home_;
  NamedByGit named_;
  Dangers dangers_;
  IsCommitted is_committed_;
  Expect expect_;
  Remedies remedies_;
  FolderWatch watch_;
  MountedNames mounted_;
  GitGuard git_;
  std::unique_ptr<OutsideGit> outside_git_;
  InTheMaking making_;
  std::map<std::string, Known> known_;                       // by path: dangerous names, and what is in them
  std::vector<std::pair<std::string, KnownEntry>> earlier_;  // what stood at a path before a commit's version did
  std::map<std::string, DangerousName> suspects_;            // by path
  std::vector<std::string> linked_;                          // held since links lead there
  std::map<std::string, KnownEntry> unwatched_;              // folders of which the kernel tells nothing
  std::set<std::string> half_made_;                          // folders with a HEAD that are no repositories
  std::vector<std::string> folders_;                         // still to be walked
};

}  // namespace talaria
