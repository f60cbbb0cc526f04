#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

enum class ProfileKind { read_only, workspace_write, full };
enum class NetworkMode { off, on };

// As people write them: "workspace-write", "off".
std::string_view name_of(ProfileKind kind);
std::string_view name_of(NetworkMode mode);
// Errors list the allowed values.
Result<ProfileKind> profile_kind_named(std::string_view name);
Result<NetworkMode> network_mode_named(std::string_view name);

// How much one sandbox may take. 0 means: no limit of our own.
struct Limits {
  uint64_t processes = 0;
  uint64_t memory_bytes = 0;
  uint64_t file_bytes = 0;    // the largest single file
  uint64_t growth_bytes = 0;  // what one command may add to the workspace's disk
  uint64_t files = 0;         // that one command may add to it
  uint64_t tmp_bytes = 0;     // of each private tmpfs: /tmp, the private home
  uint64_t tmp_inodes = 0;
  uint64_t open_files = 0;  // of one process
  bool operator==(const Limits&) const = default;
};

// What a sandbox may see, write and reach.
struct Profile {
  std::string name;
  ProfileKind kind = ProfileKind::workspace_write;
  std::vector<std::string> readable;         // shown read-only beside the workspace, absolute
  std::vector<std::string> writable;         // absolute
  std::vector<std::string> protected_names;  // beside the built-in ones: "name" or "folder/name", at any depth
  NetworkMode network = NetworkMode::off;
  Limits limits;
  bool operator==(const Profile&) const = default;
};

// The three built-in profiles with their defaults.
Profile built_in_profile(ProfileKind kind);

// A custom profile: {"base": "read-only", "writable": […], "limits": {…}, …}. What it does not say is the base's.
// `home` stands for ~ in paths. Errors name the profile and the field.
Result<Profile> custom_profile(const std::string& name, const JsonObject& fields, const std::string& home);

// All profiles a configuration offers: the built-in ones and the custom ones of {name: fields}.
Result<std::map<std::string, Profile>> all_profiles(const JsonObject& custom, const std::string& home);

// A path for a profile: absolute, with ~ as `home`, one spelling of one place. `field` names it in errors.
Result<std::string> profile_path(const std::string& field, std::string path, const std::string& home);
// "name" or "folder/name".
Result<> check_protected_name(const std::string& field, const std::string& name);

JsonObject to_json(const Profile& profile);
Result<Profile> profile_from_json(const JsonObject& object);

}  // namespace talaria
