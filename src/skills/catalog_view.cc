#include "skills/catalog_view.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "skills/slug.h"

namespace talaria {
namespace {

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

// How well a name fits a skill: the lower the better; nothing: not at all.
std::optional<int> fit(const Skill& skill, std::string_view name) {
  if (skill.card.name == name) return 0;
  const std::string folded = folded_name(name);
  if (folded_name(folder_name(skill)) == folded) return 1;
  if (folded_name(skill.card.name) == folded || skill.card.slug == slug_of(name)) return 2;
  return std::nullopt;
}

}  // namespace

CatalogView::CatalogView(std::vector<std::shared_ptr<const RootContent>> roots,
                         std::vector<CatalogDiagnostic> index_problems)
    : roots_(std::move(roots)),
      index_problems_(std::move(index_problems)),
      slugs_(give_out_slugs(roots_)),
      diagnostics_(index_problems_),
      by_slug_(slugs_.skills.size()) {
  for (const auto& root : roots_) {
    diagnostics_.insert(diagnostics_.end(), root->diagnostics.begin(), root->diagnostics.end());
  }
  // In the order of precedence: the first to have a name keeps it, and a name goes before a folder.
  for (const Skill* skill : slugs_.skills) by_slug_.add(skill);
  for (const Skill* skill : slugs_.skills) {
    if (skill->card.name == skill->card.slug) continue;
    // One that goes by another slug than its name may be called as another goes by.
    if (!by_slug_.find(skill->card.name)) by_exact_name_.emplace(skill->card.name, skill);
    by_other_name_.emplace(folded_name(skill->card.name), skill);
  }
  for (const Skill* skill : slugs_.skills) {
    if (folder_name(*skill) != skill->card.slug) by_other_name_.emplace(folded_name(folder_name(*skill)), skill);
  }
  for (const RenamedSkill& one : slugs_.renamed) by_other_name_.emplace(slug_of(one.skill->card.name), one.skill.get());
  skills_ = in_order(slugs_.skills);
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
  if (const auto exact = by_exact_name_.find(name); exact != by_exact_name_.end()) return exact->second;
  const std::string wanted = folded_name(name);
  if (const Skill* skill = by_slug_.find(wanted)) return skill;
  if (const auto other = by_other_name_.find(wanted); other != by_other_name_.end()) return other->second;
  // A category before the name is no part of the slug.
  if (name.find('/') != std::string_view::npos) return nullptr;
  return by_slug_.find(slug_of(name));
}

const Skill* CatalogView::find_in_category(std::string_view category, std::string_view name) const {
  const std::string wanted = folded_name(category);
  const auto is_there = [&](const Skill& skill) {
    return skill.category.size() == wanted.size() && folded_name(skill.category) == wanted;
  };
  const Skill* plain = find_plain(name);
  if (plain && is_there(*plain)) return plain;
  const Skill* best = nullptr;
  std::optional<int> best_fit;
  const auto consider = [&](const Skill* skill) {
    const std::optional<int> fits = is_there(*skill) ? fit(*skill, name) : std::nullopt;
    if (!fits || (best_fit && *best_fit <= *fits)) return;
    best = skill;
    best_fit = fits;
  };
  for (const Skill* skill : skills_) consider(skill);
  if (best) return best;
  for (const ShadowedSkill& shadowed : slugs_.shadowed) consider(shadowed.skill);
  return best;
}

std::vector<const Skill*> CatalogView::shadowed_by(const Skill& skill) const {
  std::vector<const Skill*> others;
  for (const ShadowedSkill& shadowed : slugs_.shadowed) {
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
