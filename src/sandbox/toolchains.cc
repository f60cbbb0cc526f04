#include "sandbox/toolchains.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "os/file.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

// A tool that lives in a home: when something in `folder` is on PATH, `needs` are shown (the folder itself if none).
struct Tool {
  std::string_view folder;
  std::vector<std::string_view> needs = {};
};

const std::vector<Tool>& known_tools() {
  static const std::vector<Tool> tools = {
      {".pyenv"},
      {".nvm"},
      {".rbenv"},
      {".nodenv"},
      {".goenv"},
      {".jenv"},
      {".asdf"},
      {".volta"},
      {".bun"},
      {".deno"},
      {".fnm"},
      {".sdkman"},
      {".dotnet"},
      {".ghcup"},
      {".juliaup"},
      {".julia"},
      {".rustup"},
      {".linuxbrew"},
      {"miniconda3"},
      {"anaconda3"},
      {"miniforge3"},
      {"mambaforge"},
      {"micromamba"},
      {"sdk"},
      // Beside the programs, .cargo holds credentials.
      {".cargo", {".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup"}},
      {".cabal", {".cabal/bin", ".cabal/packages", ".cabal/store"}},
      {"go", {"go/bin", "go/pkg", "go/src"}},
      {".local/share/mise"},
      {".local/share/fnm"},
      {".local/share/pnpm"},
      {".local/share/uv"},
      {".local",
       {".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv", ".local/share/mise",
        ".local/go"}},
  };
  return tools;
}

// Variables that name the home of a tool, wherever it is.
constexpr std::array home_variables = {"PYENV_ROOT",   "NVM_DIR",   "RUSTUP_HOME", "GOROOT",      "VIRTUAL_ENV",
                                       "CONDA_PREFIX", "JAVA_HOME", "VOLTA_HOME",  "BUN_INSTALL", "DOTNET_ROOT"};

// Never shown, whatever a variable says.
constexpr std::array secret_folders = {".ssh",
                                       ".gnupg",
                                       ".aws",
                                       ".azure",
                                       ".kube",
                                       ".docker",
                                       ".password-store",
                                       ".mozilla",
                                       ".talaria",
                                       ".hermes",
                                       ".claude",
                                       ".codex",
                                       ".local/share/keyrings"};

// Secrets that tools keep beside their programs.
constexpr std::array credential_names = {
    "credentials",      "credentials.toml", "credentials.json", ".npmrc",    ".netrc", ".pypirc",
    ".git-credentials", "auth.json",        ".condarc",         "etc/npmrc", "token",  ".token"};

class Finder {
 public:
  Finder(const std::vector<std::string>& hidden, const std::vector<std::string>& homes)
      : hidden_(hidden), homes_(homes) {}

  void consider(const std::string& directory);
  Toolchains take();

 private:
  bool is_hidden(const std::string& path) const;
  bool is_secret(const std::string& path) const;
  void show(const std::string& path);

  const std::vector<std::string>& hidden_;
  const std::vector<std::string>& homes_;
  std::map<std::string, std::string> shown_;
};

bool Finder::is_hidden(const std::string& path) const {
  return std::ranges::any_of(hidden_, [&](const std::string& folder) { return is_within(path, folder); });
}

// A home, something around it, or a place in it where secrets live.
bool Finder::is_secret(const std::string& path) const {
  if (std::ranges::any_of(hidden_, [&](const std::string& folder) { return is_within(folder, path); })) return true;
  for (const std::string& home : homes_) {
    if (is_within(home, path) || path == home + "/.config") return true;
    for (const char* name : secret_folders) {
      const std::string folder = home + "/" + name;
      if (is_within(path, folder) || is_within(folder, path)) return true;
    }
  }
  return false;
}

void Finder::show(const std::string& path) {
  const std::string real = real_path(path);
  if (real.empty() || !is_hidden(real) || is_secret(real)) return;
  shown_[real] = real;
  if (is_hidden(path) && !is_secret(path)) shown_[path] = real;
}

void Finder::consider(const std::string& directory) {
  if (!directory.starts_with('/') || !is_hidden(directory)) return;
  for (const std::string& home : homes_) {
    for (const Tool& tool : known_tools()) {
      if (!is_within(directory, home + "/" + std::string(tool.folder))) continue;
      if (tool.needs.empty()) show(home + "/" + std::string(tool.folder));
      for (std::string_view need : tool.needs) show(home + "/" + std::string(need));
      return;
    }
  }
  show(directory);
}

Toolchains Finder::take() {
  Toolchains found;
  for (const auto& [target, source] : shown_) {  // outer ones first
    const auto covers = [&target = target, &source = source](const auto& outer) {
      return outer.first == outer.second && is_within(target, outer.first) && target == source;
    };
    if (std::ranges::none_of(found.shown, covers)) found.shown[target] = source;
  }
  for (const auto& [target, source] : found.shown) {
    for (const char* name : credential_names) {
      if (exists(source + "/" + name)) found.credentials.push_back(target + "/" + name);
    }
  }
  return found;
}

}  // namespace

Toolchains find_toolchains(const std::map<std::string, std::string>& environment,
                           const std::vector<std::string>& hidden, const std::vector<std::string>& homes) {
  Finder finder(hidden, homes);
  const auto path = environment.find("PATH");
  if (path != environment.end()) {
    for (const std::string& directory : split(path->second, ':')) finder.consider(directory);
  }
  for (const char* name : home_variables) {
    const auto variable = environment.find(name);
    if (variable != environment.end()) finder.consider(variable->second);
  }
  return finder.take();
}

}  // namespace talaria
