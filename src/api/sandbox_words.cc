#include "api/sandbox_words.h"

#include "api/inside_paths.h"
#include "api/sandbox_plan.h"
#include "base/text.h"
#include "base/unseen.h"

namespace talaria {
namespace {

constexpr size_t most_files_named = 3;

std::string network_note(const JobDetails& details) {
  const bool itself = details.network_tried == NetworkTried::itself;
  return std::string("The network is off in this sandbox, and ") +
         (itself ? "the command" : "a command of this session") + " tried to reach it" + (itself ? "" : " meanwhile") +
         ". If it is needed, " +
         (details.may_leave ? "run the command with exec and host=gateway."
                            : "ask the person to set sandbox.network: on in the configuration.");
}

std::string files_note(const JsonArray& files) {
  std::vector<std::string> named;
  for (const Json& file : files) {
    if (file.is_string() && named.size() < most_files_named)
      named.push_back(shown_line(std::string(file.get_string())));
  }
  if (named.empty()) return "";
  const size_t more = files.size() - named.size();
  return "Made in the sandbox's private home or /tmp, which go with the session: " + join(named, ", ") +
         (more > 0 ? " and " + with_commas(more) + " more" : "") + ". What should stay belongs in the workspace.";
}

}  // namespace

std::string where_commands_run(const Settings& settings, const std::string& home) {
  if (settings.exec.host == "gateway") return "Runs on the plain host, outside any sandbox.";
  const Result<Profile> profile = profile_for(settings.sandbox, {}, home);
  if (!profile || settings.exec.host == "node") return "";  // then a call fails and says why
  if (profile->kind == ProfileKind::full) return "Runs in a sandbox with the machine's files and network.";
  const std::string workspace = profile->kind == ProfileKind::read_only ? "read-only" : "writable";
  return "Runs in a sandbox: the workspace is " + workspace + ", home and /tmp are private, the network is " +
         std::string(name_of(profile->network)) + ".";
}

bool may_leave_sandbox(const ExecSettings& settings) {
  return settings.host == "auto" && settings.security != "deny" && settings.ask != "always";
}

std::vector<std::string> sandbox_notes(const JobDetails& details) {
  std::vector<std::string> notes;
  if (std::string files = files_note(details.private_files); !files.empty()) notes.push_back(std::move(files));
  if (details.network_tried != NetworkTried::no) notes.push_back(network_note(details));
  return notes;
}

std::string sandbox_paragraphs(const JobDetails& details) {
  std::string text;
  for (const std::string& note : sandbox_notes(details)) text += "\n\n(" + note + ")";
  return text;
}

std::string private_file_note(const View& view, const std::string& path, const std::string& name) {
  const std::string place = private_place(view, path);
  if (place.empty()) return "";
  const auto home = view.environment.find("HOME");
  const bool in_home = home != view.environment.end() && place == home->second;
  return shown_line(name) + " is in the sandbox's private " +
         (in_home ? "home, not in the person's," : shown_line(place)) + " and goes with the session; " +
         (view.workspace_shown ? "what should stay belongs in the workspace"
                               : "to keep files, start the session in a project directory");
}

}  // namespace talaria
