#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "sandbox/profile.h"

namespace talaria {

// What a configuration, and a call over it, say about the sandbox.
struct ProfileChoice {
  std::string profile = "workspace-write";  // a built-in one or a name of `custom`
  std::string network = "as-profile";       // or "off", "on"
  std::vector<std::string> readable = {};   // beside the profile's own; ~ stands for `home`
  std::vector<std::string> writable = {};
  std::vector<std::string> protected_names = {};
  JsonObject custom = {};  // {name: fields}, see custom_profile()
  std::string home = {};
};

// The profile in force. Errors name the configuration's key.
Result<Profile> choose_profile(const ProfileChoice& choice);

}  // namespace talaria
