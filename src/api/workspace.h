#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// What a repository is judged by, beside what it is.
struct WorkspaceRules {
  uid_t user = 0;                  // who we are
  std::optional<uid_t> sudo_user;  // who became root to run us
  std::vector<std::string> homes;  // of people; nothing that holds one is a workspace
  std::string own_home;            // Talaria's; the same
};
// Those of this process.
WorkspaceRules workspace_rules(const std::string& own_home);

enum class WorkspaceReason {
  repository,           // the git repository around the directory
  no_repository,        // none is around it, or it is one itself
  invalid_repository,   // what is called .git above is none
  foreign_repository,   // it is somebody else's
  too_wide_repository,  // it is in a home, in a folder of the system, or around Talaria's home
  session,              // as it was when the session began
};
std::string_view name_of(WorkspaceReason reason);

// What a session may write to, and why that.
struct Workspace {
  std::string path;
  WorkspaceReason reason = WorkspaceReason::no_repository;
  std::string sentence;  // for whoever should know; empty when it is the directory that was asked for
  bool operator==(const Workspace&) const = default;
};

// The nearest git repository at or above `cwd` that is valid and its owner's to trust, as git itself judges that, else
// `cwd`; links resolved. A stranger's .git in a shared folder, and one in a home, open nothing.
Workspace find_workspace(const std::string& cwd, const WorkspaceRules& rules);

}  // namespace talaria
