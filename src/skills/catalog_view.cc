#include "skills/catalog_view.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace talaria {
namespace {

// What two spellings of one name have in common.
std::string folded(std::string_view name) {
  std::string text = lower(trim(name));
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string_view folder_name(const Skill& skill) {
  return std::string_view(skill.directory).substr(skill.directory.rfind('/') + 1);
}

bool is_one_file(const Skill& one, const Skill& other) {
  return one.stamp.inode == other.stamp.inode && one.stamp.device == other.stamp.device;
}

bool is_named_before(const Skill* one, const Skill* other) {
  const int names = one->card.name.compare(other->card.name);
  return names != 0 ? names < 0 : one->card.slug < other->card.slug;
}

// By category, then by name. There are few categories, and in one the names have mostly their order already.
std::vector<const Skill*> in_order(const std::vector<const Skill*>& skills) {
  std::map<std::string_view, std::vector<const Skill*>> categories;
  std::vector<const Skill*>* category = nullptr;
  for (const Skill* skill : skills) {
    if (!category || category->back()->category != skill->category) category = &categories[skill->category];
    category->push_back(skill);
  }
  std::vector<const Skill*> ordered;
  ordered.reserve(skills.size());
  for (auto& [name, members] : categories) {
    if (!std::is_sorted(members.begin(), members.end(), is_named_before)) {
      std::sort(members.begin(), members.end(), is_named_before);
    }
    ordered.insert(ordered.end(), members.begin(), members.end());
  }
  return ordered;
}

size_t count_skills(const std::vector<std::shared_ptr<const RootContent>>& roots) {
  size_t count = 0;
  for (const auto& root : roots) count += root->skills.size();
  return count;
}

bool answers_to(const Skill& skill, const std::string& name, const std::string& slug) {
  return skill.card.slug == slug || folded(skill.card.name) == name || folded(folder_name(skill)) == name;
}

}  // namespace

CatalogView::CatalogView(std::vector<std::shared_ptr<const RootContent>> roots,
                         std::vector<CatalogDiagnostic> index_problems)
    : roots_(std::move(roots)),
      index_problems_(std::move(index_problems)),
      diagnostics_(index_problems_),
      by_slug_(count_skills(roots_)) {
  skills_.reserve(count_skills(roots_));
  for (const auto& root : roots_) {
    diagnostics_.insert(diagnostics_.end(), root->diagnostics.begin(), root->diagnostics.end());
    for (const auto& skill : root->skills) {
      const Skill* winner = by_slug_.add(skill.get());
      if (winner == skill.get()) {
        skills_.push_back(winner);
      } else if (!is_one_file(*skill, *winner)) {
        shadowed_.push_back({skill.get(), winner});
      }
    }
  }
  // In the order of precedence still: the first to have a name keeps it, and a name goes before a folder.
  for (const Skill* skill : skills_) {
    if (skill->card.name != skill->card.slug) by_other_name_.emplace(folded(skill->card.name), skill);
  }
  for (const Skill* skill : skills_) {
    if (folder_name(*skill) != skill->card.slug) by_other_name_.emplace(folded(folder_name(*skill)), skill);
  }
  skills_ = in_order(skills_);
}

std::string_view CatalogView::blurb(const std::string& category) const {
  for (const auto& root : roots_) {
    const auto found = root->blurbs.find(category);
    if (found != root->blurbs.end()) return found->second;
  }
  return {};
}

const Skill* CatalogView::find(std::string_view name) const {
  name = trim(name);
  if (const Skill* skill = find_plain(name)) return skill;
  const size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return nullptr;
  return find_in_category(name.substr(0, slash), name.substr(slash + 1));
}

const Skill* CatalogView::find_plain(std::string_view name) const {
  const std::string wanted = folded(name);
  if (const Skill* exact = by_slug_.find(wanted)) return exact;
  const auto other = by_other_name_.find(wanted);
  if (other != by_other_name_.end()) return other->second;
  // A category before the name is no part of the slug.
  if (name.find('/') != std::string_view::npos) return nullptr;
  return by_slug_.find(slug_of(name));
}

const Skill* CatalogView::find_in_category(std::string_view category, std::string_view name) const {
  const std::string wanted = folded(category);
  const Skill* plain = find_plain(name);
  if (plain && folded(plain->category) == wanted) return plain;
  const std::string slug = slug_of(name);
  const auto fits = [&, plain_name = folded(name)](const Skill& skill) {
    return skill.category.size() == wanted.size() && folded(skill.category) == wanted &&
           answers_to(skill, plain_name, slug);
  };
  for (const Skill* skill : skills_) {
    if (fits(*skill)) return skill;
  }
  for (const ShadowedSkill& shadowed : shadowed_) {
    if (fits(*shadowed.skill)) return shadowed.skill;
  }
  return nullptr;
}

std::vector<const Skill*> CatalogView::shadowed_by(const Skill& skill) const {
  std::vector<const Skill*> others;
  for (const ShadowedSkill& shadowed : shadowed_) {
    if (shadowed.winner == &skill) others.push_back(shadowed.skill);
  }
  return others;
}

std::vector<std::string> CatalogView::names_like(std::string_view name, size_t most) const {
  const size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  std::vector<std::string> names;
  names.reserve(skills_.size());
  for (const Skill* skill : skills_) names.push_back(skill->card.slug);
  return nearest(slug_of(name), names, most);
}

}  // namespace talaria
