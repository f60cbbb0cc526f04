#include "api/sandbox_words.h"

#include "api/sandbox_plan.h"

namespace talaria {
namespace {

std::string network_note(const JobDetails& details) {
  const bool itself = details.network_tried == NetworkTried::itself;
  return std::string("The network is off in this sandbox, and ") +
         (itself ? "the command" : "a command of this session") + " tried to reach it" + (itself ? "" : " meanwhile") +
         ". If it is needed, " +
         (details.may_leave ? "run the command with exec and host=gateway."
                            : "ask the person to set sandbox.network: on in the configuration.");
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
  if (details.network_tried != NetworkTried::no) notes.push_back(network_note(details));
  return notes;
}

std::string sandbox_paragraphs(const JobDetails& details) {
  std::string text;
  for (const std::string& note : sandbox_notes(details)) text += "\n\n(" + note + ")";
  return text;
}

}  // namespace talaria
