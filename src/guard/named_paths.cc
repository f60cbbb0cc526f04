#include "guard/named_paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>

#include "base/path.h"
#include "base/text.h"
#include "guard/git_paths.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t most_words = 2000;
constexpr std::string_view between_words = " \t\r\n\"'`;|&<>()${}=,";
// Programs of git hooks, and the settings by which they run others.
struct HookSetting {
  std::string_view word;
  std::string_view file;
};
constexpr std::array hook_settings = {
    HookSetting{".pre-commit-config.yaml", ".pre-commit-config.yaml"},
    HookSetting{"lefthook", "lefthook.yml"},
    HookSetting{"lefthook", "lefthook.yaml"},
    HookSetting{"lefthook", "lefthook.toml"},
    HookSetting{"lefthook", "lefthook.json"},
    HookSetting{"lefthook", ".lefthook.yml"},
    HookSetting{"lefthook", ".lefthook.yaml"},
    HookSetting{"lefthook", ".lefthook.toml"},
    HookSetting{"lefthook", ".lefthook.json"},
    HookSetting{"lefthook", "lefthook-local.yml"},
    HookSetting{"lefthook", "lefthook-local.yaml"},
    HookSetting{"lefthook", "lefthook-local.toml"},
    HookSetting{"lefthook", ".lefthook-local.yml"},
    HookSetting{"lefthook", ".lefthook-local.yaml"},
    HookSetting{"lefthook", ".config/lefthook.yml"},
};
// Package managers write these folders: to hold what they install would break them.
constexpr std::array installed = {"node_modules/", ".venv/", "venv/"};
constexpr std::array interpreters = {"sh",      "bash",   "dash",    "zsh",  "ksh",  "env",  "exec",
                                     "command", "python", "python3", "node", "perl", "ruby", "php",
                                     "source",  ".",      "sudo",    "nice", "time", "npx"};

bool is_interpreter(const std::string& word) {
  const std::string name = word.substr(word.rfind('/') + 1);
  return std::ranges::find(interpreters, name) != interpreters.end();
}

// With a slash, so that no PATH is asked, or a file of that name.
bool names_a_file(const std::string& word) {
  return word.find('/') != std::string::npos && word.find_first_not_of("./") != std::string::npos;
}

bool is_file(const std::string& path, bool executable) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return !executable || (status.st_mode & 0111) != 0;
}

bool is_installed(const std::string& word) {
  return std::ranges::any_of(installed, [&](const char* folder) { return word.find(folder) != std::string::npos; });
}

}  // namespace

std::vector<std::string> places_of(const std::string& path) {
  std::vector<std::string> places = {normal_path(path)};
  const size_t slash = places.front().rfind('/');
  const std::string folder = real_path(places.front().substr(0, slash));
  for (const std::string& place : {folder.empty() ? "" : folder + places.front().substr(slash), real_path(path)}) {
    if (!place.empty() && std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  return places;
}

std::string link_end(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return "";
  const std::string text(target, static_cast<size_t>(length));
  return normal_path(text.starts_with('/') ? text : path.substr(0, path.rfind('/')) + "/" + text);
}

std::optional<std::string> read_named_file(const std::string& path, size_t most) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  Result<std::string> text = read_at(file.get(), 0, most);
  if (!text) return std::nullopt;
  return *std::move(text);
}

std::string git_directory_at(const std::string& folder) {
  std::string path = folder + "/.git";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  if (S_ISDIR(status.st_mode)) return path;
  const UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::optional<std::string> target = git_file_target(directory.get(), ".git");
  if (!target) return "";
  return real_path(target->starts_with('/') ? *target : folder + "/" + *target);
}

std::string common_directory_of(const std::string& git_directory) {
  const std::string text(trim(read_named_file(git_directory + "/commondir", PATH_MAX).value_or("")));
  if (text.empty()) return git_directory;
  const std::string common = real_path(text.starts_with('/') ? text : git_directory + "/" + text);
  return common.empty() ? git_directory : common;
}

std::vector<std::string> program_words(std::string_view text, const std::string& folder, WordKind kind) {
  std::vector<std::string> words;
  bool runs_next = kind == WordKind::command;
  size_t count = 0;
  for (size_t begin = text.find_first_not_of(between_words); begin < text.size() && ++count <= most_words;) {
    const size_t end = std::min(text.find_first_of(between_words, begin), text.size());
    std::string word(text.substr(begin, end - begin));
    begin = text.find_first_not_of(between_words, end);
    if (word.starts_with('!')) word.erase(0, 1);
    if (word.empty()) continue;
    const std::string path = word.starts_with('/') ? word : folder + "/" + word;
    const bool runs = (runs_next && names_a_file(word)) || is_file(path, !runs_next);
    if (runs && !(kind == WordKind::script && is_installed(word))) words.push_back(word);
    for (const HookSetting& setting : hook_settings) {
      if (kind == WordKind::script && setting.word == word) words.emplace_back(setting.file);
    }
    runs_next = is_interpreter(word) || (runs_next && word.starts_with('-'));
  }
  return words;
}

}  // namespace talaria
