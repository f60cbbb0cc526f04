#include "files/similar_files.h"

#include <algorithm>

#include "base/text.h"

namespace talaria {
namespace {

constexpr size_t most_looked_at = 2'000;
constexpr size_t most_named = 5;

std::string stem_of(const std::string& name) { return name.substr(0, std::max<size_t>(name.rfind('.'), 1)); }

// Of those with the same stem, or one name within the other.
bool is_related(const std::string& wanted, const std::string& name) {
  if (wanted.size() < 3 || name.size() < 3) return wanted == name;
  return stem_of(wanted) == stem_of(name) || name.find(wanted) != std::string::npos ||
         wanted.find(name) != std::string::npos;
}

}  // namespace

std::vector<std::string> similar_files(FileSystem& files, const FileGate& gate, const std::string& path,
                                       const std::string& shown_path) {
  const std::string folder = parent_of(path);
  const std::string name = name_of(path);
  const Result<FileListing> listing = files.list(folder, most_looked_at);
  if (!listing) return {};
  std::vector<std::string> names;
  for (const FileEntry& entry : listing->entries) {
    if (entry.name == name) continue;  // a link that leads nowhere
    const bool readable = entry.type == FileType::regular || entry.type == FileType::link;
    if (readable && gate.would_permit(FileUse::read, folder + "/" + entry.name)) names.push_back(entry.name);
  }
  std::ranges::sort(names);
  std::vector<std::string> similar = nearest(name, names, most_named);
  for (const std::string& candidate : names) {
    if (similar.size() >= most_named) break;
    if (is_related(lower(name), lower(candidate)) && std::ranges::find(similar, candidate) == similar.end())
      similar.push_back(candidate);
  }
  const std::string prefix = shown_path.substr(0, shown_path.rfind('/') + 1);
  for (std::string& found : similar) found.insert(0, prefix);
  return similar;
}

}  // namespace talaria
