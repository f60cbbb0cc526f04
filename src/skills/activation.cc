#include "skills/activation.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

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

std::string_view plain_platform(std::string_view platform) {
  if (platform == "darwin" || platform == "osx" || platform == "mac") return "macos";
  if (platform == "win32" || platform == "win") return "windows";
  return platform;
}

bool runs_on(const SkillCard& card, const std::string& platform) {
  return card.platforms.empty() || std::any_of(card.platforms.begin(), card.platforms.end(), [&](const auto& named) {
           return plain_platform(named) == plain_platform(platform);
         });
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

std::string alike(std::string_view name) {
  std::string text = lower(trim(name));
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

bool is_shown_to(const SkillCard& card, SkillAudience audience) {
  switch (audience) {
    case SkillAudience::agent: return card.model_invocable;
    case SkillAudience::person: return true;
    case SkillAudience::slash: return card.user_invocable;
  }
  return false;
}

std::set<std::string> disabled_alike(const SkillAvailability& availability) {
  std::set<std::string> names;
  for (const std::string& name : availability.disabled) {
    names.insert(alike(name));
    if (std::string slug = slug_of(name); !slug.empty()) names.insert(std::move(slug));
  }
  return names;
}

bool is_among(const std::set<std::string>& disabled, const SkillCard& card) {
  return !disabled.empty() && (disabled.contains(card.slug) || disabled.contains(alike(card.name)));
}

std::string hidden_by(const SkillCard& card, const SkillAvailability& availability,
                      const std::set<std::string>& disabled) {
  if (is_among(disabled, card)) return "skills.disabled names " + card.name;
  if (!runs_on(card, availability.platform)) {
    return "platforms names " + join(card.platforms, ", ") + ", and this is " + availability.platform;
  }
  const SkillConditions& conditions = card.conditions;
  std::string why = missing("requires_toolsets", conditions.requires_toolsets, availability.toolsets);
  if (why.empty()) why = missing("requires_tools", conditions.requires_tools, availability.tools);
  if (why.empty()) why = present("fallback_for_toolsets", conditions.fallback_for_toolsets, availability.toolsets);
  if (why.empty()) why = present("fallback_for_tools", conditions.fallback_for_tools, availability.tools);
  return why;
}

}  // namespace

bool is_disabled(const SkillCard& card, const SkillAvailability& availability) {
  return is_among(disabled_alike(availability), card);
}

std::string hidden_because(const SkillCard& card, const SkillAvailability& availability) {
  return hidden_by(card, availability, disabled_alike(availability));
}

std::vector<const Skill*> visible_skills(const CatalogView& view, const SkillAvailability& availability,
                                         SkillAudience audience) {
  const std::set<std::string> disabled = disabled_alike(availability);
  std::vector<const Skill*> visible;
  for (const Skill* skill : view.skills()) {
    if (is_shown_to(skill->card, audience) && hidden_by(skill->card, availability, disabled).empty()) {
      visible.push_back(skill);
    }
  }
  return visible;
}

}  // namespace talaria
