#include "sandbox/view_facts.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "os/file.h"
#include "sandbox/git_settings.h"
#include "sandbox/inner_mounts.h"
#include "sandbox/toolchains.h"

namespace talaria {
namespace {

constexpr uint32_t first_person = 1000;
constexpr uint32_t last_person = 60'000;
constexpr size_t most_git_config = 256 << 10;

Result<std::string> existing(const std::string& what, const std::string& path) {
  std::string real = real_path(path);
  if (real.empty()) return Error::from_errno(what + " " + path);
  return real;
}

std::string text_of(const std::string& path) {
  Result<std::string> text = read_file(path);
  return text ? *std::move(text) : "";
}

// Directories around `path` that nobody but their owner may enter; the outermost is enough to cover.
void note_closed(const std::string& path, std::vector<std::string>& closed) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IXOTH)) continue;
    closed.push_back(folder);
    return;
  }
}

Result<> resolve_all(const std::string& what, std::vector<std::string>& paths) {
  for (std::string& path : paths) path = TRY(existing(what, path));
  return ok;
}

std::string value_of(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// Whoever made it may have made it a pipe, where reading would wait for ever.
std::string git_config_text(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::string text(most_git_config, 0);
  size_t length = 0;
  for (ssize_t count; (count = ::read(file.get(), text.data() + length, text.size() - length)) > 0;) length += count;
  text.resize(length == most_git_config ? 0 : length);  // half of one may say something else
  return text;
}

void find_git_settings(ViewFacts& facts) {
  for (const char* name : {"/.gitconfig", "/.config/git/config"}) {
    if (const std::string text = git_config_text(facts.home + name); !text.empty()) {
      facts.git_settings[name] = harmless_git_settings(text);
    }
  }
  const std::string ignores = facts.home + "/.config/git/ignore";
  if (const std::string file = real_path(ignores); !file.empty()) facts.git_ignores[ignores] = file;
}

// Sockets that servers of the host listen on. A read-only view does not stop a connection, covering the path does.
std::vector<std::string> host_sockets() {
  std::vector<std::string> paths;
  for (const std::string& line : split(text_of("/proc/net/unix"), '\n')) {
    const size_t slash = line.find(" /");
    if (slash == std::string::npos) continue;
    std::string path = line.substr(slash + 1);
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) paths.push_back(std::move(path));
  }
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

void find_tools(const FactsQuestion& question, ViewFacts& facts) {
  std::vector<std::string> hidden = {"/home", "/root", "/run", "/mnt", "/media"};
  hidden.insert(hidden.end(), facts.homes.begin(), facts.homes.end());
  Toolchains tools = find_toolchains(question.environment, hidden, facts.homes);
  facts.toolchains = std::move(tools.shown);
  facts.credentials = std::move(tools.credentials);
}

void find_resolver(ViewFacts& facts) {
  facts.resolver_file = real_path("/etc/resolv.conf");
  facts.name_switch = text_of("/etc/nsswitch.conf");
}

void find_inner_mounts(ViewFacts& facts) {
  facts.inner_mounts = mounts_inside(facts.workspace);
  if (!facts.git_directory || is_within(*facts.git_directory, facts.workspace)) return;
  const std::vector<std::string> further = mounts_inside(*facts.git_directory);
  facts.inner_mounts.insert(facts.inner_mounts.end(), further.begin(), further.end());
}

}  // namespace

std::vector<std::string> everybodys_homes(const std::string& own) {
  std::vector<std::string> homes = {"/root", own};
  for (const std::string& line : split(text_of("/etc/passwd"), '\n')) {
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() < 7) continue;
    const unsigned long uid = std::strtoul(parts[2].c_str(), nullptr, 10);
    const std::string home = real_path(parts[5]);
    if (uid >= first_person && uid < last_person && !home.empty() && home != "/") homes.push_back(home);
  }
  std::ranges::sort(homes);
  homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
  return homes;
}

Result<MachineFacts> look_at_machine(const FactsQuestion& question, const Identity& identity, Profile& profile) {
  MachineFacts found;
  ViewFacts& facts = found.view;
  facts.workspace = TRY(existing("workspace", question.workspace));
  facts.home = real_path(value_of(question.environment, "HOME"));
  if (facts.home.empty()) facts.home = "/";
  facts.homes = everybodys_homes(facts.home);
  facts.own_home = question.own_home.empty() ? "" : real_path(question.own_home);
  facts.own_runtime = question.own_runtime.empty() ? "" : real_path(question.own_runtime);
  facts.uid = identity.uid;
  facts.mapped_owners = identity.mapped_owners;
  TRY(resolve_all("readable path", profile.readable));
  TRY(resolve_all("writable path", profile.writable));
  if (!question.library.empty()) facts.library = TRY(existing("library", question.library));
  facts.shown = question.shown;
  TRY(resolve_all("path", facts.shown));
  if (profile.kind == ProfileKind::full) return found;

  facts.own_places =
      find_own_places({question.own_home, question.own_runtime, question.own_programs, question.library});
  find_tools(question, facts);
  find_git_settings(facts);
  find_resolver(facts);
  facts.sockets = host_sockets();
  facts.git_directory = linked_git_directory(facts.workspace);
  find_inner_mounts(facts);
  const OwnerSearch owners = identity.mapped_owners ? OwnerSearch::named : OwnerSearch::skipped;
  // What is not opened for writing, such as / and the home, can be large and needs no protection.
  if (profile.kind == ProfileKind::workspace_write && !is_within(facts.home, facts.workspace)) {
    WorkspaceSearch search = search_workspace(facts.workspace, profile.protected_names, owners);
    facts.protected_paths = std::move(search.protected_paths);
    found.foreign = std::move(search.foreign);
  }
  if (identity.mapped_owners) {
    facts.passwd = text_of("/etc/passwd");
    facts.group = text_of("/etc/group");
    note_closed(facts.workspace, facts.closed);
    for (const std::string& path : profile.readable) note_closed(path, facts.closed);
    for (const std::string& path : profile.writable) note_closed(path, facts.closed);
  }
  return found;
}

}  // namespace talaria
