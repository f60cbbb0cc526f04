#include "guard/named_by_git.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "guard/git_config.h"
#include "guard/git_paths.h"
#include "guard/named_paths.h"
#include "guard/remedies.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr int deepest_include = 8;
constexpr size_t most_sources = 20'000;
constexpr size_t most_reads = 50'000;
constexpr size_t most_reads_at_once = 1000;  // of one repository: a file may include itself, many times
constexpr size_t most_hook_bytes = 256 << 10;
// Of the person's home: what runs or is read as settings by itself.
constexpr std::array home_files = {".bashrc",
                                   ".bash_profile",
                                   ".bash_login",
                                   ".bash_logout",
                                   ".bash_aliases",
                                   ".profile",
                                   ".zshrc",
                                   ".zshenv",
                                   ".zprofile",
                                   ".zlogin",
                                   ".zlogout",
                                   ".inputrc",
                                   ".config/fish/config.fish",
                                   ".vimrc",
                                   ".exrc",
                                   ".config/nvim/init.vim",
                                   ".config/nvim/init.lua",
                                   ".emacs",
                                   ".emacs.d/init.el",
                                   ".tmux.conf",
                                   ".config/tmux/tmux.conf",
                                   ".ssh/config",
                                   ".ssh/rc",
                                   ".npmrc",
                                   ".condarc",
                                   ".gdbinit",
                                   ".lldbinit",
                                   ".config/direnv/direnvrc",
                                   ".envrc",
                                   ".config/zsh/.zshrc",
                                   ".config/zsh/.zshenv",
                                   ".xprofile",
                                   ".xinitrc",
                                   ".xsession",
                                   ".cargo/config.toml",
                                   ".config/zed/settings.json",
                                   ".config/Code/User/settings.json",
                                   ".config/Code/User/tasks.json",
                                   ".claude.json",
                                   ".claude/settings.json",
                                   ".codex/config.toml",
                                   ".gemini/settings.json",
                                   ".cursor/mcp.json"};
// And folders of such files, of which the person may have linked each by itself.
constexpr std::array home_folders = {".local/bin",
                                     "bin",
                                     ".config/fish/conf.d",
                                     ".config/fish/functions",
                                     ".config/direnv/lib",
                                     ".config/git/hooks",
                                     ".config/systemd/user",
                                     ".config/autostart",
                                     ".config/environment.d",
                                     ".config/nvim/plugin",
                                     ".config/nvim/lua",
                                     ".vim/plugin",
                                     ".oh-my-zsh/custom",
                                     ".bashrc.d",
                                     ".claude/hooks",
                                     ".claude/skills",
                                     ".claude/agents",
                                     ".claude/commands"};

class NamedSearch {
 public:
  explicit NamedSearch(const NamedQuestion& question) : question_(question) {}

  NamedByGit run();

 private:
  enum class Reach { all, one };  // of every repository, or of one
  void read_home();
  void read_home_folder(const std::string& folder);
  void read_repository(const std::string& root);
  void read_config(const std::string& path, const std::string& root, Reach reach, int depth);
  void read_entry(const GitConfigEntry& entry, const std::string& file, const std::string& root, Reach reach,
                  int depth);
  void read_hooks(const std::string& folder, const std::string& root);
  bool is_source(const std::string& path);
  void remember(const std::string& path);
  void add(const std::string& path);
  void add_words(std::string_view text, const std::string& root, WordKind kind);
  std::string at_home(const std::string& value) const;
  std::string from(const std::string& folder, const std::string& value) const;

  const NamedQuestion& question_;
  std::set<std::string> paths_;
  std::set<std::string> anywhere_;
  std::set<std::string> seen_;
  size_t reads_ = 0;
  size_t reads_at_once_ = 0;
  NamedByGit named_;
};

std::string NamedSearch::at_home(const std::string& value) const {
  return value.starts_with("~/") ? question_.home + value.substr(1) : value;
}

std::string NamedSearch::from(const std::string& folder, const std::string& value) const {
  const std::string path = at_home(value);
  return path.starts_with('/') ? path : folder + "/" + path;
}

// False when there are too many. Two repositories may share a configuration, which is then read for each.
bool NamedSearch::is_source(const std::string& path) {
  if (!seen_.insert(path).second) return true;
  if (named_.sources.size() >= most_sources) return false;
  remember(path);
  // It may be a link into the tree, at its end or on the way.
  const std::string real = real_path(path);
  if (real.empty() || real == path) return true;
  remember(real);
  add(real);
  return true;
}

void NamedSearch::remember(const std::string& path) {
  const UniqueFd directory(::open(path.substr(0, path.rfind('/')).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::optional<KnownEntry> entry = directory ? look_at_entry(directory.get(), name_part(path)) : std::nullopt;
  if (entry) entry->content.clear();  // only whether it changes matters
  named_.sources.push_back({path, entry ? *std::move(entry) : KnownEntry()});
}

void NamedSearch::add(const std::string& path) {
  for (const std::string& place : places_of(path)) {
    if (!is_within(place, question_.workspace) || place == question_.workspace) continue;
    const std::string below = place.substr(question_.workspace.size() + 1);
    // What git itself keeps there is locked as it is.
    const std::vector<std::string> names = split(below, '/');
    if (std::ranges::find(names, ".git") == names.end()) paths_.insert(below);
  }
}

void NamedSearch::add_words(std::string_view text, const std::string& root, WordKind kind) {
  for (const std::string& word : program_words(text, root, kind)) add(from(root, word));
}

void NamedSearch::read_entry(const GitConfigEntry& entry, const std::string& file, const std::string& root, Reach reach,
                             int depth) {
  if (!entry.value || entry.value->empty() || !danger_in(entry)) return;
  const std::string value = *entry.value;
  const std::string key = entry.section + "." + entry.name;
  if (key == "include.path" || key == "includeif.path") {
    const std::string path = from(file.substr(0, file.rfind('/')), value);
    add(path);
    if (depth < deepest_include) read_config(path, root, reach, depth + 1);
  } else if (key == "core.hookspath" || key == "init.templatedir" || key == "core.attributesfile" ||
             key == "core.excludesfile") {
    const std::string path = at_home(value);
    add(from(root, value));
    if (reach == Reach::all && !path.starts_with('/')) anywhere_.insert(normal_path(path));
    if (key == "core.hookspath") read_hooks(from(root, value), root);
  } else {
    add_words(value, root, WordKind::command);
  }
}

void NamedSearch::read_config(const std::string& path, const std::string& root, Reach reach, int depth) {
  if (!is_source(path) || ++reads_ > most_reads || ++reads_at_once_ > most_reads_at_once) return;
  const std::optional<std::string> text = read_named_file(path, most_hook_bytes);
  const Result<std::vector<GitConfigEntry>> entries = text ? read_git_config(*text) : std::vector<GitConfigEntry>();
  if (!entries) return;  // git refuses it too
  for (const GitConfigEntry& entry : *entries) read_entry(entry, path, root, reach, depth);
}

void NamedSearch::read_hooks(const std::string& folder, const std::string& root) {
  if (!is_source(folder)) return;
  const Result<std::vector<std::string>> names = list_directory(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    if (name.ends_with(".sample") || !is_source(path)) continue;
    if (const std::string target = link_end(path); !target.empty()) add(target);
    if (const std::optional<std::string> text = read_named_file(path, most_hook_bytes))
      add_words(*text, root, WordKind::script);
  }
}

void NamedSearch::read_repository(const std::string& root) {
  const std::string top = root.empty() ? question_.workspace : question_.workspace + "/" + root;
  const std::string git = git_directory_at(top);
  if (git.empty()) return;
  reads_at_once_ = 0;
  const std::string common = common_directory_of(git);
  read_config(common + "/config", top, Reach::one, 0);
  read_config(git + "/config.worktree", top, Reach::one, 0);
  read_hooks(common + "/hooks", top);
}

void NamedSearch::read_home_folder(const std::string& folder) {
  if (!is_source(folder)) return;
  const Result<std::vector<std::string>> names = list_directory(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    if (!link_end(path).empty()) (void)is_source(path);
  }
}

void NamedSearch::read_home() {
  const std::string& home = question_.home;
  for (const char* name : home_files) (void)(home.empty() || is_source(home + "/" + name));
  for (const char* name : home_folders) {
    if (!home.empty()) read_home_folder(home + "/" + name);
  }
  std::vector<std::string> configs = {"/etc/gitconfig"};
  if (!home.empty()) configs.insert(configs.end(), {home + "/.config/git/config", home + "/.gitconfig"});
  std::vector<std::string> roots = question_.roots;
  if (roots.empty()) roots.emplace_back();
  for (const std::string& root : roots) {
    const std::string top = root.empty() ? question_.workspace : question_.workspace + "/" + root;
    reads_at_once_ = 0;
    for (const std::string& config : configs) read_config(config, top, Reach::all, 0);
  }
}

NamedByGit NamedSearch::run() {
  read_home();
  for (const std::string& root : question_.roots) read_repository(root);
  named_.roots = question_.roots;
  named_.paths.assign(paths_.begin(), paths_.end());
  named_.anywhere.assign(anywhere_.begin(), anywhere_.end());
  return std::move(named_);
}

}  // namespace

NamedByGit find_named_by_git(const NamedQuestion& question) { return NamedSearch(question).run(); }

bool is_still_so(const NamedByGit& named) {
  return std::ranges::all_of(named.sources, [](const NamedByGit::Source& source) {
    struct stat now {};
    const bool there = ::lstat(source.path.c_str(), &now) == 0;
    if (source.entry.status.st_ino == 0) return !there;
    return there && is_untouched(source.entry, now);
  });
}

}  // namespace talaria
