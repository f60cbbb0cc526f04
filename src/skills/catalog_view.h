#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "skills/catalog_diagnostic.h"
#include "skills/catalog_names.h"
#include "skills/catalog_root.h"
#include "skills/catalog_slugs.h"
#include "skills/skill.h"

namespace talaria {

// The skills of some roots at one moment; it never changes, and what it points to lives as long as it does.
class CatalogView {
 public:
  // Roots in their order of precedence.
  explicit CatalogView(std::vector<std::shared_ptr<const RootContent>> roots,
                       std::vector<CatalogDiagnostic> index_problems = {});
  CatalogView(const CatalogView&) = delete;
  CatalogView& operator=(const CatalogView&) = delete;

  // No two have one slug. By category, then by name.
  const std::vector<const Skill*>& skills() const { return skills_; }
  // The very file of the winner, found by another path, is none.
  const std::vector<ShadowedSkill>& shadowed() const { return slugs_.shadowed; }
  // Those of skills() whose slug is not that of their name.
  const std::vector<RenamedSkill>& renamed() const { return slugs_.renamed; }
  // Of roots and of the index; those of a skill are on its card.
  const std::vector<CatalogDiagnostic>& diagnostics() const { return diagnostics_; }
  // What a category's DESCRIPTION.md says of it, or empty.
  std::string_view blurb(const std::string& category) const;

  // By the name as it is written, else by slug, name or folder in any spelling, or by one of these after the category.
  // A shadowed skill is found only by a category that its winner does not have. Null: none.
  const Skill* find(std::string_view name) const;
  // Not so where several have one displayed name and slugs of their own.
  bool is_found_by_its_name(const Skill& skill) const {
    return skill.card.name == skill.card.slug || find(skill.card.name) == &skill;
  }
  // The skills that `skill` keeps from being found by its name.
  std::vector<const Skill*> shadowed_by(const Skill& skill) const;
  // Names that someone who wrote `name` may have meant, nearest first.
  std::vector<std::string> names_like(std::string_view name, size_t most = 5) const;

  // What it was made of.
  const std::vector<std::shared_ptr<const RootContent>>& roots() const { return roots_; }
  const std::vector<CatalogDiagnostic>& index_problems() const { return index_problems_; }

 private:
  const Skill* find_plain(std::string_view name) const;
  const Skill* find_in_category(std::string_view category, std::string_view name) const;

  std::vector<std::shared_ptr<const RootContent>> roots_;
  std::vector<CatalogDiagnostic> index_problems_;
  SlugOutcome slugs_;
  std::vector<const Skill*> skills_;
  std::vector<CatalogDiagnostic> diagnostics_;
  SlugTable by_slug_;
  std::unordered_map<std::string_view, const Skill*> by_exact_name_;  // those that are no slugs
  std::unordered_map<std::string, const Skill*> by_other_name_;       // names and folders that differ from the slug
};

}  // namespace talaria
