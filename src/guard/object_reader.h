#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/clean_git.h"

namespace talaria {

// An object whose content has the id it was asked for by: we have computed it.
struct GitObject {
  std::string_view id;
  std::string_view type;
  std::string_view content;
};

// Reads these objects by one git and hands over those that are there and are what their ids say; others are left out.
// git itself does not compare when it reads, and whoever writes into the folder of objects can put a wrong one there.
Result<> read_git_objects(const CleanGit& git, const std::vector<std::string>& ids,
                          const std::function<void(const GitObject&)>& take, Clock::time_point deadline);

// The values of a header field of a commit or a tag: its parents, its tree.
std::vector<std::string> header_values(std::string_view object, std::string_view field);

struct GitTreeEntry {
  std::string mode;  // "40000" for a folder, "100644"
  std::string id;
};
// The entry of that name; its id is empty when there is none.
GitTreeEntry tree_entry(std::string_view tree, std::string_view name, GitHash hash);

}  // namespace talaria
