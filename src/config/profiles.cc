#include "config/profiles.h"

#include <algorithm>
#include <array>

#include "base/meant_name.h"
#include "base/text.h"
#include "config/keys.h"

namespace talaria {
namespace {

constexpr std::string_view profiles_prefix = "sandbox.profiles.";

// One field of a profile. `name` is what follows the profile's own.
constexpr std::array fields{
    ConfigKey{"base", KeyKind::choice, built_in_profiles, 0, 0,
              "the profile that holds for all this one does not say; workspace-write when absent"},
    ConfigKey{"readable", KeyKind::text_list, "", 0, 0, "paths that are seen, as absolute paths or from ~/"},
    ConfigKey{"writable", KeyKind::text_list, "", 0, 0, "paths that may be changed"},
    ConfigKey{"protected_names", KeyKind::text_list, "", 0, 0,
              "names in the workspace that may not be changed, beside the usual ones"},
    ConfigKey{"network", KeyKind::choice, "off|on", 0, 0, "whether the host's network is reached"},
    ConfigKey{"limits.processes", KeyKind::amount, "", 0, 0, "processes of a session at once"},
    ConfigKey{"limits.memory_bytes", KeyKind::amount, "", 0, 0, "memory of all of them"},
    ConfigKey{"limits.file_bytes", KeyKind::amount, "", 0, 0, "the largest single file"},
    ConfigKey{"limits.growth_bytes", KeyKind::amount, "", 0, 0, "what one command may add to the workspace's disk"},
    ConfigKey{"limits.files", KeyKind::amount, "", 0, 0, "files that one command may add to it"},
    ConfigKey{"limits.tmp_bytes", KeyKind::amount, "", 0, 0, "size of the private /tmp and of the private home"},
    ConfigKey{"limits.tmp_inodes", KeyKind::amount, "", 0, 0, "files in each of them"},
    ConfigKey{"limits.open_files", KeyKind::amount, "", 0, 0, "open files of one process"},
};

bool is_built_in(std::string_view name) {
  const std::vector<std::string> names = split(built_in_profiles, '|');
  return std::find(names.begin(), names.end(), name) != names.end();
}

const ConfigKey* find_field(std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const ConfigKey& one) { return one.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

Error no_such_field(const std::string& key) {
  std::vector<std::string> names;
  for (const ConfigKey& field : fields) names.emplace_back(field.name);
  return invalid("a profile has no field " + key + "; its fields are " + join(names, ", "));
}

Result<Json> read_field(const std::string& key, std::string_view field_name, const YamlDocument& document,
                        size_t index) {
  const ConfigKey* field = find_field(field_name);
  if (!field) return no_such_field(key);
  ConfigKey named = *field;
  named.name = key;
  return read_value(named, document, index);
}

// One walk over the text, which every error's place is taken from.
class ProfilesReader {
 public:
  ProfilesReader(std::string_view text, const YamlDocument& document) : text_(text), document_(document) {}

  Result<JsonObject> profiles(size_t index) const {
    JsonObject read;
    for (const YamlEntry& entry : TRY(section("sandbox.profiles", index))) {
      const std::string& name = key_of(entry);
      if (name.empty() || is_built_in(name)) {
        return at(entry.key,
                  invalid("sandbox.profiles: \"" + name + "\" is not free as a name; give the profile another one"));
      }
      read[name] = TRY(fields_of(std::string(profiles_prefix) + name, "", entry.value));
    }
    return read;
  }

 private:
  Error at(size_t index, const Error& error) const {
    return {error.code(), yaml_position(text_, document_.node(index).start) + ": " + error.message()};
  }

  const std::string& key_of(const YamlEntry& entry) const { return document_.node(entry.key).text; }

  // Nothing written means nothing set.
  Result<std::vector<YamlEntry>> section(const std::string& key, size_t index) const {
    const YamlNode& node = document_.node(document_.resolve(index));
    if (node.kind == YamlNode::Kind::null) return std::vector<YamlEntry>();
    if (node.kind == YamlNode::Kind::mapping && !node.tagged) return node.entries;
    return at(index, invalid(key + " must be a section, such as {base: read-only}"));
  }

  // `outer` is "" or "limits.".
  Result<JsonObject> fields_of(const std::string& section_key, const std::string& outer, size_t index) const {
    JsonObject read;
    for (const YamlEntry& entry : TRY(section(section_key, index))) {
      const std::string& name = key_of(entry);
      const std::string key = section_key + "." + name;
      const bool null = document_.node(document_.resolve(entry.value)).kind == YamlNode::Kind::null;
      if (outer.empty() && name == "limits") {
        read[name] = TRY(fields_of(key, "limits.", entry.value));
        continue;
      }
      if (!find_field(outer + name)) return at(entry.key, no_such_field(key));
      if (null) continue;
      Result<Json> value = read_field(key, outer + name, document_, entry.value);
      if (!value) return at(entry.value, value.error());
      read[name] = std::move(*value);
    }
    return read;
  }

  std::string_view text_;
  const YamlDocument& document_;
};

}  // namespace

bool is_below_profiles(std::string_view key) {
  return key.starts_with(profiles_prefix) && key.size() > profiles_prefix.size();
}

Result<JsonObject> read_profiles(std::string_view text, const YamlDocument& document, size_t index) {
  return ProfilesReader(text, document).profiles(index);
}

Result<> check_profile_key(std::string_view key, const YamlDocument& document, size_t index) {
  const std::string_view below = key.substr(profiles_prefix.size());
  const size_t dot = below.find('.');
  const std::string_view name = below.substr(0, dot);
  if (is_built_in(name)) {
    return invalid("the profile " + std::string(name) + " is built in; give yours another name and set its base");
  }
  if (dot == std::string_view::npos || below.substr(dot) == ".limits") {
    return invalid(std::string(key) + " is a section; set one of its keys");
  }
  TRY(read_field(std::string(key), below.substr(dot + 1), document, index));
  return ok;
}

std::optional<Json> profile_value(const JsonObject& profiles, std::string_view key) {
  const JsonObject* section = &profiles;
  const Json* value = nullptr;
  for (const std::string& name : split(key.substr(profiles_prefix.size()), '.')) {
    value = section ? section->if_contains(name) : nullptr;
    if (!value) return std::nullopt;
    section = value->if_object();
  }
  return *value;
}

Result<> check_profile_exists(const SandboxSettings& sandbox) {
  if (is_built_in(sandbox.profile) || sandbox.custom_profiles.contains(sandbox.profile)) return ok;
  std::vector<std::string> known = split(find_config_key("sandbox.profile")->choices, '|');
  for (const auto& profile : sandbox.custom_profiles) known.emplace_back(profile.key());
  return invalid("sandbox.profile must be " + expected_value(*find_config_key("sandbox.profile")) + ", got \"" +
                 sandbox.profile + "\"" + did_you_mean(sandbox.profile, known));
}

std::string describe_profile_fields() {
  std::string table = "| field | value | meaning |\n|---|---|---|\n";
  for (const ConfigKey& field : fields) {
    table +=
        "| `" + std::string(field.name) + "` | " + expected_value(field) + " | " + std::string(field.help) + " |\n";
  }
  return table;
}

}  // namespace talaria
