#pragma once
// Sandbox profiles of a person's own: sandbox.profiles.NAME.FIELD. Here their shape is checked, with the place of what
// is wrong; what their words mean is known where sandboxes are made.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace talaria {

inline constexpr std::string_view built_in_profiles = "read-only|workspace-write|full";

// True for "sandbox.profiles.mine" and all below it.
bool is_below_profiles(std::string_view key);

// The profiles at `index` as {name: {base, limits: {memory_bytes, …}, …}}. The error starts with "line:column: ".
Result<JsonObject> read_profiles(std::string_view text, const YamlDocument& document, size_t index);

// Checks the value at `index` for a key such as sandbox.profiles.mine.base.
Result<> check_profile_key(std::string_view key, const YamlDocument& document, size_t index);

// What `profiles` hold at such a key; nothing when it is absent.
std::optional<Json> profile_value(const JsonObject& profiles, std::string_view key);

// The profile in force must be there.
Result<> check_profile_exists(const SandboxSettings& sandbox);

// The fields as Markdown, for the documentation.
std::string describe_profile_fields();

}  // namespace talaria
