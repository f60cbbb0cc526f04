#include "skills/requirements.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "process/environment.h"
#include "skills/skill_body_text.h"

namespace talaria {
namespace {

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

bool is_found(const std::string& command, const std::vector<std::string>& folders) {
  if (command.find('\0') != std::string::npos) return false;
  if (command.find('/') != std::string::npos) return command.front() == '/' && is_program(command);
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return folder.starts_with('/') && is_program(folder + "/" + command);
  });
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

std::string file_help(const std::string& path, std::string_view what) {
  return trim(what).empty() ? "" : shown_line(path) + ": " + shown_line(trim(what));
}

// With a full stop, unless it ends with one or with an address, which a full stop would change.
std::string as_sentence(const std::string& text) {
  const bool address = text.find("://", text.find_last_of(' ') + 1) != std::string::npos;
  return address || text.find_last_of(".!?:;") == text.size() - 1 ? text : text + ".";
}

}  // namespace

bool is_variable_set(const std::string& name, const std::map<std::string, std::string>& dotenv,
                     const std::map<std::string, std::string>& environment) {
  if (const auto stored = dotenv.find(name); stored != dotenv.end()) return !stored->second.empty();
  const auto given = environment.find(name);
  return given != environment.end() && !given->second.empty();
}

EnvironmentState environment_state(const SkillCard& card, const IsSet& is_set) {
  EnvironmentState state;
  for (const EnvironmentNeed& need : card.environment) {
    if (check_declared_name(need.name)) (is_set(need.name) ? state.present : state.missing).push_back(need);
  }
  return state;
}

std::vector<std::string> missing_commands(const SkillCard& card, std::string_view path) {
  const std::vector<std::string> folders = split(path, ':');
  std::vector<std::string> missing;
  for (const std::string& command : card.commands) {
    if (!is_found(command, folders)) missing.push_back(command);
  }
  return missing;
}

bool Requirements::setup_needed() const {
  return !environment.missing.empty() || !credentials.missing.empty() || !credentials.refused.empty();
}

std::string setup_note(const Requirements& requirements) {
  std::vector<std::string> missing;
  std::vector<std::string> help;
  for (const EnvironmentNeed& need : requirements.environment.missing) {
    missing.push_back("env $" + shown_line(need.name));
    add_once(help, shown_line(trim(need.help)));
  }
  for (const CredentialNeed& need : requirements.credentials.missing) {
    missing.push_back("file " + shown_line(requirements.credential_folder + "/" + need.path));
    add_once(help, file_help(need.path, need.description));
  }
  for (const RefusedCredential& refused : requirements.credentials.refused) {
    missing.push_back("file " + shown_line(refused.path));
    add_once(help, file_help(refused.path, "refused, " + refused.reason));
  }
  std::vector<std::string> sentences;
  if (!missing.empty())
    sentences.push_back("Setup needed before using this skill: missing " + join(missing, ", ") + ".");
  if (!requirements.missing_commands.empty()) {
    std::vector<std::string> names;
    for (const std::string& command : requirements.missing_commands) names.push_back(shown_line(command));
    sentences.push_back("Programs it calls that were not found here: " + join(names, ", ") + ".");
  }
  for (const std::string& text : help) sentences.push_back(as_sentence(text));
  return join(sentences, " ");
}

std::string local_setup_hint(const Requirements& requirements, const SetupWay& way) {
  const std::vector<EnvironmentNeed>& missing = requirements.environment.missing;
  if (missing.empty()) return "";
  const std::string view = "`talaria skills view " + shown_line(way.skill_slug) + "` in a terminal";
  if (!way.dotenv_trouble.empty()) {
    return "No variable is read or stored until this is mended (" + shown_line(way.dotenv_trouble) +
           "). After that run, on the machine itself, " + view + " to be asked for what is still missing.";
  }
  if (way.asked == SetupWay::Asked::person_skipped) {
    std::vector<std::string> commands;
    for (const EnvironmentNeed& need : missing) commands.push_back("`talaria env set " + shown_line(need.name) + "`");
    return "The question was skipped at the terminal; " + join(commands, ", ") +
           (commands.size() == 1 ? " sets it later." : " set them later.");
  }
  return "Secrets are not entered here. On the machine itself run " + view +
         " to be asked for them, or add NAME=value lines to " + shown_line(way.dotenv_path) + ".";
}

}  // namespace talaria
