#include "skills/catalog.h"

#include <fcntl.h>

#include <algorithm>
#include <set>

#include "skills/catalog_codec.h"
#include "skills/index_file.h"

namespace talaria {
namespace {

constexpr size_t most_slots = 64;
constexpr auto trusted_for = 1s;
constexpr auto quick_refresh = 1ms;

bool shows_same(const CatalogView& one, const CatalogView& other) {
  return one.roots() == other.roots() && one.index_problems() == other.index_problems();
}

bool began_before(const std::vector<CatalogRoot::Swept>& one, const std::vector<CatalogRoot::Swept>& other) {
  return std::lexicographical_compare(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const CatalogRoot::Swept& a, const CatalogRoot::Swept& b) { return a.looked_at_ns < b.looked_at_ns; });
}

// The skill's file, and what decides its trust, are those that were swept.
bool is_current(const Skill& skill, const std::vector<SkillRoot>& places,
                const std::vector<CatalogRoot::Swept>& swept) {
  for (size_t i = 0; i < places.size(); ++i) {
    // What was settled when the sweep began has not changed since if its stamp is the same.
    if (!is_settled(skill.stamp, swept[i].looked_at_ns)) return false;
    if (places[i].source != SkillSource::home) continue;
    if (!is_same(swept[i].state->origins.seen, AT_FDCWD, (places[i].path + "/" + origins_file).c_str())) return false;
  }
  return is_same({.stamp = skill.stamp, .failure = 0, .settled = true}, AT_FDCWD, skill.file.c_str());
}

}  // namespace

Catalog::Catalog(std::string index_file, Now now) : index_path_(std::move(index_file)), now_(std::move(now)) {}

std::shared_ptr<const CatalogView> Catalog::refresh(const std::vector<SkillRoot>& places) {
  const Clock::time_point began = now_();
  std::unique_lock lock(mutex_);
  const std::vector<std::shared_ptr<CatalogRoot>> roots = slot_of(places).roots;
  lock.unlock();

  std::vector<CatalogRoot::Swept> swept;
  std::vector<std::shared_ptr<const RootContent>> contents;
  for (const auto& root : roots) {
    swept.push_back(root->sweep());
    contents.push_back(swept.back().state->content);
  }
  std::shared_ptr<const CatalogView> view = view_of(places, std::move(contents));

  lock.lock();
  Slot& slot = slot_of(places);
  // Another thread may have been quicker with the same, or have seen more.
  if (slot.view && shows_same(*slot.view, *view)) view = slot.view;
  if (began_before(swept, slot.swept)) return view;
  slot.view = view;
  slot.swept = std::move(swept);
  slot.refreshed_at = began;
  slot.took = now_() - began;
  return view;
}

// The view there is, if nothing changed.
std::shared_ptr<const CatalogView> Catalog::view_of(const std::vector<SkillRoot>& places,
                                                    std::vector<std::shared_ptr<const RootContent>> contents) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<const CatalogView> before = slot_of(places).view;
  std::vector<CatalogDiagnostic> problems;
  if (!index_problem_.empty()) problems.push_back({Severity::warning, index_path_, index_problem_});
  lock.unlock();
  if (before && before->roots() == contents && before->index_problems() == problems) return before;
  return std::make_shared<const CatalogView>(std::move(contents), std::move(problems));
}

std::shared_ptr<const CatalogView> Catalog::recent(const std::vector<SkillRoot>& places) const {
  const std::lock_guard lock(mutex_);
  const auto slot = find_slot(places);
  return slot == slots_.end() ? nullptr : slot->view;
}

SkillLookUp Catalog::look_up(const std::vector<SkillRoot>& places, std::string_view name) {
  std::unique_lock lock(mutex_);
  const Slot slot = slot_of(places);
  lock.unlock();
  if (slot.view) {
    const bool old = now_() - slot.refreshed_at > trusted_for;
    const bool refresh_first = old && slot.took < quick_refresh;
    const Skill* skill = refresh_first ? nullptr : slot.view->find(name);
    if (skill && is_current(*skill, places, slot.swept)) return {slot.view, skill, old};
  }
  SkillLookUp found{.view = refresh(places)};
  found.skill = found.view->find(name);
  return found;
}

std::list<Catalog::Slot>::const_iterator Catalog::find_slot(const std::vector<SkillRoot>& places) const {
  return std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.places == places; });
}

Catalog::Slot& Catalog::slot_of(const std::vector<SkillRoot>& places) {
  const auto known = find_slot(places);
  if (known != slots_.end()) {
    slots_.splice(slots_.begin(), slots_, known);
    return slots_.front();
  }
  Slot slot;
  slot.places = places;
  for (const SkillRoot& place : places) slot.roots.push_back(open_root(place));
  slots_.push_front(std::move(slot));
  if (slots_.size() > most_slots) slots_.pop_back();
  return slots_.front();
}

std::shared_ptr<CatalogRoot> Catalog::open_root(const SkillRoot& place) {
  for (const Slot& slot : slots_) {
    for (const auto& root : slot.roots) {
      if (root->root() == place) return root;
    }
  }
  return std::make_shared<CatalogRoot>(place, [this](const SkillRoot& root) { return remember(root); });
}

CatalogFolders Catalog::remember(const SkillRoot& root) {
  Result<CatalogFolders> folders = load_root(index_path_, root);
  if (folders) return std::move(*folders);
  const std::lock_guard lock(mutex_);
  index_problem_ = "the index of skills is made anew, for this one cannot be used: " + folders.error().message();
  return {};
}

std::vector<std::shared_ptr<CatalogRoot>> Catalog::all_roots() const {
  const std::lock_guard lock(mutex_);
  std::set<std::shared_ptr<CatalogRoot>> roots;
  for (const Slot& slot : slots_) roots.insert(slot.roots.begin(), slot.roots.end());
  return {roots.begin(), roots.end()};
}

bool Catalog::unsaved() const {
  const std::vector<std::shared_ptr<CatalogRoot>> roots = all_roots();
  return std::any_of(roots.begin(), roots.end(), [](const auto& root) { return root->unsaved(); });
}

Result<> Catalog::save() {
  const std::lock_guard saving(saving_);
  if (!unsaved()) return ok;
  std::vector<IndexSection> sections;
  std::set<std::string> paths;
  for (const auto& root : all_roots()) {
    const std::shared_ptr<const RootState> state = root->last().state;
    // Also when this fails: it would fail again, until there is something new to write.
    root->note_saved(state->folders);
    if (state->folders.empty() || !paths.insert(root->root().path).second) continue;
    sections.push_back({root->root().path, epoch_ms(), encode_folders(state->folders)});
  }
  Result<> saved = save_roots(index_path_, std::move(sections));
  const std::lock_guard lock(mutex_);
  index_problem_ = saved ? "" : "the index of skills cannot be kept for the next start: " + saved.error().message();
  return saved;
}

CatalogWork Catalog::work() const {
  CatalogWork sum;
  for (const auto& root : all_roots()) {
    const CatalogWork work = root->work();
    sum.sweeps += work.sweeps;
    sum.folders_checked += work.folders_checked;
    sum.folders_looked_at += work.folders_looked_at;
  }
  return sum;
}

}  // namespace talaria
