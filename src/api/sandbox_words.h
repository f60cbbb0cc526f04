#pragma once
#include <string>
#include <vector>

#include "api/live_job.h"
#include "config/settings.h"

namespace talaria {

// Where commands run, as one sentence of a tool's description: "Runs in a sandbox: …". It comes from the configuration
// alone, so every session reads the same, and lists of tools can be cached. `home` is the person's.
std::string where_commands_run(const Settings& settings, const std::string& home);

// Whether a call may ask for the plain host, as far as the configuration says.
bool may_leave_sandbox(const ExecSettings& settings);

// What an agent is told about the sandbox when its command has ended, as few sentences: of one that failed after the
// network was tried in vain, that it is off, and what to ask for.
std::vector<std::string> sandbox_notes(const JobDetails& details);
// The same for the end of a text.
std::string sandbox_paragraphs(const JobDetails& details);

}  // namespace talaria
