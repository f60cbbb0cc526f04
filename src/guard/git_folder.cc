#include "guard/git_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "guard/git_config.h"
#include "guard/git_inventory.h"
#include "guard/git_paths.h"
#include "guard/git_rebase.h"
#include "guard/hostile_file.h"
#include "guard/known_entry.h"
#include "guard/remedies.h"

namespace talaria {
namespace {

constexpr size_t most_config_bytes = 1 << 20;
constexpr size_t most_names = 4096;
constexpr int most_folders = 512;
constexpr int most_depth = 12;
constexpr size_t most_folders_of_links = 20'000;
constexpr size_t most_entries = 1'000'000;

// git's validate_headref.
bool is_head_of_git(int directory) {
  switch (kind_below(directory, "HEAD")) {
    case EntryKind::absent:
    case EntryKind::folder: return false;
    case EntryKind::link: return link_target(directory, "HEAD").starts_with("refs/");
    case EntryKind::other: return true;  // nobody can say what it will be
    case EntryKind::file: break;
  }
  const Result<PlainFile> head = read_plain_file(directory, "HEAD", 1 << 20);
  if (!head) return true;
  std::string_view text = head->content;
  if (text.starts_with("ref:")) {
    text.remove_prefix(4);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n\r\v\f"), text.size()));
    return text.starts_with("refs/");
  }
  // git looks at as many characters as its shortest id has.
  return text.size() >= 40 && text.substr(0, 40).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// One round through a git directory and what belongs to it.
class GitFolderJudge {
 public:
  explicit GitFolderJudge(const GitSurroundings& surroundings) : surroundings_(surroundings) {}

  std::vector<GitFinding> judge(int directory) {
    judge_one(directory, "", surroundings_.place, 0);
    return std::move(findings_);
  }

 private:
  void take_away(const std::string& path, std::string rule, std::string why) {
    findings_.push_back({path, std::move(rule), std::move(why), GitCure::take_away, ""});
  }

  // `prefix` is "" or the way from the judged folder, with a slash at its end.
  void judge_one(int directory, const std::string& prefix, const std::string& place, int depth) {
    judge_kinds(directory, prefix);
    judge_config(directory, prefix, "config", place);
    judge_config(directory, prefix, "config.worktree", place);
    judge_hooks(directory, prefix);
    judge_common(directory, prefix, place);
    judge_remotes(directory, prefix, "remotes");
    judge_remotes(directory, prefix, "branches");
    judge_alternates(directory, prefix, place);
    judge_rebase_todo(directory, prefix, findings_);
    judge_links(directory, prefix, "");
    judge_folders(directory, prefix, "worktrees", place, depth);
    judge_folders(directory, prefix, "modules", place, depth);
  }

  // What git expects to be folders are folders: through a link, git would read and write elsewhere.
  void judge_kinds(int directory, const std::string& prefix) {
    for (const std::string name : {"hooks", "info", "objects", "refs", "logs", "modules", "worktrees", "remotes",
                                   "branches", "rebase-merge", "rebase-apply"}) {
      const EntryKind kind = kind_below(directory, name);
      if (kind == EntryKind::link || kind == EntryKind::other)
        take_away(prefix + name, name == "hooks" ? "git-hook" : "git-link",
                  prefix + name + " is not a folder but leads elsewhere, where git would read, write or run files.");
    }
    if (kind_below(directory, "objects") == EntryKind::folder &&
        kind_below(directory, "objects/info") == EntryKind::link)
      take_away(prefix + "objects/info", "git-link", prefix + "objects/info is a symbolic link.");
    const EntryKind head = kind_below(directory, "HEAD");
    if ((head == EntryKind::link && !link_target(directory, "HEAD").starts_with("refs/")) || head == EntryKind::other)
      take_away(prefix + "HEAD", "git-link", prefix + "HEAD is neither a plain file nor a link to a reference.");
  }

  // Git writes through a link: what stands at its end would get a commit's text, or a branch's name.
  void judge_links(int directory, const std::string& prefix, const std::string& inside) {
    const UniqueFd folder = open_guarded_folder(directory, inside);
    if (!folder || ++folders_of_links_ > most_folders_of_links) return;
    for (const FolderEntry& entry : entries_of(folder.get(), most_entries)) {
      const std::string path = joined(inside, entry.name);
      const bool of_logs = path == "logs" || path.starts_with("logs/");
      if (entry.is_folder && of_logs) judge_links(directory, prefix, path);
      if (!is_way_out(folder.get(), entry)) continue;
      const bool told =
          std::ranges::any_of(findings_, [&](const GitFinding& one) { return one.path == prefix + path; });
      if (!told) take_away(prefix + path, "git-link", prefix + path + " is a link: git would write where it leads.");
    }
  }

  void judge_config(int directory, const std::string& prefix, const std::string& name, const std::string& place) {
    if (kind_below(directory, name) == EntryKind::absent) return;
    const std::string path = prefix + name;
    const Result<PlainFile> file = read_plain_file(directory, name, most_config_bytes);
    if (!file && file.error().code() == ErrorCode::not_found) return;
    if (!file)
      return take_away(path, "git-config",
                       "Nobody can say what git reads in " + path + ": " + file.error().message() + ".");
    const Result<std::vector<GitConfigEntry>> entries = read_git_config(file->content);
    if (!entries)
      return take_away(path, "git-config",
                       "Nobody can say what git reads in " + path + ": " + entries.error().message() + ".");

    const GitConfigPlace config_place{.allows_worktree = [&](const std::string& value) {
      return is_matching_worktree(directory, surroundings_, place, value);
    }};
    std::vector<GitConfigEntry> dropped;
    std::vector<std::string> reasons;
    for (const GitConfigEntry& entry : *entries) {
      const std::optional<std::string> danger = danger_in(entry, config_place);
      if (!danger) continue;
      dropped.push_back(entry);
      if (reasons.size() < 5 && std::find(reasons.begin(), reasons.end(), *danger) == reasons.end())
        reasons.push_back(*danger);
    }
    if (file->names > 1)
      reasons.push_back("The file " + path + " has another name too, by which it can be changed later.");
    if (reasons.empty()) return;
    std::string content = without_entries(file->content, dropped);
    const Result<std::vector<GitConfigEntry>> left = read_git_config(content);
    if (!left || left->size() + dropped.size() != entries->size())
      return take_away(path, "git-config", join(reasons, " "));
    findings_.push_back({path, "git-config", join(reasons, " "), GitCure::rewrite, std::move(content)});
  }

  void judge_hooks(int directory, const std::string& prefix) {
    if (kind_below(directory, "hooks") != EntryKind::folder) return;
    const Result<std::vector<std::string>> names = names_below(directory, "hooks", most_names);
    if (!names)
      return take_away(prefix + "hooks", "git-hook",
                       "The hooks in " + prefix + "hooks cannot be looked at: " + names.error().message() + ".");
    for (const std::string& name : *names)
      if (!name.ends_with(".sample"))
        take_away(prefix + "hooks/" + name, "git-hook", "git runs " + prefix + "hooks/" + name + " by itself.");
  }

  void judge_common(int directory, const std::string& prefix, const std::string& place) {
    const std::vector<std::string> names = split(place, '/');
    const bool linked = names.size() >= 2 && names[names.size() - 2] == "worktrees";
    if (kind_below(directory, "commondir") != EntryKind::absent) {
      const UniqueFd common = follow_git_path(surroundings_, place, "../..", O_PATH | O_DIRECTORY);
      if (!linked || git_pointer(directory, "commondir") != "../.." || !common || !looks_like_git_folder(common.get()))
        take_away(prefix + "commondir", "git-commondir",
                  prefix + "commondir has git read its settings and hooks in another folder.");
    }
    if (!linked || kind_below(directory, "gitdir") == EntryKind::absent) return;
    const std::optional<std::string> file = git_pointer(directory, "gitdir");
    if (!file || (*file != ".git" && !file->ends_with("/.git")))
      take_away(prefix + "gitdir", "git-worktree", prefix + "gitdir does not name the .git file of a worktree.");
  }

  // The old way to name remotes: a file each, with addresses that no configuration shows.
  void judge_remotes(int directory, const std::string& prefix, const std::string& folder) {
    if (kind_below(directory, folder) != EntryKind::folder) return;
    const Result<std::vector<std::string>> names = names_below(directory, folder, most_names);
    if (names && names->empty()) return;
    take_away(prefix + folder, "git-remote",
              prefix + folder + " names remotes in an old way, which can have git run programs.");
  }

  void judge_alternates(int directory, const std::string& prefix, const std::string& place) {
    const std::string name = "objects/info/alternates";
    const EntryKind kind = kind_below(directory, name);
    if (kind == EntryKind::absent || kind_below(directory, "objects/info") != EntryKind::folder) return;
    const Result<PlainFile> file = read_plain_file(directory, name, 64 << 10);
    std::string why = file ? "" : file.error().message();
    if (file)
      for (const std::string& line : split(file->content, '\n'))
        if (!line.empty() && !line.starts_with('#') && !is_known_object_folder(line, place))
          why = "it leads to " + line;
    if (!why.empty())
      take_away(prefix + name, "git-alternates",
                prefix + name + " may have git take objects only from folders of this workspace, and " + why + ".");
  }

  bool is_known_object_folder(const std::string& line, const std::string& place) const {
    const std::vector<std::string>& known = surroundings_.object_folders;
    if (std::find(known.begin(), known.end(), line) != known.end()) return true;
    // git unquotes what begins with a quote.
    return !line.starts_with('"') &&
           follow_git_path(surroundings_, (place.empty() ? "." : place) + "/objects", line, O_PATH | O_DIRECTORY);
  }

  // Each folder in `worktrees` and `modules` is a git directory of its own.
  void judge_folders(int directory, const std::string& prefix, const std::string& name, const std::string& place,
                     int depth) {
    if (kind_below(directory, name) != EntryKind::folder) return;
    const UniqueFd folder = open_below(directory, name, O_RDONLY | O_DIRECTORY);
    if (!folder) return take_away(prefix + name, "git-modules", prefix + name + " cannot be looked at.");
    judge_children(folder.get(), prefix + name, (place.empty() ? "" : place + "/") + name, depth);
  }

  void judge_children(int directory, const std::string& path, const std::string& place, int depth) {
    const Result<std::vector<std::string>> names = names_below(directory, ".", most_names);
    if (!names) return take_away(path, "git-modules", path + " cannot be looked at: " + names.error().message() + ".");
    for (const std::string& name : *names) {
      const std::string inner_path = path + "/" + name;
      const EntryKind kind = kind_below(directory, name);
      if (kind == EntryKind::link || kind == EntryKind::other)
        take_away(inner_path, "git-link", inner_path + " is not a git directory but leads elsewhere.");
      if (kind != EntryKind::folder) continue;
      const UniqueFd inner = open_below(directory, name, O_RDONLY | O_DIRECTORY);
      if (inner) judge_child(inner.get(), inner_path, place + "/" + name, depth + 1);
      else take_away(inner_path, "git-modules", inner_path + " cannot be looked at.");
    }
  }

  // A submodule's name may have slashes, so a folder in `modules` is a git directory or holds some.
  void judge_child(int directory, const std::string& path, const std::string& place, int depth) {
    if (++folders_ > most_folders || depth > most_depth) {
      // All of them go, since those that are not looked at may be the dangerous ones.
      const std::string root = path.substr(0, path.find('/'));
      if (!over_budget_) take_away(root, "git-modules", root + " holds more git directories than are looked at.");
      over_budget_ = true;
      return;
    }
    for (const std::string name :
         {"HEAD", "config", "config.worktree", "commondir", "gitdir", "objects", "refs", "hooks"})
      if (kind_below(directory, name) != EntryKind::absent) return judge_one(directory, path + "/", place, depth);
    judge_children(directory, path, place, depth);
  }

  const GitSurroundings& surroundings_;
  std::vector<GitFinding> findings_;
  int folders_ = 0;
  size_t folders_of_links_ = 0;
  bool over_budget_ = false;
};

}  // namespace

bool looks_like_git_folder(int directory) {
  if (!is_head_of_git(directory)) return false;
  if (kind_below(directory, "commondir") != EntryKind::absent) return true;
  return kind_below(directory, "objects") != EntryKind::absent && kind_below(directory, "refs") != EntryKind::absent;
}

std::vector<GitFinding> judge_git_folder(int directory, const GitSurroundings& surroundings) {
  return GitFolderJudge(surroundings).judge(directory);
}

}  // namespace talaria
