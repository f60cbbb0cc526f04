#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace talaria {

enum class KeyKind {
  boolean,
  integer,
  number,
  choice,
  text,          // `choices` are the words that always fit; others may
  text_list,     // with `choices`: of these words only
  text_or_list,  // a single text stands for a list of one
  amount,        // 1048576, 512M, 2 GiB
  profiles,      // named sections; see config/profiles.h
  skill_config,  // a section of any keys; see config/skill_config.h
};

// Where a key's value lives in Settings.
using Field = std::variant<bool*, int64_t*, double*, std::string*, std::optional<int64_t>*, std::vector<std::string>*,
                           JsonObject*, std::map<std::string, std::string>*>;

// One known key of config.yaml. Its default is what a fresh Settings holds in `field`.
struct ConfigKey {
  std::string_view name;  // dotted
  KeyKind kind = KeyKind::boolean;
  std::string_view choices;  // "auto|sandbox|…"
  int64_t least = 0;         // of integer and number
  int64_t most = 0;
  std::string_view help;
  Field (*field)(Settings&) = nullptr;
  int64_t otherwise = 0;  // of a field that may be absent: what holds when nothing else says so either
};

// true, yes, on, false, no, off, in any case: older YAML, which other programs read and people know, has all of them.
std::optional<bool> boolean_of(std::string_view word);

// Every known key, in the order they are shown.
std::span<const ConfigKey> config_keys();
const ConfigKey* find_config_key(std::string_view name);
// True for "exec", "exec.elevated": names that hold keys rather than a value.
bool is_config_section(std::string_view name);

// The known key or section that was probably meant by an unknown one, or empty. Within a known section only the rest of
// the name counts: every key of a section is near every other one by its first half.
std::string suggest_key(std::string_view name);

// "one of off, on-miss or always", "a whole number from 10 to 120000": what a value must be.
std::string expected_value(const ConfigKey& key);
// As `config get` prints it: "1800", "true", "[A, B]".
std::string value_text(const ConfigKey& key, const Settings& settings);
// The same as JSON: a number, true, an array of strings.
Json value_json(const ConfigKey& key, const Settings& settings);
std::string default_text(const ConfigKey& key);
// A value on one line of YAML: "2G", "[A, B]", "{mine: {base: read-only}}".
std::string flow_text(const Json& value);

// Checks the value at `index`. The error reads "exec.ask must be …, got …".
Result<Json> read_value(const ConfigKey& key, const YamlDocument& document, size_t index);
// The same, and puts it into `settings`.
Result<> store_value(const ConfigKey& key, const YamlDocument& document, size_t index, Settings& settings);

// {"exec", "timeout"} of "exec.timeout".
Result<std::vector<std::string>> config_path(std::string_view key);

}  // namespace talaria
