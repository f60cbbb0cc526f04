#include "skills/skill_card_needs.h"

#include <algorithm>

#include "base/text.h"
#include "skills/skill_body_text.h"

namespace talaria {

namespace {

constexpr size_t longest_setting_key = 200;

// What can be written into config.yaml and shown on a line of its own, whoever made it up.
bool is_setting_key(std::string_view key) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const std::vector<std::string> parts = split(key, '.');
  return key.size() <= longest_setting_key && std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return !part.empty() && std::all_of(part.begin(), part.end(), fits);
         });
}

class Needs {
 public:
  Needs(CardFields& fields, SkillCard& card) : fields_(fields), card_(card) {}

  // The first declaration of a variable counts.
  void add_variable(std::string_view field, EnvironmentNeed need) {
    if (card_.environment.size() >= most_needs) return;
    if (need.name.empty()) return fields_.warn(field, "an entry has no name; ignored");
    if (!is_variable(need.name)) {
      return fields_.warn(field, "\"" + need.name + "\" is not the name of a variable; ignored");
    }
    const auto same = [&](const EnvironmentNeed& other) { return other.name == need.name; };
    if (std::any_of(card_.environment.begin(), card_.environment.end(), same)) return;
    if (need.prompt.empty()) need.prompt = "Enter value for " + need.name;
    card_.environment.push_back(std::move(need));
  }

  void add_variables(const JsonObject& map, std::string_view field, const std::string& help) {
    for (const JsonObject& entry : fields_.maps(map, field, "name")) {
      EnvironmentNeed need;
      need.name = fields_.text(entry, {"name", "env_var"});
      need.prompt = fields_.text(entry, {"prompt"});
      need.help = fields_.text(entry, {"help", "provider_url", "url"});
      if (need.help.empty()) need.help = help;
      need.required_for = fields_.text(entry, {"required_for"});
      add_variable(field, std::move(need));
    }
  }

  void add_commands(const JsonObject& map, std::string_view field) {
    for (std::string& command : fields_.names(map, field)) {
      if (is_full(card_.commands.size(), field)) return;
      const bool known = std::find(card_.commands.begin(), card_.commands.end(), command) != card_.commands.end();
      if (!known) card_.commands.push_back(std::move(command));
    }
  }

  void add_credentials(const JsonObject& map) {
    constexpr std::string_view field = "required_credential_files";
    for (const JsonObject& entry : fields_.maps(map, field, "path")) {
      CredentialNeed need{fields_.text(entry, {"path", "name"}), fields_.text(entry, {"description"})};
      const auto same = [&](const CredentialNeed& other) { return other.path == need.path; };
      if (is_full(card_.credentials.size(), field)) return;
      if (need.path.empty()) fields_.warn(field, "an entry has no path; ignored");
      else if (std::none_of(card_.credentials.begin(), card_.credentials.end(), same)) {
        card_.credentials.push_back(std::move(need));
      }
    }
  }

  void add_settings(const JsonObject& hermes) {
    constexpr std::string_view field = "config";
    add_plain_settings(hermes, field);
    // config.yaml has either a value or a section in one place.
    const std::vector<SkillSetting> all = card_.settings;
    std::erase_if(card_.settings, [&](const SkillSetting& setting) {
      const auto below = [&](const SkillSetting& other) { return other.key.starts_with(setting.key + "."); };
      const auto longer = std::find_if(all.begin(), all.end(), below);
      if (longer == all.end()) return false;
      fields_.warn(field, "\"" + setting.key + "\" is the section that holds \"" + longer->key + "\"; ignored");
      return true;
    });
  }

 private:
  void add_plain_settings(const JsonObject& hermes, std::string_view field) {
    for (const JsonObject& entry : fields_.maps(hermes, field, "key")) {
      SkillSetting setting;
      setting.key = fields_.text(entry, "key");
      setting.description = fields_.text(entry, "description");
      if (setting.key.empty()) {
        fields_.warn(field, "an entry has no key; ignored");
        continue;
      }
      if (setting.description.empty()) {
        fields_.warn(field, "\"" + setting.key + "\" has no description; ignored");
        continue;
      }
      if (!is_setting_key(setting.key)) {
        fields_.warn(field, "\"" + shortened(setting.key, 60) +
                                "\" is no key: names of letters, digits, - and _, with dots between them; ignored");
        continue;
      }
      if (is_full(card_.settings.size(), field)) return;
      const auto same = [&](const SkillSetting& other) { return other.key == setting.key; };
      if (std::any_of(card_.settings.begin(), card_.settings.end(), same)) {
        fields_.note(field, "\"" + setting.key + "\" is there twice; the first one counts");
        continue;
      }
      setting.prompt = fields_.text(entry, "prompt");
      if (setting.prompt.empty()) setting.prompt = setting.description;
      const auto value = entry.find("default");
      if (value != entry.end() && !value->value().is_null()) {
        setting.default_value = scalar_text(value->value()).value_or(write_json(value->value()));
      }
      card_.settings.push_back(std::move(setting));
    }
  }

  // Every list is compared with itself, so a long one would cost its square.
  static constexpr size_t most_needs = 200;
  bool is_full(size_t count, std::string_view field) {
    if (count < most_needs) return false;
    fields_.warn(field, "more than " + std::to_string(most_needs) + " entries; the rest is ignored");
    return true;
  }

  CardFields& fields_;
  SkillCard& card_;
};

}  // namespace

bool is_variable(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), fits);
}

void read_needs(const FrontMatter& matter, const JsonObject& metadata, const JsonObject& hermes, CardFields& fields,
                SkillCard& card) {
  Needs needs(fields, card);
  const JsonObject& setup = fields.map(matter.fields, "setup");
  const JsonObject& prerequisites = fields.map(matter.fields, "prerequisites");
  const std::string help = fields.text(setup, "help");
  needs.add_variables(matter.fields, "required_environment_variables", help);
  needs.add_variables(setup, "collect_secrets", help);
  needs.add_variables(prerequisites, "env_vars", help);
  needs.add_commands(prerequisites, "commands");
  for (std::string_view space : {"openclaw", "clawdbot", "moltbot"}) {
    if (!metadata.contains(space)) continue;
    const JsonObject& needed = fields.map(fields.map(metadata, space), "requires");
    needs.add_variables(needed, "env", "");
    needs.add_commands(needed, "bins");
  }
  needs.add_credentials(matter.fields);
  needs.add_settings(hermes);
}

}  // namespace talaria
