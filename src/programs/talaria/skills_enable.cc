// talaria skills enable and disable: which skills nobody is shown.
#include <algorithm>
#include <map>

#include "base/unseen.h"
#include "talaria/found_skill.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/skill_switch.h"
#include "talaria/skills.h"

namespace talaria {
namespace {

enum class SkillState { enabled, disabled };
enum class SwitchEnd { changed, as_before };

// What a person asked for, as skills.disabled is to say it.
struct SwitchPlan {
  std::vector<std::string> entries;
  std::map<std::string, std::string> shown;  // how an entry's skill is called to the person
  std::vector<std::string> unchanged;        // skills of which no entry speaks
  std::vector<std::string> unknown;          // names that no skill has

  void add(const std::string& entry, const std::string& name) {
    entries.push_back(entry);
    shown.emplace(entry, name);
  }
  // As an outcome names them, each once.
  std::vector<std::string> names_of(const std::vector<std::string>& changed) const {
    std::vector<std::string> names;
    for (const std::string& entry : changed) {
      const auto known = shown.find(entry);
      const std::string& name = known == shown.end() ? entry : known->second;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
  }
};

void add_found(SwitchPlan& plan, const std::string& asked, const FoundSkill& skill, SkillState wanted) {
  const bool is_its_name = same_skill(asked, skill.name) || same_skill(asked, skill.slug);
  const std::string& name = is_its_name ? asked : skill.name;
  if (wanted == SkillState::disabled) {
    return plan.add(skill.disabled_by.empty() ? name : skill.disabled_by.front(), name);
  }
  if (skill.disabled_by.empty()) plan.unchanged.push_back(name);
  for (const std::string& entry : skill.disabled_by) plan.add(entry, name);
}

// When the gateway cannot tell, the names are what they look like: the switch is in the configuration either way.
SwitchPlan plan_switch(const SkillsOptions& options, SkillState wanted) {
  SwitchPlan plan;
  const auto found = find_skills(options.words, options);
  for (size_t index = 0; index < options.words.size(); ++index) {
    const std::string& asked = options.words[index];
    if (found && (*found)[index]) {
      add_found(plan, asked, *(*found)[index], wanted);
      continue;
    }
    plan.add(asked, asked);
    if (found) plan.unknown.push_back(asked);
  }
  return plan;
}

std::string about_unknown(const std::string& name, SkillState wanted, SwitchEnd end) {
  const bool changed = end == SwitchEnd::changed;
  std::string text = "No skill here has the name " + name;
  if (wanted == SkillState::enabled) {
    return text + (changed ? "; skills.disabled names it no longer." : ", and skills.disabled does not name it.");
  }
  text += changed ? ". It is noted in skills.disabled, for when there is one"
                  : "; skills.disabled named it already, for when there is one";
  return text + ". Those there are: talaria skills list --all";
}

void tell_switched(const SwitchPlan& plan, const std::vector<std::string>& names, SkillState wanted, SwitchEnd end) {
  const std::string now = wanted == SkillState::enabled ? "enabled" : "disabled";
  for (const std::string& name : names) {
    if (std::ranges::find(plan.unknown, name) != plan.unknown.end()) {
      remark(shown_line(about_unknown(name, wanted, end)));
    } else {
      print_line(shown_line(name + (end == SwitchEnd::changed ? " is " + now + " now." : " was " + now + " already.")));
    }
  }
}

int switch_skills(const SkillsOptions& options, SkillState wanted) {
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  const SwitchPlan plan = plan_switch(options, wanted);
  const Result<SwitchOutcome> outcome =
      wanted == SkillState::enabled ? enable_skills(*home, plan.entries) : disable_skills(*home, plan.entries);
  if (!outcome) return fail(outcome.error());
  const std::vector<std::string> changed = plan.names_of(outcome->changed);
  std::vector<std::string> unchanged = plan.names_of(outcome->unchanged);
  unchanged.insert(unchanged.end(), plan.unchanged.begin(), plan.unchanged.end());
  if (options.json) {
    const auto list = [](const std::vector<std::string>& names) { return JsonArray(names.begin(), names.end()); };
    print_json(JsonObject{{"changed", list(changed)}, {"unchanged", list(unchanged)}, {"unknown", list(plan.unknown)}});
    return 0;
  }
  tell_switched(plan, changed, wanted, SwitchEnd::changed);
  tell_switched(plan, unchanged, wanted, SwitchEnd::as_before);
  return 0;
}

}  // namespace

int switch_on(const SkillsOptions& options) { return switch_skills(options, SkillState::enabled); }

int switch_off(const SkillsOptions& options) { return switch_skills(options, SkillState::disabled); }

}  // namespace talaria
