#include "skills/catalog_renewal.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace talaria {
namespace {

// A walk does more at one time.
constexpr size_t most_looks = 32;

bool has_linked_folders(const CatalogFolder& folder) {
  return folder.linked || std::any_of(folder.links.begin(), folder.links.end(),
                                      [](const FolderLink& link) { return link.target == FolderLink::Target::folder; });
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

size_t depth_of(std::string_view path) {
  return path.empty() ? 0 : 1 + static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
}

bool comes_first(const std::shared_ptr<const CatalogFolder>& one, const std::shared_ptr<const CatalogFolder>& other) {
  return comes_before(one->path, other->path);
}

class Renewal {
 public:
  Renewal(const OpenRoot& root, const CatalogFolders& known, CatalogWork& work)
      : root_(root), known_(known), work_(work), folders_(known) {}

  std::optional<CatalogFolders> renew(const std::vector<char>& unchanged) {
    size_t looks = 0;
    for (size_t i = 0; i < known_.size(); ++i) {
      if (unchanged[i] || !folders_[i]) continue;
      if (++looks > most_looks || !look(i)) return std::nullopt;
    }
    std::erase(folders_, nullptr);
    if (!added_.empty() && !walk_added()) return std::nullopt;
    return std::move(folders_);
  }

 private:
  // False when this is for a walk to sort out.
  bool look(size_t i) {
    ++work_.folders_looked_at;
    const CatalogFolder& before = *known_[i];
    const std::shared_ptr<CatalogFolder> folder =
        look_at_folder(root_, before.path, before.linked ? Reached::by_link : Reached::directly);
    if (folder->seen.failure != 0 || before.seen.failure != 0 || folder->seen.stamp.inode != before.seen.stamp.inode ||
        folder->seen.stamp.device != before.seen.stamp.device) {
      return false;
    }
    if (folder->folders != before.folders || folder->links != before.links) {
      if (any_links() || has_linked_folders(*folder)) return false;
      follow_changes(i, *folder);
    }
    keep_skill(*folder, before);
    folders_[i] = folder;
    return true;
  }

  // Links decide by what path a folder is met, wherever in the root they are.
  bool any_links() {
    if (!links_known_) {
      links_known_ = true;
      any_links_ =
          std::any_of(known_.begin(), known_.end(), [](const auto& folder) { return has_linked_folders(*folder); });
    }
    return any_links_;
  }

  void follow_changes(size_t i, const CatalogFolder& folder) {
    const std::vector<std::string>& before = known_[i]->folders;
    std::vector<std::string> gone;
    std::set_difference(before.begin(), before.end(), folder.folders.begin(), folder.folders.end(),
                        std::back_inserter(gone));
    for (const std::string& name : gone) drop(i, path_below(folder.path, name));
    const size_t depth = depth_of(folder.path);
    if (depth == deepest_skill_folder) return;
    std::vector<std::string> added;
    std::set_difference(folder.folders.begin(), folder.folders.end(), before.begin(), before.end(),
                        std::back_inserter(added));
    for (const std::string& name : added) {
      added_.push_back({path_below(folder.path, name), Reached::directly, depth + 1});
    }
  }

  // With all below it, which follow one another.
  void drop(size_t after, const std::string& path) {
    const auto first = std::find_if(known_.begin() + static_cast<std::ptrdiff_t>(after), known_.end(),
                                    [&](const auto& folder) { return folder->path == path; });
    for (auto at = first; at != known_.end() && ((*at)->path == path || is_below((*at)->path, path)); ++at) {
      folders_[static_cast<size_t>(at - known_.begin())] = nullptr;
    }
  }

  bool walk_added() {
    FolderWalk walk = walk_folders(root_, std::move(added_), {}, {}, work_);
    const bool linked = std::any_of(walk.folders.begin(), walk.folders.end(),
                                    [](const auto& folder) { return has_linked_folders(*folder); });
    if (linked || any_links()) return false;
    CatalogFolders merged;
    merged.reserve(folders_.size() + walk.folders.size());
    std::merge(folders_.begin(), folders_.end(), walk.folders.begin(), walk.folders.end(), std::back_inserter(merged),
               comes_first);
    folders_ = std::move(merged);
    return folders_.size() <= most_catalog_folders / 2;
  }

  const OpenRoot& root_;
  const CatalogFolders& known_;
  CatalogWork& work_;
  CatalogFolders folders_;  // null: gone
  std::vector<FolderVisit> added_;
  bool links_known_ = false;
  bool any_links_ = false;
};

}  // namespace

std::optional<CatalogFolders> renew_folders(const OpenRoot& root, const CatalogFolders& known,
                                            const std::vector<char>& unchanged, CatalogWork& work) {
  // Only a walk can tell whether it has an end.
  if (known.empty() || known.size() > most_catalog_folders / 2) return std::nullopt;
  return Renewal(root, known, work).renew(unchanged);
}

}  // namespace talaria
