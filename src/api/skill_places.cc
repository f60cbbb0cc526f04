#include "api/skill_places.h"

#include <algorithm>

#include "os/file.h"
#include "process/secret_value.h"
#include "sandbox/view.h"
#include "skills/config_block.h"

namespace talaria {
namespace {

// Links on the way to it resolved, but not itself.
std::string place_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = real_path(path.substr(0, slash));
  return folder.empty() ? "" : folder + path.substr(slash);
}

class Places {
 public:
  Places(const Settings& settings, const Environment& login, const std::string& own_home)
      : settings_(settings), login_(login), own_home_(real_path(own_home)), person_home_(real_path(variable("HOME"))) {}

  void add(const SessionSkill& skill) {
    if (is_plain(skill.directory) && may_show_folder(skill.directory)) show(skill.directory, skill.directory);
    for (const CredentialFile& file : present_credentials(skill, own_home_)) {
      if (is_plain(file.real_path)) show(place_of(file.target_path), file.real_path);
    }
    for (const std::string& key : skill.settings) {
      const std::string path = configured_place(key);
      if (may_open(path)) show(path, path);
    }
  }

  std::vector<ShownPath> take() { return std::move(shown_); }

 private:
  std::string variable(const std::string& name) const {
    const auto found = login_.find(name);
    return found == login_.end() ? "" : found->second;
  }

  void show(const std::string& target, const std::string& source) {
    if (target.empty() || source.empty()) return;
    const ShownPath path{target, source};
    if (std::ranges::find(shown_, path) == shown_.end()) shown_.push_back(path);
  }

  // Only what the person wrote counts: a default is the skill's own.
  std::string configured_place(const std::string& key) const {
    SettingValues values;
    values.person_home = variable("HOME");
    values.configured = [&](const std::string& name) -> std::optional<std::string> {
      const auto found = settings_.skills.config.find(name);
      return found == settings_.skills.config.end() ? std::nullopt : std::optional(found->second);
    };
    values.variable = [&](const std::string& name) -> std::optional<std::string> {
      const auto found = login_.find(name);
      return found == login_.end() ? std::nullopt : std::optional(found->second);
    };
    values.is_secret = [](const std::string& name) { return is_secret_name(name); };
    values.holds_secret = [](const std::string& text) { return holds_secret(text); };
    const std::optional<std::string> value = setting_value({key, "", "", std::nullopt}, values);
    if (!value || !value->starts_with('/')) return "";
    // Links on the way to the home are the machine's; any other may have been put there by an agent.
    const std::string home = variable("HOME");
    std::string path = home.size() > 1 && is_within(*value, home) ? person_home_ + value->substr(home.size()) : *value;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return is_plain(path) ? path : "";
  }

  // Free of links, as it was when the skill was loaded: whoever can put a link on the way would choose what is shown.
  static bool is_plain(const std::string& path) { return !path.empty() && real_path(path) == path; }

  // Of our own home only the folders of skills.
  bool may_show_folder(const std::string& path) const {
    const std::string skills = own_home_ + "/skills";
    if (path != skills && is_within(path, skills)) return !is_within(path, skills + "/.talaria");
    return may_open(path);
  }

  // Neither a home as a whole nor anything of ours.
  bool may_open(const std::string& path) const {
    if (path.empty() || path == "/") return false;
    const bool ours = is_within(path, own_home_) || is_within(own_home_, path);
    return !ours && !(person_home_.size() > 1 && is_within(person_home_, path));
  }

  const Settings& settings_;
  const Environment& login_;
  std::string own_home_;
  std::string person_home_;
  std::vector<ShownPath> shown_;
};

}  // namespace

std::vector<CredentialFile> present_credentials(const SessionSkill& skill, const std::string& own_home) {
  std::vector<CredentialNeed> needs;
  for (const std::string& path : skill.credentials) needs.push_back({path, ""});
  return credential_state(needs, own_home).present;
}

std::vector<ShownPath> shown_by_skills(const std::vector<SessionSkill>& skills, const Settings& settings,
                                       const Environment& login, const std::string& own_home) {
  if (skills.empty()) return {};
  Places places(settings, login, own_home);
  for (const SessionSkill& skill : skills) places.add(skill);
  return places.take();
}

}  // namespace talaria
