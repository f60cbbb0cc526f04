#include "guard/danger.h"

#include <algorithm>
#include <array>

namespace talaria {
namespace {

constexpr auto locked = DangerClass::locked;
constexpr auto held = DangerClass::held;
constexpr auto own = DangerClass::own;
constexpr auto reported = DangerClass::reported;
constexpr std::string_view agent = "agent-config";
constexpr std::string_view agent_why = "an agent reads it and runs what it says";
constexpr std::string_view shell = "shell-startup";
constexpr std::string_view shell_why = "a shell runs it when it starts, if this folder is somebody's home";
constexpr std::string_view editor = "editor-settings";
constexpr std::string_view editor_why = "an editor may run what it names when the folder or a file in it is opened";
constexpr std::string_view mise = "mise";
constexpr std::string_view mise_why = "mise runs what it says when a person enters the folder";
constexpr std::string_view click = "on-request";
constexpr std::string_view click_why = "it names programs that run when a person asks for them";
constexpr std::string_view named_rule = "named-by-the-person";
constexpr std::string_view named_why = "a git configuration, a git hook or a start-up file of the person's uses it";

constexpr std::array table = {
    Danger{".mcp.json", locked, agent, agent_why},
    Danger{".claude", locked, agent, agent_why},
    Danger{".codex", locked, agent, agent_why},
    Danger{".agents", locked, agent, agent_why},
    Danger{".cursor", locked, agent, agent_why},
    Danger{".gemini", locked, agent, agent_why},
    Danger{".opencode", locked, agent, agent_why},
    Danger{"opencode.json", locked, agent, agent_why},
    Danger{"opencode.jsonc", locked, agent, agent_why},
    Danger{".kiro", locked, agent, agent_why},
    Danger{".aider.conf.yml", locked, agent, agent_why},
    Danger{".vscode/mcp.json", locked, agent, agent_why},
    Danger{".qwen", locked, agent, agent_why},
    Danger{"crush.json", locked, agent, agent_why},
    Danger{".crush.json", locked, agent, agent_why},
    Danger{".roo/mcp.json", locked, agent, agent_why},
    Danger{".kilocode/mcp.json", locked, agent, agent_why},
    Danger{".windsurf", locked, agent, agent_why},
    Danger{".amazonq", locked, agent, agent_why},
    Danger{".factory", locked, agent, agent_why},
    Danger{".continue", locked, agent, agent_why},
    Danger{".junie", locked, agent, agent_why},
    Danger{".trae", locked, agent, agent_why},
    Danger{".augment", locked, agent, agent_why},
    Danger{".iflow", locked, agent, agent_why},
    Danger{".codebuddy", locked, agent, agent_why},
    Danger{".amp", locked, agent, agent_why},
    Danger{".github/hooks", locked, agent, agent_why},
    Danger{".clinerules/hooks", locked, agent, agent_why},
    Danger{".openhands/hooks.json", locked, agent, agent_why},
    Danger{".openhands/setup.sh", locked, agent, agent_why},
    Danger{".github/mcp.json", locked, agent, agent_why},
    Danger{".continuerc.json", locked, agent, agent_why},
    Danger{".pi/extensions", locked, agent, agent_why},
    Danger{".vibe", locked, agent, agent_why},
    Danger{".grok", locked, agent, agent_why},
    Danger{".kilo", locked, agent, agent_why},
    Danger{".letta", locked, agent, agent_why},
    Danger{".talaria", own, "own-config", "Talaria reads it"},
    Danger{".hermes", own, "own-config", "Talaria reads it"},
    Danger{".bashrc", locked, shell, shell_why},
    Danger{".bash_profile", locked, shell, shell_why},
    Danger{".bash_login", locked, shell, shell_why},
    Danger{".bash_logout", locked, shell, shell_why},
    Danger{".bash_aliases", locked, shell, shell_why},
    Danger{".profile", locked, shell, shell_why},
    Danger{".zshrc", locked, shell, shell_why},
    Danger{".zshenv", locked, shell, shell_why},
    Danger{".zprofile", locked, shell, shell_why},
    Danger{".zlogin", locked, shell, shell_why},
    Danger{".zlogout", locked, shell, shell_why},
    Danger{".kshrc", locked, shell, shell_why},
    Danger{".cshrc", locked, shell, shell_why},
    Danger{".tcshrc", locked, shell, shell_why},
    Danger{".envrc", held, "direnv", "direnv runs it when a person enters the folder"},
    Danger{".husky", held, "git-hooks-path", "git runs the hooks in it if core.hooksPath points to it"},
    Danger{".vscode/tasks.json", held, "editor-task", "an editor may run its tasks when the folder is opened"},
    Danger{".idea", held, editor, editor_why},
    Danger{".zed/settings.json", held, editor, editor_why},
    Danger{".helix", held, editor, editor_why},
    Danger{".exrc", held, editor, editor_why},
    Danger{".vimrc", held, editor, editor_why},
    Danger{".gvimrc", held, editor, editor_why},
    Danger{".nvim.lua", held, editor, editor_why},
    Danger{".nvimrc", held, editor, editor_why},
    Danger{".lvimrc", held, editor, editor_why},
    Danger{".vim/coc-settings.json", held, editor, editor_why},
    Danger{".theia/tasks.json", held, "editor-task", "an editor may run its tasks when the folder is opened"},
    Danger{".Rprofile", held, "startup-file", "R runs it when it is started in the folder"},
    Danger{".autoenv.zsh", held, "direnv", "autoenv runs it when a person enters the folder"},
    Danger{"mise.toml", held, mise, mise_why},
    Danger{".mise.toml", held, mise, mise_why},
    Danger{"mise.local.toml", held, mise, mise_why},
    Danger{".mise.local.toml", held, mise, mise_why},
    Danger{"mise.dev.toml", held, mise, mise_why},
    Danger{".mise.dev.toml", held, mise, mise_why},
    Danger{"mise.dev.local.toml", held, mise, mise_why},
    Danger{".mise.dev.local.toml", held, mise, mise_why},
    Danger{".miserc.toml", held, mise, mise_why},
    Danger{".config/mise.dev.toml", held, mise, mise_why},
    Danger{"mise/conf.d", held, mise, mise_why},
    Danger{"mise/config.toml", held, mise, mise_why},
    Danger{".mise", held, mise, mise_why},
    Danger{".config/mise.toml", held, mise, mise_why},
    Danger{".config/mise", held, mise, mise_why},
    Danger{"package.json", reported, click, click_why},
    Danger{".gitattributes", reported, click, click_why},
    Danger{"Makefile", reported, click, click_why},
    Danger{".vscode/settings.json", reported, click, click_why},
    Danger{".devcontainer", reported, click, click_why},
};

// Whether the part of `path` that begins at `begin` is the pattern; then where it ends.
std::optional<size_t> match_at(std::string_view path, size_t begin, std::string_view pattern) {
  const std::string_view rest = path.substr(begin);
  if (!rest.starts_with(pattern)) return std::nullopt;
  const size_t end = begin + pattern.size();
  if (end != path.size() && path[end] != '/') return std::nullopt;
  return end;
}

bool is_taken_away(DangerClass kind) { return kind == locked || kind == held; }

}  // namespace

std::string_view name_of(DangerClass kind) {
  switch (kind) {
    case DangerClass::locked: return "locked";
    case DangerClass::held: return "held";
    case DangerClass::own: return "own";
    case DangerClass::reported: return "reported";
  }
  return "locked";
}

std::span<const Danger> danger_table() { return table; }

void Dangers::add(Patterns& patterns, Pattern pattern) {
  std::string first = pattern.text.substr(0, pattern.text.find('/'));
  patterns[std::move(first)].push_back(std::move(pattern));
}

Dangers::Dangers(const std::vector<std::string>& more) {
  for (const Danger& danger : table) {
    if (is_taken_away(danger.kind)) {
      add(patterns_, {std::string(danger.pattern), danger.kind, danger.rule, danger.why});
    }
  }
  for (const std::string& name : more) {
    add(patterns_, {name, DangerClass::locked, "protected-name", "the owner protects this name (sandbox.protected)"});
  }
}

void Dangers::hold(std::vector<std::string> paths, const std::vector<std::string>& anywhere) {
  paths_ = std::move(paths);
  std::ranges::sort(paths_);
  anywhere_.clear();
  for (const std::string& name : anywhere) add(anywhere_, {name, DangerClass::held, named_rule, named_why});
}

std::optional<DangerousName> Dangers::find_at(const Patterns& patterns, std::string_view path, size_t begin) {
  const std::string_view name = path.substr(begin, path.find('/', begin) - begin);
  const auto same_first = patterns.find(name);
  if (same_first == patterns.end()) return std::nullopt;
  for (const Pattern& pattern : same_first->second) {
    if (const auto end = match_at(path, begin, pattern.text)) {
      return DangerousName{std::string(path.substr(0, *end)), pattern.kind, std::string(pattern.rule),
                           std::string(pattern.why)};
    }
  }
  return std::nullopt;
}

std::optional<DangerousName> Dangers::find(std::string_view path) const {
  for (size_t begin = 0; begin < path.size();) {
    if (auto found = find_at(patterns_, path, begin)) return found;
    if (auto found = find_at(anywhere_, path, begin)) return found;
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view until = path.substr(0, end);
    if (!paths_.empty() && std::ranges::binary_search(paths_, until)) {
      return DangerousName{std::string(until), DangerClass::held, std::string(named_rule), std::string(named_why)};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> Dangers::through_link(std::string_view path, const std::string& target) const {
  std::vector<std::string> places;
  const std::optional<DangerousName> whole = find(path);
  if (whole && whole->path == path) places.push_back(target);
  const auto same_first = patterns_.find(path.substr(path.rfind('/') + 1));
  if (same_first == patterns_.end()) return places;
  for (const Pattern& pattern : same_first->second) {
    if (const size_t slash = pattern.text.find('/'); slash != std::string::npos)
      places.push_back(target + pattern.text.substr(slash));
  }
  return places;
}

bool Dangers::leads_to_one(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Patterns* patterns : {&patterns_, &anywhere_}) {
    const auto same_first = patterns->find(name);
    if (same_first == patterns->end()) continue;
    const auto has_two = [](const Pattern& pattern) { return pattern.text.find('/') != std::string::npos; };
    if (std::ranges::any_of(same_first->second, has_two)) return true;
  }
  const std::string folder = std::string(path) + "/";
  const auto next = std::ranges::lower_bound(paths_, folder);
  return next != paths_.end() && next->starts_with(folder);
}

}  // namespace talaria
