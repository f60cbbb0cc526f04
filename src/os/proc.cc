#include "os/proc.h"

#include <cstdlib>
#include <sstream>

#include "base/text.h"
#include "os/file.h"

namespace talaria {
namespace {

std::string of(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

// The fields of /proc/PID/stat after the name, which may itself hold spaces and parentheses.
std::optional<std::vector<std::string>> stat_fields(pid_t pid) {
  Result<std::string> stat = read_file(of(pid, "stat"));
  if (!stat) return std::nullopt;
  const size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos || name_end + 2 > stat->size()) return std::nullopt;
  return split(std::string_view(*stat).substr(name_end + 2), ' ');
}

void append_children(pid_t pid, std::vector<pid_t>& found) {
  Result<std::vector<std::string>> threads = list_directory(of(pid, "task"));
  if (!threads) return;
  for (const std::string& thread : *threads) {
    Result<std::string> children = read_file(of(pid, "task/") + thread + "/children");
    if (!children) continue;
    std::istringstream list(*children);
    for (pid_t child; list >> child;) found.push_back(child);
  }
}

}  // namespace

std::optional<pid_t> parent_of(pid_t pid) {
  const auto fields = stat_fields(pid);
  if (!fields || fields->size() < 2) return std::nullopt;
  return static_cast<pid_t>(std::atoi((*fields)[1].c_str()));
}

std::optional<char> state_of(pid_t pid) {
  const auto fields = stat_fields(pid);
  if (!fields || (*fields)[0].empty()) return std::nullopt;
  return (*fields)[0][0];
}

std::optional<std::string> began(pid_t pid) {
  constexpr size_t place = 22 - 3;  // the 22nd field; the first of ours is the 3rd
  const auto fields = stat_fields(pid);
  if (!fields || fields->size() <= place) return std::nullopt;
  return (*fields)[place];
}

std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> found;
  append_children(root, found);
  for (size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

bool descends_from(pid_t pid, pid_t ancestor) {
  for (int depth = 0; depth < 1000 && pid > 1; ++depth) {
    if (pid == ancestor) return true;
    const auto parent = parent_of(pid);
    if (!parent) return false;
    pid = *parent;
  }
  return pid == ancestor;
}

std::optional<std::string> started_with(pid_t pid, const std::string& name) {
  Result<std::string> environment = read_file(of(pid, "environ"));
  if (!environment) return std::nullopt;
  for (const std::string& entry : split(*environment, '\0')) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::optional<size_t> private_bytes(pid_t pid) {
  Result<std::string> rollup = read_file(of(pid, "smaps_rollup"));
  if (!rollup) return std::nullopt;
  size_t kilobytes = 0;
  for (const std::string& line : split(*rollup, '\n')) {
    if (!line.starts_with("Private_")) continue;
    kilobytes += static_cast<size_t>(std::atol(line.c_str() + line.find(':') + 1));
  }
  return kilobytes * 1024;
}

}  // namespace talaria
