#pragma once
#include <string>
#include <vector>

#include "guard/known_entry.h"

namespace talaria {

// Files and folders of a workspace that run, or are read as settings, because something of the person's names them: a
// git configuration (hooks, included files, programs), a hook that leads into the tree, a start-up file of their home
// that does.
struct NamedByGit {
  std::vector<std::string> paths;     // from the workspace, whether or not they are there
  std::vector<std::string> anywhere;  // below any repository's root: a hooks path of all repositories
  // What was read to find out: as long as it does not change, neither does the answer.
  struct Source {
    std::string path;
    KnownEntry entry;  // of kind other where nothing was
  };
  std::vector<Source> sources;
  std::vector<std::string> roots;  // of the question
};

struct NamedQuestion {
  std::string workspace;           // absolute, without links
  std::string home;                // the person's; may be empty
  std::vector<std::string> roots;  // folders of the workspace that have a .git: "" or "sub/inner"
};
NamedByGit find_named_by_git(const NamedQuestion& question);

bool is_still_so(const NamedByGit& named);

}  // namespace talaria
