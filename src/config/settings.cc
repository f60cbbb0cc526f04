#include "config/settings.h"

#include "base/text.h"
#include "config/keys.h"
#include "config/profiles.h"
#include "config/skill_config.h"
#include "os/file.h"
#include "yaml/yaml.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

Error at_node(std::string_view text, const YamlNode& node, const std::string& what) {
  return invalid(yaml_position(text, node.start) + ": " + what);
}

std::string kind_of(const YamlNode& node) {
  return node.kind == YamlNode::Kind::sequence ? "a list" : "\"" + node.text.substr(0, 60) + "\"";
}

// The index of the value written for `key`; nothing when it or a section above it is absent or null.
Result<std::optional<size_t>> find_value(std::string_view text, const YamlDocument& document, const ConfigKey& key) {
  size_t index = document.root_index();
  std::string section;
  for (const std::string& name : split(key.name, '.')) {
    const YamlNode& node = document.node(index);
    const YamlNode& parent = document.node(document.resolve(index));
    if (parent.kind == YamlNode::Kind::null) return std::optional<size_t>();
    if (parent.kind != YamlNode::Kind::mapping) {
      const std::string what = section.empty() ? "the file" : section;
      return at_node(text, node,
                     what + " must hold keys such as " + std::string(key.name) + ", got " + kind_of(parent));
    }
    const YamlEntry* entry = document.find(parent, name);
    if (entry == nullptr) return std::optional<size_t>();
    index = entry->value;
    section += (section.empty() ? "" : ".") + name;
  }
  const bool null = document.node(document.resolve(index)).kind == YamlNode::Kind::null;
  return null ? std::nullopt : std::optional(index);
}

void collect_unknown(std::string_view text, const YamlDocument& document, const YamlNode& mapping,
                     const std::string& section, std::vector<UnknownKey>& found) {
  for (const YamlEntry& entry : mapping.entries) {
    const YamlNode& key = document.node(entry.key);
    const bool dotted = key.text.find('.') != std::string::npos;
    const std::string name = section + (dotted ? "\"" + key.text + "\"" : key.text);
    const YamlNode& value = document.node(document.resolve(entry.value));
    const ConfigKey* known = find_config_key(name);
    // What stands in the place of a section of any keys is no error, but nothing reads it either.
    const bool no_section = known && known->kind == KeyKind::skill_config && value.kind != YamlNode::Kind::mapping &&
                            value.kind != YamlNode::Kind::null;
    if (is_config_section(name)) {
      collect_unknown(text, document, value, name + ".", found);
    } else if (no_section) {
      found.push_back({name, yaml_line(text, key.start), ""});
    } else if (!known) {
      found.push_back({name, yaml_line(text, key.start), suggest_key(section + key.text)});
    }
  }
}

}  // namespace

Result<Settings> parse_settings(std::string_view text) {
  const YamlDocument document = TRY(YamlDocument::parse(text));
  Settings settings;
  for (const ConfigKey& key : config_keys()) {
    const std::optional<size_t> index = TRY(find_value(text, document, key));
    if (!index) continue;
    if (key.kind == KeyKind::profiles) {
      settings.sandbox.custom_profiles = TRY(read_profiles(text, document, *index));
      continue;
    }
    if (key.kind == KeyKind::skill_config) {
      settings.skills.config = read_skill_config(document, *index);
      continue;
    }
    Result<> stored = store_value(key, document, *index, settings);
    if (!stored) return at_node(text, document.node(*index), stored.error().message());
  }
  if (const Result<> exists = check_profile_exists(settings.sandbox); !exists) {
    return at_node(text, *document.at({"sandbox", "profile"}), exists.error().message());
  }
  return settings;
}

Result<Settings> load_settings(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text && text.error().number() == ENOENT) return Settings{};
  if (!text) return std::move(text).error();
  Result<Settings> settings = parse_settings(*text);
  if (!settings) return Error(settings.error().code(), path + ":" + settings.error().message());
  return settings;
}

Result<std::vector<UnknownKey>> unknown_keys(std::string_view text) {
  const YamlDocument document = TRY(YamlDocument::parse(text));
  std::vector<UnknownKey> found;
  collect_unknown(text, document, document.node(document.resolve(document.root_index())), "", found);
  return found;
}

}  // namespace talaria
