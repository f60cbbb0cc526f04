#include "base/path.h"

#include <vector>

#include "base/text.h"

namespace talaria {

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string normal_path(std::string_view path) {
  std::vector<std::string> names;
  for (const std::string& name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == ".." && !names.empty() && names.back() != "..") names.pop_back();
    else if (name != ".." || !path.starts_with('/')) names.push_back(name);
  }
  return (path.starts_with('/') ? "/" : "") + join(names, "/");
}

}  // namespace talaria
