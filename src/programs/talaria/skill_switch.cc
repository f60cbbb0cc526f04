#include "talaria/skill_switch.h"

#include <algorithm>

#include "base/text.h"
#include "config/file.h"
#include "config/list_edit.h"
#include "config/settings.h"
#include "talaria/job_guard.h"

namespace talaria {
namespace {

constexpr const char* disabled_key = "skills.disabled";

std::string comparable(std::string_view name) {
  std::string text = lower(trim(name));
  for (char& c : text) {
    if (c == '_' || c == ' ') c = '-';
  }
  return text;
}

std::vector<std::string> disabled_entries(const std::vector<std::string>& disabled, const std::string& name) {
  std::vector<std::string> entries;
  for (const std::string& entry : disabled) {
    if (same_skill(entry, name)) entries.push_back(entry);
  }
  return entries;
}

// One name's part of the edit.
using Turn = Result<std::string> (*)(std::string text, const std::string& name,
                                     const std::vector<std::string>& entries);

Result<std::string> turn_off(std::string text, const std::string& name, const std::vector<std::string>& entries) {
  return entries.empty() ? add_to_list(text, disabled_key, trim(name)) : Result(std::move(text));
}

Result<std::string> turn_on(std::string text, const std::string&, const std::vector<std::string>& entries) {
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
      std::string after = TRY(turn(text, name, disabled_entries(settings->skills.disabled, name)));
      (after == text ? outcome.unchanged : outcome.changed).push_back(name);
      text = std::move(after);
    }
    return text;
  }));
  return outcome;
}

}  // namespace

bool same_skill(std::string_view one, std::string_view other) { return comparable(one) == comparable(other); }

Result<SwitchOutcome> disable_skills(const Home& home, const std::vector<std::string>& names) {
  return turn_all(home, names, turn_off);
}

Result<SwitchOutcome> enable_skills(const Home& home, const std::vector<std::string>& names) {
  return turn_all(home, names, turn_on);
}

}  // namespace talaria
