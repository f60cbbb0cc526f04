#include "api/sandbox_words.h"

#include "api/sandbox_plan.h"

namespace talaria {

std::string where_commands_run(const Settings& settings, const std::string& home) {
  if (settings.exec.host == "gateway") return "Runs on the plain host, outside any sandbox.";
  const Result<Profile> profile = profile_for(settings.sandbox, {}, home);
  if (!profile || settings.exec.host == "node") return "";  // then a call fails and says why
  if (profile->kind == ProfileKind::full) return "Runs in a sandbox with the machine's files and network.";
  const std::string workspace = profile->kind == ProfileKind::read_only ? "read-only" : "writable";
  return "Runs in a sandbox: the workspace is " + workspace + ", home and /tmp are private, the network is " +
         std::string(name_of(profile->network)) + ".";
}

}  // namespace talaria
