#include "sandbox/profile_choice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/meant_name.h"

namespace talaria {
namespace {

void add_once(std::vector<std::string>& list, std::string item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

Result<> add_paths(const std::string& key, const std::vector<std::string>& more, const std::string& home,
                   std::vector<std::string>& paths) {
  for (size_t i = 0; i < more.size(); ++i) {
    add_once(paths, TRY(profile_path(key + "[" + std::to_string(i) + "]", more[i], home)));
  }
  return ok;
}

Error no_such_profile(const std::string& name, const std::map<std::string, Profile>& profiles) {
  std::vector<std::string> names;
  for (const auto& [known, profile] : profiles) names.push_back(known);
  return invalid("there is no sandbox profile \"" + name + "\"" + did_you_mean_one_of(name, names) +
                 ". Others can be set below sandbox.profiles");
}

Result<> set_network(const std::string& word, Profile& profile) {
  if (word == "as-profile") return ok;
  Result<NetworkMode> mode = network_mode_named(word);
  if (!mode) return std::move(mode).error().within("sandbox.network");
  if (profile.kind == ProfileKind::full && *mode == NetworkMode::off) {
    return invalid("sandbox.network cannot be off with the profile " + profile.name +
                   ", which keeps the host's network; choose another profile, or as-profile");
  }
  profile.network = *mode;
  return ok;
}

}  // namespace

Result<Profile> choose_profile(const ProfileChoice& choice) {
  Result<std::map<std::string, Profile>> profiles = all_profiles(choice.custom, choice.home);
  if (!profiles) return std::move(profiles).error().within("sandbox.profiles");
  const auto found = profiles->find(choice.profile);
  if (found == profiles->end()) return no_such_profile(choice.profile, *profiles);
  Profile profile = found->second;
  TRY(set_network(choice.network, profile));
  TRY(add_paths("sandbox.readable", choice.readable, choice.home, profile.readable));
  TRY(add_paths("sandbox.writable", choice.writable, choice.home, profile.writable));
  for (const std::string& name : choice.protected_names) {
    TRY(check_protected_name("sandbox.protected", name));
    add_once(profile.protected_names, name);
  }
  return profile;
}

}  // namespace talaria
