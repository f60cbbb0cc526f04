#include "talaria/skill_switch.h"

#include <algorithm>

#include "base/text.h"
#include "config/file.h"
#include "config/list_edit.h"
#include "config/settings.h"
#include "skills/skill_card.h"
#include "skills/slug.h"
#include "talaria/job_guard.h"

namespace talaria {
namespace {

constexpr const char* disabled_key = "skills.disabled";

std::vector<std::string> disabled_entries(const std::vector<std::string>& disabled, const std::string& name) {
  std::vector<std::string> entries;
  for (const std::string& entry : disabled) {
    if (same_skill(entry, name)) entries.push_back(entry);
  }
  return entries;
}

// By its slug a skill of another name may have been meant: the outcome names the entry then.
std::vector<std::string> entries_of_slug(const std::vector<std::string>& disabled, const std::string& name) {
  std::vector<std::string> entries;
  const std::string slug = slug_of(name);
  for (const std::string& entry : disabled) {
    if (!slug.empty() && slug_of(entry) == slug) entries.push_back(entry);
  }
  return entries;
}

// One name's part of the edit.
using Turn = Result<std::string> (*)(std::string text, const std::string& name,
                                     const std::vector<std::string>& disabled, SwitchOutcome& outcome);

Result<std::string> turn_off(std::string text, const std::string& name, const std::vector<std::string>& disabled,
                             SwitchOutcome& outcome) {
  const bool was_off = !disabled_entries(disabled, name).empty();
  (was_off ? outcome.unchanged : outcome.changed).push_back(name);
  return was_off ? Result(std::move(text)) : add_to_list(text, disabled_key, trim(name));
}

Result<std::string> turn_on(std::string text, const std::string& name, const std::vector<std::string>& disabled,
                            SwitchOutcome& outcome) {
  std::vector<std::string> entries = disabled_entries(disabled, name);
  if (!entries.empty()) {
    outcome.changed.push_back(name);
  } else {
    entries = entries_of_slug(disabled, name);
    outcome.changed.insert(outcome.changed.end(), entries.begin(), entries.end());
  }
  if (entries.empty()) outcome.unchanged.push_back(name);
  for (const std::string& entry : entries) text = TRY(remove_from_list(text, disabled_key, entry));
  return text;
}

Result<SwitchOutcome> turn_all(const Home& home, const std::vector<std::string>& names, Turn turn) {
  TRY(refuse_inside_job("skills cannot be enabled or disabled"));
  if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return trim(name).empty(); })) {
    return invalid("a name is empty");
  }
  TRY(home.prepare());
  SwitchOutcome outcome;
  TRY(edit_config_file(home.config(), [&](std::string_view before) -> Result<std::string> {
    std::string text(before);
    for (const std::string& name : names) {
      const Result<Settings> settings = parse_settings(text);
      if (!settings) return Error(settings.error().code(), home.config() + ":" + settings.error().message());
      text = TRY(turn(std::move(text), name, settings->skills.disabled, outcome));
    }
    return text;
  }));
  return outcome;
}

}  // namespace

bool same_skill(std::string_view one, std::string_view other) { return folded_name(one) == folded_name(other); }

Result<SwitchOutcome> disable_skills(const Home& home, const std::vector<std::string>& names) {
  return turn_all(home, names, turn_off);
}

Result<SwitchOutcome> enable_skills(const Home& home, const std::vector<std::string>& names) {
  return turn_all(home, names, turn_on);
}

}  // namespace talaria
