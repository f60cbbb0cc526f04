#include "api/workspace.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "base/unseen.h"
#include "os/fd.h"
#include "os/file.h"
#include "sandbox/view.h"
#include "sandbox/view_facts.h"

namespace talaria {
namespace {

// Why something called .git was not taken.
struct UntakenRepository {
  std::string folder;
  WorkspaceReason reason;
  std::string why;
};

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string git_entry_in(const std::string& folder) { return folder == "/" ? "/.git" : folder + "/.git"; }

bool is_folder_at(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The beginning of a regular file, without its line end. Whoever made it may have made it a pipe.
std::string first_text_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  char text[4096];
  const ssize_t count = ::read(file.get(), text, sizeof text);
  return count > 0 ? std::string(trim(std::string_view(text, static_cast<size_t>(count)))) : "";
}

// As git reads it: a reference below refs/, as text or as a link, or a commit.
bool is_valid_head(const std::string& path) {
  char link[256];
  const ssize_t length = ::readlink(path.c_str(), link, sizeof link);
  if (length > 0) return std::string_view(link, static_cast<size_t>(length)).starts_with("refs/");
  const std::string text = first_text_of(path);
  if (text.starts_with("ref:")) return trim(std::string_view(text).substr(4)).starts_with("refs/");
  const size_t digits = static_cast<size_t>(
      std::ranges::find_if_not(text, [](unsigned char c) { return std::isxdigit(c) != 0; }) - text.begin());
  return digits == 40 || digits == 64;
}

// What a git directory lacks; nothing when it is one. That of a linked worktree has most of it elsewhere.
std::string lack_of(const std::string& directory) {
  if (!is_valid_head(directory + "/HEAD")) return "no HEAD";
  std::string common = first_text_of(directory + "/commondir");
  if (common.empty()) common = directory;
  else if (!common.starts_with('/')) common = directory + "/" + common;
  for (const char* name : {"objects", "refs"}) {
    if (!is_folder_at(common + "/" + name)) return std::string("no ") + name;
  }
  return "";
}

class RepositoryJudge {
 public:
  RepositoryJudge(const WorkspaceRules& rules, const std::string& start) : rules_(rules) {
    if (::stat(start.c_str(), &start_) != 0) start_.st_uid = rules.user;
  }

  // Why a folder is too wide to be one; nothing when it is not.
  std::string too_wide(const std::string& folder) const;
  // Why the .git in it is not taken; nothing when it is.
  std::optional<UntakenRepository> trouble_with(const std::string& folder) const;
  // git looks no further than the file system it is in.
  bool is_on_same_file_system(const std::string& folder) const {
    struct stat info {};
    return ::stat(folder.c_str(), &info) == 0 && info.st_dev == start_.st_dev;
  }

 private:
  bool may_trust(uid_t owner) const;
  bool is_trusted(const std::string& path) const {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && may_trust(info.st_uid);
  }

  const WorkspaceRules& rules_;
  struct stat start_ {};
};

std::string RepositoryJudge::too_wide(const std::string& folder) const {
  if (folder == "/" || is_system_folder(folder)) return "it is in a folder of the system";
  const auto holds = [&](const std::string& home) { return home != "/" && is_within(home, folder); };
  if (std::ranges::any_of(rules_.homes, holds)) return "a home directory is no workspace, nor is what holds one";
  if (!rules_.own_home.empty() && holds(rules_.own_home))
    return "Talaria's own home " + shown_line(rules_.own_home) + " is in it";
  return "";
}

// Root works for whoever's directory it is in: then no more of theirs is opened than is theirs already.
bool RepositoryJudge::may_trust(uid_t owner) const {
  if (owner == rules_.user) return true;
  return rules_.user == 0 && (owner == rules_.sudo_user || owner == start_.st_uid);
}

std::optional<UntakenRepository> RepositoryJudge::trouble_with(const std::string& folder) const {
  const std::string entry = git_entry_in(folder);
  const auto invalid = [&](const std::string& why) {
    return UntakenRepository{folder, WorkspaceReason::invalid_repository, "it is not valid (" + why + ")"};
  };
  std::string directory = entry;
  if (!is_folder_at(entry)) {
    constexpr std::string_view prefix = "gitdir: ";
    const std::string pointer = first_text_of(entry);
    if (!pointer.starts_with(prefix)) return invalid("neither a git directory nor a file that leads to one");
    directory = pointer.substr(prefix.size());
    if (!directory.starts_with('/')) directory = folder + "/" + directory;
    directory = real_path(directory);
    if (directory.empty()) return invalid("it leads nowhere");
  }
  if (const std::string lack = lack_of(directory); !lack.empty()) return invalid(lack);
  for (const std::string& path : {folder, entry, directory}) {
    if (is_trusted(path)) continue;
    return UntakenRepository{folder, WorkspaceReason::foreign_repository,
                             shown_line(path) + " belongs to somebody else"};
  }
  return std::nullopt;
}

void tell_reason(Workspace& workspace, const std::string& start, const std::vector<UntakenRepository>& passed) {
  const bool around = workspace.path != start;
  if (around) {
    workspace.sentence =
        "The workspace is " + shown_line(workspace.path) + ", the git repository around " + shown_line(start) + ".";
  }
  for (const UntakenRepository& one : passed) {
    if (one.folder == start && !around) continue;  // it makes no difference
    if (!around) workspace.reason = one.reason;
    if (around) workspace.sentence += " ";
    workspace.sentence += shown_line(git_entry_in(one.folder)) + " was not taken as a repository: " + one.why + ".";
    if (!around) workspace.sentence += " The workspace is " + shown_line(workspace.path) + ".";
    return;
  }
}

void add_home(std::vector<std::string>& homes, const char* path) {
  const std::string real = path ? real_path(path) : "";
  if (!real.empty()) homes.push_back(real);
}

std::optional<uid_t> user_in(const char* text) {
  uid_t user = 0;
  if (!text) return std::nullopt;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, user);
  return read.ec == std::errc() && read.ptr == end && text != end ? std::optional(user) : std::nullopt;
}

}  // namespace

WorkspaceRules workspace_rules(const std::string& own_home) {
  WorkspaceRules rules;
  rules.user = ::geteuid();
  if (rules.user == 0) rules.sudo_user = user_in(std::getenv("SUDO_UID"));
  rules.own_home = real_or_given_path(own_home);
  rules.homes = everybodys_homes("/root");
  add_home(rules.homes, std::getenv("HOME"));
  if (const passwd* entry = ::getpwuid(rules.user)) add_home(rules.homes, entry->pw_dir);
  return rules;
}

std::string_view name_of(WorkspaceReason reason) {
  switch (reason) {
    case WorkspaceReason::repository: return "repository";
    case WorkspaceReason::no_repository: return "no-repository";
    case WorkspaceReason::invalid_repository: return "invalid-repository";
    case WorkspaceReason::foreign_repository: return "foreign-repository";
    case WorkspaceReason::too_wide_repository: return "too-wide-repository";
    case WorkspaceReason::session: return "session";
  }
  return "";
}

Workspace find_workspace(const std::string& cwd, const WorkspaceRules& rules) {
  const std::string start = real_or_given_path(cwd);
  const RepositoryJudge judge(rules, start);
  Workspace found{start, WorkspaceReason::no_repository, ""};
  std::vector<UntakenRepository> passed;
  for (std::string folder = start; judge.is_on_same_file_system(folder); folder = parent_of(folder)) {
    struct stat info {};
    const bool has_git = ::lstat(git_entry_in(folder).c_str(), &info) == 0;
    const std::string too_wide = judge.too_wide(folder);
    if (!too_wide.empty()) {  // and so is all above
      if (has_git) passed.push_back({folder, WorkspaceReason::too_wide_repository, too_wide});
      break;
    }
    if (!has_git) continue;
    std::optional<UntakenRepository> trouble = judge.trouble_with(folder);
    if (!trouble) {
      found = {folder, WorkspaceReason::repository, ""};
      break;
    }
    passed.push_back(*std::move(trouble));
  }
  tell_reason(found, start, passed);
  return found;
}

}  // namespace talaria
