#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "skills/catalog_folder.h"

namespace talaria {

using CatalogFolders = std::vector<std::shared_ptr<const CatalogFolder>>;

// What a root has to show.
struct RootContent {
  std::vector<std::shared_ptr<const Skill>> skills;  // in the order of their paths
  std::map<std::string, std::string> blurbs;         // of categories
  std::vector<CatalogDiagnostic> diagnostics;
  bool operator==(const RootContent&) const = default;
};

// All that is known of a root, at one moment.
struct RootState {
  SkillOrigins origins;
  CatalogFolders folders;
  std::shared_ptr<const RootContent> content;  // null: the folders are from the index, and not compared yet
};

// How much was done, ever since.
struct CatalogWork {
  size_t sweeps = 0;
  size_t folders_checked = 0;    // compared with their stamps
  size_t folders_looked_at = 0;  // listed, and their files read
  bool operator==(const CatalogWork&) const = default;
};

// Looks at all folders of `before`, and reads what changed, or everything where nothing is known. Gives `before` back
// when nothing changed since. Uses two threads where there is much to do.
std::shared_ptr<const RootState> sweep_root(const SkillRoot& root, const std::shared_ptr<const RootState>& before,
                                            CatalogWork& work);

// One root for all sessions that have it. Any thread may call.
class CatalogRoot {
 public:
  // `remember` is called once, by the first sweep. What it gives may be of any age: nothing of it is shown before it
  // was compared.
  using Remember = std::function<CatalogFolders(const SkillRoot&)>;
  CatalogRoot(SkillRoot root, Remember remember) : root_(std::move(root)), remember_(std::move(remember)) {}

  struct Swept {
    std::shared_ptr<const RootState> state;
    int64_t looked_at_ns = 0;  // when the sweep began
  };
  // As things are now: the answer is from a sweep that began after this call.
  Swept sweep();

  const SkillRoot& root() const { return root_; }
  CatalogWork work() const;

  // The answer of the last sweep, without another.
  Swept last() const;

  // There is something that was not remembered, and not noted as saved.
  bool unsaved() const;
  void note_saved(const CatalogFolders& folders);

 private:
  const SkillRoot root_;
  std::atomic<uint64_t> tickets_ = 0;

  std::mutex sweeping_;  // taken before mutex_
  Remember remember_;
  uint64_t served_ = 0;  // all tickets up to this one have a sweep that began after them

  mutable std::mutex mutex_;
  Swept last_{std::make_shared<RootState>()};
  CatalogFolders saved_;
  CatalogWork work_;
};

}  // namespace talaria
