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
  return names;
}

std::string entry_for(const SkillCard& card, const DisabledNames& disabled) {
  if (disabled.empty()) return {};
  for (const std::string& name : {folded_name(card.name), card.slug}) {
    if (const auto entry = disabled.find(name); entry != disabled.end()) return entry->second;
  }
  return {};
}

std::string hidden_by(const SkillCard& card, const SkillAvailability& availability, const DisabledNames& disabled) {
  if (const std::string entry = entry_for(card, disabled); !entry.empty()) return "skills.disabled names " + entry;
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
