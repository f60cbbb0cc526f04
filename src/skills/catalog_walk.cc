#include "skills/catalog_walk.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace talaria {
namespace {

// Less than this is done sooner than a thread starts.
constexpr size_t worth_a_thread = 64;
constexpr size_t at_a_time = 16;

// Calls `work` for each index below `count`, on this thread and one more.
void share_out(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t begin = next.fetch_add(at_a_time); begin < count; begin = next.fetch_add(at_a_time)) {
      for (size_t i = begin; i < std::min(begin + at_a_time, count); ++i) work(i);
    }
  };
  std::thread other;
  if (count >= worth_a_thread) {
    try {
      other = std::thread(run);
    } catch (const std::system_error&) {
      // No thread to be had: it only takes longer.
    }
  }
  run();
  if (other.joinable()) other.join();
}

struct FolderId {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FolderId&) const = default;
};

struct FolderIdHash {
  size_t operator()(const FolderId& id) const {
    return std::hash<uint64_t>()(id.inode * 0x9e3779b97f4a7c15 + id.device);
  }
};

// Levels come in order already, so there are few runs to merge.
void sort_by_path(CatalogFolders& folders) {
  const auto before = [](const auto& a, const auto& b) { return comes_before(a->path, b->path); };
  std::vector<CatalogFolders::iterator> ends;
  for (auto begin = folders.begin(); begin != folders.end(); begin = ends.back()) {
    ends.push_back(std::is_sorted_until(begin, folders.end(), before));
  }
  while (ends.size() > 1) {
    std::vector<CatalogFolders::iterator> merged;
    auto begin = folders.begin();
    for (size_t i = 0; i < ends.size(); i += 2) {
      const auto end = ends[std::min(i + 1, ends.size() - 1)];
      std::inplace_merge(begin, ends[i], end, before);
      merged.push_back(begin = end);
    }
    ends = std::move(merged);
  }
}

struct PendingLink {
  FolderVisit visit;
  FolderId target;
};

class Walker {
 public:
  Walker(const OpenRoot& root, const CatalogFolders& known, const std::vector<char>& unchanged) : root_(root) {
    known_.reserve(known.size());
    for (size_t i = 0; i < known.size(); ++i) known_.emplace(known[i]->path, Known{&known[i], unchanged[i] != 0});
  }

  FolderWalk walk(std::vector<FolderVisit> visits) {
    walk_from(std::move(visits));
    // Real folders first, so that a folder is met by its own path where it has one below this root.
    while (!links_.empty()) {
      std::vector<PendingLink> links = std::exchange(links_, {});
      std::sort(links.begin(), links.end(),
                [](const PendingLink& a, const PendingLink& b) { return comes_before(a.visit.path, b.visit.path); });
      for (PendingLink& link : links) {
        if (!met_.contains(link.target) && !is_inside_skill(link.visit.path)) walk_from({std::move(link.visit)});
      }
    }
    sort_by_path(found_.folders);
    return std::move(found_);
  }

  size_t looked_at() const { return looked_at_; }

 private:
  struct Known {
    const std::shared_ptr<const CatalogFolder>* folder = nullptr;
    bool unchanged = false;
  };

  // One level after the other.
  void walk_from(std::vector<FolderVisit> level) {
    while (!level.empty()) {
      if (!make_room(level)) return;
      CatalogFolders folders(level.size());
      share_out(level.size(), [&](size_t i) { folders[i] = look(level[i]); });
      std::vector<FolderVisit> next;
      for (size_t i = 0; i < level.size(); ++i) take(level[i], std::move(folders[i]), next);
      level = std::move(next);
    }
  }

  // A link inside a skill is one of its files, and may lead anywhere: no skills are looked for behind it.
  bool is_inside_skill(const std::string& path) const {
    for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1)) {
      const std::string folder = path.substr(0, slash);
      if (skills_.contains(folder)) return true;
      const auto known = known_.find(folder);
      if (known != known_.end() && !(*known->second.folder)->skill_file.empty()) return true;
    }
    return false;
  }

  // False when nothing more is to be walked.
  bool make_room(std::vector<FolderVisit>& level) {
    const size_t room = most_catalog_folders - visits_;
    if (level.size() > room) {
      if (!full_) {
        found_.diagnostics.push_back({Severity::warning, root_.root.path,
                                      "it has more than " + std::to_string(most_catalog_folders) +
                                          " folders; skills in the others are not shown"});
      }
      full_ = true;
      level.resize(room);
    }
    visits_ += level.size();
    return !level.empty();
  }

  std::shared_ptr<const CatalogFolder> look(const FolderVisit& visit) {
    const auto known = known_.find(visit.path);
    if (known != known_.end() && known->second.unchanged &&
        (*known->second.folder)->linked == (visit.reached == Reached::by_link)) {
      return *known->second.folder;
    }
    looked_at_.fetch_add(1, std::memory_order_relaxed);
    std::shared_ptr<CatalogFolder> folder = look_at_folder(root_, visit.path, visit.reached);
    if (known != known_.end()) keep_skill(*folder, **known->second.folder);
    return folder;
  }

  void take(const FolderVisit& visit, std::shared_ptr<const CatalogFolder> folder, std::vector<FolderVisit>& next) {
    const FileStamp& stamp = folder->seen.stamp;
    if (folder->seen.failure == 0 && !met_.insert({stamp.device, stamp.inode}).second) return;
    if (visit.depth < deepest_skill_folder) {
      for (const std::string& name : folder->folders) {
        next.push_back({path_below(folder->path, name), visit.reached, visit.depth + 1});
      }
      for (const FolderLink& link : folder->links) {
        if (link.target != FolderLink::Target::folder) continue;
        links_.push_back(
            {{path_below(folder->path, link.name), Reached::by_link, visit.depth + 1}, {link.device, link.inode}});
      }
    }
    if (!folder->skill_file.empty()) skills_.insert(folder->path);
    found_.folders.push_back(std::move(folder));
  }

  const OpenRoot& root_;
  std::unordered_map<std::string_view, Known> known_;
  std::unordered_set<FolderId, FolderIdHash> met_;
  std::vector<PendingLink> links_;
  std::unordered_set<std::string> skills_;  // folders that are one
  FolderWalk found_;
  size_t visits_ = 0;
  bool full_ = false;
  std::atomic<size_t> looked_at_ = 0;
};

}  // namespace

void keep_skill(CatalogFolder& folder, const CatalogFolder& before) {
  const auto& old = before.skill;
  if (folder.skill && old && folder.skill->stamp == old->stamp && folder.skill->trust == old->trust &&
      folder.skill->by_link == old->by_link && folder.skill->file == old->file && folder.skill->card == old->card) {
    folder.skill = old;
  }
}

std::vector<char> compare_folders(const CatalogFolders& folders, int root_directory, CatalogWork& work) {
  work.folders_checked += folders.size();
  std::vector<char> unchanged(folders.size());
  share_out(folders.size(), [&](size_t i) { unchanged[i] = is_unchanged(*folders[i], root_directory) ? 1 : 0; });
  return unchanged;
}

FolderWalk walk_folders(const OpenRoot& root, std::vector<FolderVisit> visits, const CatalogFolders& known,
                        const std::vector<char>& unchanged, CatalogWork& work) {
  Walker walker(root, known, unchanged);
  FolderWalk walk = walker.walk(std::move(visits));
  work.folders_looked_at += walker.looked_at();
  return walk;
}

}  // namespace talaria
