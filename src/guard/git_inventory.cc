#include "guard/git_inventory.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "guard/git_folder.h"
#include "guard/hostile_file.h"
#include "guard/remedies.h"

namespace talaria {
namespace {

constexpr size_t most_listed = 20'000;
constexpr size_t most_logs = 200'000;
constexpr size_t deepest = 12;
// Large, and nothing in them makes git run anything.
constexpr std::array data_folders = {"objects", "refs", "logs", "lfs", "rr-cache", "reftable"};
constexpr std::array plain_names = {"hooks", "config", "config.worktree", "commondir", "gitdir"};

class InventoryTaking {
 public:
  InventoryTaking(int directory, const LockedEntries& before) : directory_(directory), before_(before) {}

  GitInventory run() {
    waiting_.push_back({"", 0});
    while (!waiting_.empty() && inventory_.complete) {
      const Waiting next = std::move(waiting_.back());
      waiting_.pop_back();
      list(next.path, next.depth);
    }
    list_logs();
    return std::move(inventory_);
  }

 private:
  struct Waiting {
    std::string path;
    size_t depth;
  };

  void list(const std::string& path, size_t depth) {
    const UniqueFd folder = open_guarded_folder(directory_, path);
    if (!folder) return;
    inventory_.folders.emplace(path, look_at_folder(folder.get()));  // before it is listed
    const bool is_git = looks_like_git_folder(folder.get());
    if (is_git && !path.empty()) inventory_.inner.insert(path);
    const bool holds_data = is_git || path.empty();
    // Before a crowd of others can hide them.
    for (const char* name : plain_names) add(folder.get(), name, joined(path, name));
    for (const FolderEntry& entry : entries_of(folder.get(), most_listed - listed_ + 1)) {
      inventory_.complete &= ++listed_ <= most_listed;
      const std::string inner = joined(path, entry.name);
      if (is_locked_in_git_folder(inner) || is_way_out(folder.get(), entry))
        add_locked(folder.get(), entry.name, inner);
      if (!entry.is_folder) continue;
      const bool data = holds_data && is_git_data(inner);
      if (!data) wait_for(inner, depth + 1);
      else if (entry.name == "objects") wait_for(inner + "/info", depth + 2);  // alternates
      else if (entry.name == "logs") logs_.push_back(inner);
    }
  }

  // Nothing in them is run, but git writes there, and would write through a link.
  void list_logs() {
    for (size_t listed = 0; !logs_.empty() && inventory_.complete;) {
      const std::string path = std::move(logs_.back());
      logs_.pop_back();
      const UniqueFd folder = open_guarded_folder(directory_, path);
      if (!folder) continue;
      inventory_.folders.emplace(path, look_at_folder(folder.get()));
      for (const FolderEntry& entry : entries_of(folder.get(), most_logs - listed + 1)) {
        inventory_.complete &= ++listed <= most_logs;
        const std::string inner = joined(path, entry.name);
        if (entry.is_folder) logs_.push_back(inner);
        else if (entry.leads_elsewhere) add_locked(folder.get(), entry.name, inner);
      }
    }
  }

  void wait_for(const std::string& path, size_t depth) {
    if (depth > deepest) inventory_.complete = false;
    else waiting_.push_back({path, depth});
  }

  void add(int folder, const std::string& name, const std::string& path) {
    if (is_locked_in_git_folder(path)) add_locked(folder, name, path);
  }

  void add_locked(int folder, const std::string& name, const std::string& path) {
    if (inventory_.locked.contains(path)) return;
    const auto seen = before_.find(path);
    struct stat now {};
    const bool same = seen != before_.end() && ::fstatat(folder, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
                      is_untouched(seen->second, now);
    std::optional<KnownEntry> known = same ? seen->second : look_at_entry(folder, name);
    if (known) inventory_.locked.emplace(path, *std::move(known));
  }

  int directory_;
  const LockedEntries& before_;
  GitInventory inventory_;
  std::vector<Waiting> waiting_;
  std::vector<std::string> logs_;
  size_t listed_ = 0;
};

bool is_as_it_was(int directory, const std::string& path, const KnownEntry& before) {
  struct stat now {};
  const char* name = path.empty() ? "." : path.c_str();
  return ::fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && is_untouched(before, now);
}

}  // namespace

// Git follows a link where it writes: the text of a commit, an index, a log. Only a HEAD may be one.
bool is_way_out(int folder, const FolderEntry& entry) {
  return entry.leads_elsewhere && !(entry.name == "HEAD" && link_target(folder, "HEAD").starts_with("refs/"));
}

GitInventory take_git_inventory(int directory, const LockedEntries& before) {
  return InventoryTaking(directory, before).run();
}

bool is_git_data(const std::string& path) {
  return std::ranges::find(data_folders, name_part(path)) != data_folders.end();
}

// A folder comes before what is in it, so no name here leads through one that was exchanged.
bool is_still_so(int directory, const GitInventory& inventory) {
  const auto holds = [&](const auto& known) { return is_as_it_was(directory, known.first, known.second); };
  return inventory.complete && std::ranges::all_of(inventory.folders, holds) &&
         std::ranges::all_of(inventory.locked, holds);
}

bool shows_rebase(const GitInventory& inventory) {
  return std::ranges::any_of(inventory.folders, [](const auto& folder) {
    const std::string name = name_part(folder.first);
    return name == "rebase-merge" || name == "rebase-apply" || name == "sequencer";
  });
}

}  // namespace talaria
