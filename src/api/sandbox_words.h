#pragma once
#include <string>
#include <vector>

#include "api/live_job.h"
#include "config/settings.h"
#include "sandbox/view.h"

namespace talaria {

// Where commands run, as one sentence of a tool's description: "Runs in a sandbox: …". It comes from the configuration
// alone, so every session reads the same, and lists of tools can be cached. `home` is the person's.
std::string where_commands_run(const Settings& settings, const std::string& home);

// Whether a call may ask for the plain host, as far as the configuration says.
bool may_leave_sandbox(const ExecSettings& settings);

// What an agent is told about the sandbox when its command has ended, as few sentences: that it left files where they
// go with the sandbox, and, of one that failed after the network was tried in vain, that it is off, and what to ask
// for.
std::vector<std::string> sandbox_notes(const JobDetails& details);
// The same for the end of a text.
std::string sandbox_paragraphs(const JobDetails& details);

// A file tool wrote to `path`, shown as `name`, of this view: what to know where that is a private place. Else empty.
std::string private_file_note(const View& view, const std::string& path, const std::string& name);

}  // namespace talaria
