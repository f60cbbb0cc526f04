#include "talaria/import_config.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/edit.h"
#include "config/keys.h"
#include "config/list_edit.h"
#include "config/settings.h"
#include "config/skill_config.h"
#include "process/environment.h"
#include "process/secret_setting.h"
#include "talaria/skill_switch.h"
#include "yaml/yaml.h"

namespace talaria {
namespace {

using Kind = YamlNode::Kind;
using Texts = std::vector<std::string>;
using Outcome = ImportRow::Result;

enum class Shape { value, list, folders, skills, skill_config, trust };

// A key that has the same name and meaning in both programs.
struct SharedKey {
  std::string_view name;
  Shape shape;
};

constexpr std::array shared_keys{
    SharedKey{"terminal.env_passthrough", Shape::list},
    SharedKey{"terminal.timeout", Shape::value},
    SharedKey{"code_execution.timeout", Shape::value},
    SharedKey{"code_execution.max_tool_calls", Shape::value},
    SharedKey{"code_execution.mode", Shape::value},
    SharedKey{"skills.external_dirs", Shape::folders},
    SharedKey{"skills.trusted_project_dirs", Shape::trust},
    SharedKey{"skills.project_discovery", Shape::value},
    SharedKey{"skills.disabled", Shape::skills},
    SharedKey{"skills.template_vars", Shape::value},
    SharedKey{"skills.inline_shell", Shape::value},
    SharedKey{"skills.inline_shell_timeout", Shape::value},
    SharedKey{"skills.config", Shape::skill_config},
};

bool is_shared_section(const std::string& name) {
  return std::any_of(shared_keys.begin(), shared_keys.end(),
                     [&](const SharedKey& key) { return key.name.starts_with(name + "."); });
}

const SharedKey* find_shared(const std::string& name) {
  const auto found =
      std::find_if(shared_keys.begin(), shared_keys.end(), [&](const SharedKey& key) { return key.name == name; });
  return found == shared_keys.end() ? nullptr : &*found;
}

// Older YAML, which the other program reads, has more words for true and false.
std::string modern(const ConfigKey& key, const std::string& written) {
  if (key.kind != KeyKind::boolean) return written;
  const std::string word = lower(written);
  if (word == "yes" || word == "on") return "true";
  if (word == "no" || word == "off") return "false";
  return written;
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

class ConfigImporter {
 public:
  ConfigImporter(std::string_view ours, const ConfigImportRules& rules) : text_(ours), rules_(rules) {}

  Result<ConfigImport> run(std::string_view theirs) && {
    const YamlDocument document = TRY(YamlDocument::parse(theirs));
    const YamlNode& root = document.node(document.resolve(document.root_index()));
    if (root.kind != Kind::mapping && root.kind != Kind::null) return invalid("1:1: the file holds no settings");
    take_section(document, root, "");
    if (!rules_.skills_folder.empty()) join_list("skills.external_dirs", {rules_.skills_folder}, Shape::list);
    return ConfigImport{std::move(text_), std::move(rows_)};
  }

 private:
  void note(std::string_view name, Outcome result, const std::string& detail) {
    rows_.push_back({ImportRow::Kind::setting, std::string(name), result, detail});
  }

  void take_section(const YamlDocument& document, const YamlNode& section, const std::string& prefix) {
    for (const YamlEntry& entry : section.entries) {
      const std::string name = prefix + document.node(entry.key).text;
      const size_t index = document.resolve(entry.value);
      const YamlNode& value = document.node(index);
      const SharedKey* key = find_shared(name);
      const bool holds_keys = is_shared_section(name) && value.kind == Kind::mapping;
      if (value.kind == Kind::null) continue;
      if (key) take_key(document, *key, index);
      else if (holds_keys) take_section(document, value, name + ".");
      else note(name, Outcome::not_understood, is_shared_section(name) ? "is no section" : "");
    }
  }

  void take_key(const YamlDocument& document, const SharedKey& key, size_t index) {
    const YamlNode& node = document.node(index);
    switch (key.shape) {
      case Shape::value: return take_value(*find_config_key(key.name), node);
      case Shape::skill_config: return take_skill_config(document, index);
      case Shape::trust: return note(key.name, Outcome::by_hand, "trust is yours to give: talaria skills trust PATH");
      case Shape::list:
      case Shape::folders:
      case Shape::skills: break;
    }
    Texts items;
    bool texts_only = node.kind == Kind::scalar || node.kind == Kind::sequence;
    if (node.kind == Kind::scalar && !node.text.empty()) items.push_back(node.text);
    for (const size_t item : node.items) {
      const YamlNode& one = document.node(document.resolve(item));
      texts_only = texts_only && one.kind == Kind::scalar;
      if (one.kind == Kind::scalar && !one.text.empty()) items.push_back(one.text);
    }
    if (!texts_only) return note(key.name, Outcome::not_understood, "is no list of texts");
    join_list(key.name, items, key.shape);
  }

  void take_value(const ConfigKey& key, const YamlNode& node) {
    if (node.kind != Kind::scalar) return note(key.name, Outcome::not_understood, "is no single value");
    set(std::string(key.name), modern(key, node.text));
  }

  void take_skill_config(const YamlDocument& document, size_t index) {
    for (const auto& [name, value] : read_skill_config(document, index)) {
      if (trim(value).empty()) note("skills.config." + name, Outcome::kept, "theirs is empty");
      else set("skills.config." + name, value);
    }
  }

  void set(const std::string& key, const std::string& value) {
    const Result<std::optional<std::string>> now = get_key(text_, key);
    const bool is_set = now && now->has_value() && !trim(**now).empty();
    if (is_set && **now == value) return note(key, Outcome::kept, "the same here");
    if (is_set && rules_.existing == Existing::keep) return note(key, Outcome::kept, "here it is " + shown(key, **now));
    Result<std::string> edited = set_key(text_, key, value);
    if (!edited) return note(key, Outcome::not_understood, edited.error().message());
    text_ = std::move(*edited);
    note(key, Outcome::taken, shown(key, value));
  }

  static std::string shown(const std::string& key, const std::string& value) {
    return is_secret_setting(key, value) ? std::string(hidden_setting) : value;
  }

  // Relative to their home, and to the variable that names it.
  std::string folder(std::string path) const {
    path = replaced(replaced(std::move(path), "${HERMES_HOME}", rules_.root), "$HERMES_HOME", rules_.root);
    const bool relative = path[0] != '/' && path[0] != '~' && path[0] != '$';
    return relative ? rules_.root + "/" + path : path;
  }

  Texts items_here(std::string_view key) const {
    const Result<Settings> settings = parse_settings(text_);
    if (!settings) return {};
    if (key == "skills.external_dirs") return settings->skills.external_dirs;
    return key == "skills.disabled" ? settings->skills.disabled : settings->terminal.env_passthrough;
  }

  void join_list(std::string_view key, const Texts& items, Shape shape) {
    Texts added;
    for (const std::string& item : items) {
      const std::string wanted = shape == Shape::folders ? folder(item) : item;
      const Texts here = items_here(key);
      const bool there = std::any_of(here.begin(), here.end(), [&](const std::string& one) {
        return shape == Shape::skills ? same_skill(one, wanted) : one == wanted;
      });
      if (there) continue;
      Result<std::string> edited = add_to_list(text_, key, wanted);
      if (!edited) return note(key, Outcome::not_understood, edited.error().message());
      text_ = std::move(*edited);
      added.push_back(wanted);
    }
    if (!added.empty()) note(key, Outcome::taken, join(added, ", "));
    else if (!items.empty()) note(key, Outcome::kept, "all of it is here");
  }

  std::string text_;
  const ConfigImportRules& rules_;
  std::vector<ImportRow> rows_;
};

}  // namespace

Result<ConfigImport> import_config(std::string_view ours, std::string_view theirs, const ConfigImportRules& rules) {
  return ConfigImporter(ours, rules).run(theirs);
}

VariableImport import_variables(const std::map<std::string, std::string>& ours,
                                const std::map<std::string, std::string>& theirs, Existing existing) {
  VariableImport import;
  const auto note = [&](const std::string& name, Outcome result, const std::string& detail) {
    import.rows.push_back({ImportRow::Kind::variable, name, result, detail});
  };
  for (const auto& [name, value] : theirs) {
    const auto here = ours.find(name);
    const bool is_set = here != ours.end() && !here->second.empty();
    // Of what nobody is ever given only the keys of model providers are of use: they are the agent's.
    const bool for_agent = is_provider_credential(name);
    if (value.empty()) {
      note(name, Outcome::kept, "theirs is empty");
    } else if (const std::string why = why_never_declared(name); !why.empty() && !for_agent) {
      note(name, Outcome::left, "never passed: " + why);
    } else if (is_set && here->second == value) {
      note(name, Outcome::kept, "the same here");
    } else if (is_set && existing == Existing::keep) {
      note(name, Outcome::kept, "it has another value here; --overwrite takes theirs");
    } else if (const Result<std::string> written = set_variable("", name, value); !written) {
      note(name, Outcome::not_understood, written.error().message());
    } else {
      import.taken[name] = value;
      const std::string place = is_set ? "in place of the value here" : "";
      note(name, Outcome::taken, for_agent ? place + (is_set ? "; " : "") + "commands are never given it" : place);
    }
  }
  return import;
}

std::vector<ImportRow> stray_line_rows(const std::vector<size_t>& lines) {
  std::vector<ImportRow> rows;
  for (const size_t line : lines) {
    rows.push_back({ImportRow::Kind::variable, "line " + std::to_string(line) + " of .env", Outcome::not_understood,
                    "it is no NAME=value"});
  }
  return rows;
}

}  // namespace talaria
