#include "skills/activation.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"
#include "skills/slug.h"

namespace talaria {
namespace {

// Other names of what a skill asks for: those of the program that most skills were written for.
std::vector<std::string> names_for(const std::string& wanted) {
  if (wanted == "terminal") return {wanted, "exec"};
  if (wanted == "code_execution") return {wanted, "code", "execute_code"};
  return {wanted};
}

bool has(const std::set<std::string>& available, const std::string& wanted) {
  const std::vector<std::string> names = names_for(wanted);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return available.contains(name); });
}

std::string missing(std::string_view field, const std::vector<std::string>& wanted,
                    const std::set<std::string>& available) {
  for (const std::string& name : wanted) {
    if (!has(available, name)) return std::string(field) + " names " + name + ", which is not available";
  }
  return {};
}

std::string present(std::string_view field, const std::vector<std::string>& unwanted,
                    const std::set<std::string>& available) {
  for (const std::string& name : unwanted) {
    if (has(available, name)) return std::string(field) + " names " + name + ", which is available";
  }
  return {};
}

bool is_shown_to(const SkillCard& card, SkillAudience audience) {
  switch (audience) {
    case SkillAudience::agent: return card.model_invocable;
    case SkillAudience::person: return true;
    case SkillAudience::slash: return card.user_invocable;
  }
  return false;
}

// Entries of skills.disabled as they are compared, with each as it was written.
using DisabledNames = std::map<std::string, std::string>;

DisabledNames disabled_names(const SkillAvailability& availability) {
  DisabledNames names;
  for (const std::string& name : availability.disabled) names.emplace(folded_name(name), name);
  for (const auto& [slug, entry] : availability.disabled_folders) names.emplace(slug, entry);
  return names;
}

std::string entry_for(const SkillCard& card, const DisabledNames& disabled) {
  if (disabled.empty()) return {};
  for (const std::string& name : {folded_name(card.name), card.slug}) {
    if (const auto entry = disabled.find(name); entry != disabled.end()) return entry->second;
  }
  return {};
}

bool is_name_of(const SkillCard& card, const std::string& folded) {
  return folded == folded_name(card.name) || folded == card.slug;
}

// Not every look-up counts: one that finds a skill by a slug alone may mean another, which is not here.
bool means_folder_of(const std::string& entry, const Skill& skill, const CatalogView& view) {
  const std::string folded = folded_name(entry);
  if (is_name_of(skill.card, folded) || view.find(entry) != &skill || view.find(skill.card.slug) != &skill)
    return false;
  const size_t slash = folded.rfind('/');
  if (slash == std::string::npos) return folded == folded_name(folder_name(skill));
  const std::string last = folded.substr(slash + 1);
  return last == folded_name(folder_name(skill)) || is_name_of(skill.card, last);
}

std::string hidden_by(const SkillCard& card, const SkillAvailability& availability, const DisabledNames& disabled) {
  if (const std::string entry = entry_for(card, disabled); !entry.empty()) return "skills.disabled names " + entry;
  const SkillConditions& conditions = card.conditions;
  std::string why = other_platform_because(card, availability.platform);
  if (why.empty()) why = missing("requires_toolsets", conditions.requires_toolsets, availability.toolsets);
  if (why.empty()) why = missing("requires_tools", conditions.requires_tools, availability.tools);
  if (why.empty()) why = present("fallback_for_toolsets", conditions.fallback_for_toolsets, availability.toolsets);
  if (why.empty()) why = present("fallback_for_tools", conditions.fallback_for_tools, availability.tools);
  return why;
}

}  // namespace

void count_disabled_folders(SkillAvailability& availability, const CatalogView& view) {
  availability.disabled_folders.clear();
  for (const std::string& entry : availability.disabled) {
    const Skill* skill = view.find(entry);
    if (skill && means_folder_of(entry, *skill, view)) availability.disabled_folders.emplace(skill->card.slug, entry);
  }
}

std::vector<std::string> disabling_entries(const Skill& skill, const SkillAvailability& availability,
                                           const CatalogView& view) {
  std::vector<std::string> entries;
  for (const std::string& entry : availability.disabled) {
    if (is_name_of(skill.card, folded_name(entry)) || means_folder_of(entry, skill, view)) entries.push_back(entry);
  }
  return entries;
}

std::string disabled_by(const SkillCard& card, const SkillAvailability& availability) {
  return entry_for(card, disabled_names(availability));
}

std::string hidden_because(const SkillCard& card, const SkillAvailability& availability) {
  return hidden_by(card, availability, disabled_names(availability));
}

std::string hidden_from_agents_because(const SkillCard& card) {
  return card.model_invocable ? "" : "disable-model-invocation is true, so it is for a person to call";
}

std::string no_slash_because(const SkillCard& card, const SkillAvailability& availability) {
  return card.user_invocable ? hidden_because(card, availability) : "user-invocable is false";
}

std::string slash_name(const SkillCard& card) { return "/" + card.slug; }

std::vector<const Skill*> visible_skills(const CatalogView& view, const SkillAvailability& availability,
                                         SkillAudience audience) {
  const DisabledNames disabled = disabled_names(availability);
  std::vector<const Skill*> visible;
  for (const Skill* skill : view.skills()) {
    if (is_shown_to(skill->card, audience) && hidden_by(skill->card, availability, disabled).empty()) {
      visible.push_back(skill);
    }
  }
  return visible;
}

}  // namespace talaria
