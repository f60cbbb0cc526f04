#include "api/skill_surroundings.h"

#include <algorithm>

#include "config/dotenv.h"
#include "os/daemon.h"
#include "process/secret_value.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

std::optional<std::string> found_in(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  return found->second;
}

// Where it cannot be told, it may have been anywhere.
std::vector<std::string> agent_places_in(Store& store) {
  Result<std::vector<std::string>> places = store.agent_places().all();
  return places ? *std::move(places) : std::vector<std::string>{"/"};
}

}  // namespace

std::optional<std::string> SkillSurroundings::variable(const std::string& name) const {
  std::optional<std::string> value = found_in(client, name);
  return value ? value : found_in(*login, name);
}

std::string SkillSurroundings::person_home() const { return variable("HOME").value_or(""); }

bool SkillSurroundings::is_in_workspace(const std::string& path) const {
  return workspace != "/" && workspace != person_home() && is_within(path, workspace);
}

SkillSurroundings skill_surroundings(Parts& parts, const std::shared_ptr<const Settings>& settings,
                                     const SharedEnvironment& login, const SessionRow& session, const Caller& caller) {
  SkillSurroundings around;
  around.settings = settings;
  around.login = login;
  if (caller.environment) around.client = *caller.environment;
  around.home = parts.jobs.home();
  around.session = session.id;
  around.workspace = session.workspace;
  around.directory = caller.cwd.empty() ? session.cwd : caller.cwd;
  for (const Tool* tool : parts.desk.usable(session)) {
    around.available.tools.insert(tool->spec().name);
    around.available.toolsets.insert(std::string(name_of(tool->spec().toolset)));
  }
  around.available.disabled = {settings->skills.disabled.begin(), settings->skills.disabled.end()};
  around.agent_places = agent_places_in(parts.store);
  if (around.is_in_workspace(around.workspace)) around.agent_places.push_back(around.workspace);
  return around;
}

SkillRoots skill_roots(const SkillSurroundings& around) {
  const SkillsSettings& settings = around.settings->skills;
  SkillPlaces places;
  places.talaria_home = around.home.root;
  places.home = around.person_home();
  if (settings.project_discovery) places.cwd = around.directory;
  places.trusted_projects = settings.trusted_project_dirs;
  places.external_dirs = settings.external_dirs;
  places.hermes_home = around.variable("HERMES_HOME").value_or("");
  places.bundled = library_directory() + "/skills";
  places.variable = [&around](const std::string& name) { return around.variable(name); };
  return find_skill_roots(places);
}

Environment leading_variables(const SkillSurroundings& around) {
  const auto leads = [&](const std::string& name) {
    const auto names_it = [&](const std::string& folder) {
      return folder.find("${" + name + "}") != std::string::npos;
    };
    return name == "HOME" || name == "HERMES_HOME" ||
           std::ranges::any_of(around.settings->skills.external_dirs, names_it);
  };
  Environment leading;
  for (const auto& [name, value] : around.client) {
    if (leads(name) && found_in(*around.login, name) != value) leading.emplace(name, value);
  }
  return leading;
}

SkillTrust skill_trust(const SkillSurroundings& around, TrustedTexts& texts) {
  return {texts, around.home.root, around.agent_places};
}

KnownVariables::KnownVariables(const SkillSurroundings& around) : login_(around.login) {
  Result<Environment> stored = read_dotenv(around.home.root + "/.env");
  if (stored) stored_ = *std::move(stored);
  else trouble_ = stored.error().message();
}

SettingValues setting_values(const SkillSurroundings& around, const KnownVariables& variables) {
  SettingValues values;
  values.file = around.home.config();
  values.person_home = around.person_home();
  values.configured = [&around](const std::string& key) -> std::optional<std::string> {
    const auto& configured = around.settings->skills.config;
    const auto found = configured.find(key);
    if (found == configured.end()) return std::nullopt;
    return found->second;
  };
  values.variable = [&around](const std::string& name) { return around.variable(name); };
  values.is_secret = [&variables](const std::string& name) {
    return is_secret_name(name) || variables.is_stored(name);
  };
  values.holds_secret = [&variables](const std::string& text) {
    return holds_secret(text) || variables.holds_stored(text);
  };
  return values;
}

}  // namespace talaria
