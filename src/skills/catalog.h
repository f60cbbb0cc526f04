#pragma once
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "skills/catalog_view.h"
#include "skills/skill_roots.h"

namespace talaria {

// What look_up found.
struct SkillLookUp {
  std::shared_ptr<const CatalogView> view;  // the one that was asked
  const Skill* skill = nullptr;             // of the view; null: it has none of that name
  bool refresh_due = false;                 // the caller should call refresh, when it has answered
};

// All skills of all sessions. What two sessions have in common is held once, and kept in the index file for the next
// start. Any thread may call; what blocks is for workers.
class Catalog {
 public:
  using Now = std::function<Clock::time_point()>;
  explicit Catalog(std::string index_file, Now now = Clock::now);

  // Blocks. Everything that was changed before the call is in the answer; when nothing was, it is the same view.
  std::shared_ptr<const CatalogView> refresh(const std::vector<SkillRoot>& roots);

  // The view of the last refresh, without a look at the disk; null when there was none.
  std::shared_ptr<const CatalogView> recent(const std::vector<SkillRoot>& roots) const;

  // Blocks for a look at the skill's file, and no longer if that is as it was at the last refresh; then only another
  // skill that would take its name may be missed, for as long as the caller takes to do what is due. Refreshes first
  // when there is no view, the view has no such skill, its file or the origins may have changed, or the last refresh is
  // older than a second and took less than a millisecond.
  SkillLookUp look_up(const std::vector<SkillRoot>& roots, std::string_view name);

  // There is something that the index file does not have.
  bool unsaved() const;
  // Blocks, also while another thread saves; does nothing when nothing is unsaved. For when the answer was given. What
  // fails is also a diagnostic of the next view, until it succeeds.
  Result<> save();

  CatalogWork work() const;

 private:
  struct Slot {  // of one list of roots
    std::vector<SkillRoot> places;
    std::vector<std::shared_ptr<CatalogRoot>> roots;
    std::shared_ptr<const CatalogView> view;  // null before the first refresh
    std::vector<CatalogRoot::Swept> swept;    // what the view is of
    Clock::time_point refreshed_at;
    Clock::duration took{};
  };

  Slot& slot_of(const std::vector<SkillRoot>& places);
  std::list<Slot>::const_iterator find_slot(const std::vector<SkillRoot>& places) const;
  std::shared_ptr<CatalogRoot> open_root(const SkillRoot& place);
  std::vector<std::shared_ptr<CatalogRoot>> all_roots() const;
  CatalogFolders remember(const SkillRoot& root);
  std::shared_ptr<const CatalogView> view_of(const std::vector<SkillRoot>& places,
                                             std::vector<std::shared_ptr<const RootContent>> contents);

  const std::string index_path_;
  const Now now_;
  std::mutex saving_;  // taken before mutex_
  mutable std::mutex mutex_;
  std::list<Slot> slots_;  // the one used last in front; all that have a root own it together
  std::string index_problem_;
};

}  // namespace talaria
