#include "api/skill_absence.h"

#include <algorithm>

#include "base/text.h"
#include "skills/skill_body_text.h"
#include "skills/slug.h"

namespace talaria {
namespace {

constexpr size_t most_names = 20;

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string quoted_skill(const std::string& name) { return "Skill '" + shortened(shown_line(name), 64) + "'"; }

// Whether a diagnostic of the catalog is about the folder that `name` asks for.
bool is_about(const CatalogDiagnostic& diagnostic, const std::string& name) {
  std::string_view folder = diagnostic.path;
  for (std::string_view file : {"/SKILL.md", "/skill.md"}) {
    if (folder.ends_with(file)) folder.remove_suffix(file.size());
  }
  const std::string wanted = "/" + folded_name(name), there = folded_name(folder);
  return wanted.size() > 1 && there.ends_with(wanted);
}

std::string unreadable_because(const CatalogView& view, const std::string& name) {
  for (const CatalogDiagnostic& one : view.diagnostics()) {
    if (is_about(one, name)) {
      return quoted_skill(name) + " is there, but cannot be loaded: " + shown_line(one.path) + ": " +
             shown_line(one.message) + ".";
    }
  }
  return "";
}

std::string shadowed_because(const CatalogView& view, const std::string& name) {
  for (const ShadowedSkill& one : view.shadowed()) {
    if (!is_about({Severity::note, one.skill->file, ""}, name)) continue;
    return quoted_skill(name) + " is there, but shadowed: " + shown_line(one.winner->file) + " has its name, " +
           quoted_line(one.skill->card.name) + ", and comes first. To have both, change the name in " +
           shown_line(one.skill->file) + ".";
  }
  return "";
}

// What may have been meant first. Each skill once, as it is found.
std::vector<std::string> other_names(const SkillSurroundings& around, const CatalogView& view,
                                     const std::string& name) {
  std::vector<const Skill*> skills;
  const auto add = [&](const Skill* skill) {
    if (skill && skills.size() < most_names && std::ranges::find(skills, skill) == skills.end())
      skills.push_back(skill);
  };
  for (const std::string& slug : view.names_like(name, most_names)) add(view.find(slug));
  for (const Skill* skill : visible_skills(view, around.available, SkillAudience::agent)) add(skill);
  std::vector<std::string> names;
  for (const Skill* skill : skills) {
    names.push_back(view.is_found_by_its_name(*skill) ? shown_line(skill->card.name) : skill->card.slug);
  }
  return names;
}

}  // namespace

JsonObject skill_failure(const std::string& error) { return {{"success", false}, {"error", error}}; }

std::string refused_wish(const SkillWish& wish) {
  if (has_control_character(wish.name)) {
    return "The name of a skill has no control characters such as line breaks: " + quoted_line(wish.name) +
           " is none. Use skills_list to see the names there are.";
  }
  if (has_control_character(wish.file_path)) {
    return "file_path has no control characters such as line breaks: " + quoted_line(wish.file_path) +
           " is no path of a skill's file.";
  }
  return "";
}

std::string refused_skill(const SkillSurroundings& around, const Skill& skill, SkillAudience audience) {
  if (const std::string entry = disabled_by(skill.card, around.available); !entry.empty()) {
    return quoted_skill(skill.card.name) + " is disabled. The owner can enable it: talaria skills enable " +
           shell_quote(entry);
  }
  if (audience != SkillAudience::slash) return "";
  const std::string why = no_slash_because(skill.card, around.available);
  if (why.empty()) return "";
  return quoted_skill(skill.card.name) + " is not called by a person here: " + shown_line(why) +
         ". To read it: talaria skills view " + skill.card.slug;
}

JsonObject skill_not_found(const SkillSurroundings& around, const CatalogView& view, const SkillRoots& roots,
                           const std::string& name) {
  if (const std::string why = unreadable_because(view, name); !why.empty()) return skill_failure(why);
  if (const std::string why = shadowed_because(view, name); !why.empty()) return skill_failure(why);
  JsonObject answer = skill_failure(quoted_skill(name) + " not found.");
  const std::vector<std::string> names = other_names(around, view, name);
  answer["available_skills"] = JsonArray(names.begin(), names.end());
  answer["hint"] = "Use skills_list to see all of them.";
  JsonArray diagnostics;
  for (const CatalogDiagnostic& one : roots.diagnostics) diagnostics.push_back(Json(one.message));
  if (!diagnostics.empty()) answer["diagnostics"] = std::move(diagnostics);
  return answer;
}

}  // namespace talaria
