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
constexpr std::string_view shell_why = "a shell runs it when it starts in that folder as a home";
constexpr std::string_view click = "on-request";
constexpr std::string_view click_why = "it names programs that run when a person asks for them";

constexpr std::array table = {
    Danger{".mcp.json", locked, agent, agent_why},
    Danger{".claude", locked, agent, agent_why},
    Danger{".codex", locked, agent, agent_why},
    Danger{".agents", locked, agent, agent_why},
    Danger{".cursor", locked, agent, agent_why},
    Danger{".gemini", locked, agent, agent_why},
    Danger{".opencode", locked, agent, agent_why},
    Danger{"opencode.json", locked, agent, agent_why},
    Danger{".kiro", locked, agent, agent_why},
    Danger{".aider.conf.yml", locked, agent, agent_why},
    Danger{".vscode/mcp.json", locked, agent, agent_why},
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
    Danger{".husky", held, "git-hooks-path", "git runs the hooks in it where core.hooksPath names it"},
    Danger{".vscode/tasks.json", held, "editor-task", "an editor may run its tasks when the folder is opened"},
    Danger{".idea", held, "editor-task", "an editor may run what it configures when the folder is opened"},
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

std::optional<DangerousName> Dangers::find(std::string_view path) const {
  for (size_t begin = 0; begin < path.size(); begin = std::min(path.find('/', begin), path.size() - 1) + 1) {
    for (const Danger& danger : table) {
      if (!is_taken_away(danger.kind)) continue;
      if (const auto end = match_at(path, begin, danger.pattern)) {
        return DangerousName{std::string(path.substr(0, *end)), danger.kind, std::string(danger.rule),
                             std::string(danger.why)};
      }
    }
    for (const std::string& pattern : more_) {
      if (const auto end = match_at(path, begin, pattern)) {
        return DangerousName{std::string(path.substr(0, *end)), DangerClass::locked, "protected-name",
                             "sandbox.protected_names lists it"};
      }
    }
  }
  return std::nullopt;
}

bool Dangers::is_first_part(std::string_view name) const {
  const auto begins = [&](std::string_view pattern) {
    const size_t slash = pattern.find('/');
    return slash != std::string_view::npos && pattern.substr(0, slash) == name;
  };
  return std::ranges::any_of(
             table, [&](const Danger& danger) { return is_taken_away(danger.kind) && begins(danger.pattern); }) ||
         std::ranges::any_of(more_, begins);
}

}  // namespace talaria
