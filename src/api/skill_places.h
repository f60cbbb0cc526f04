#pragma once
#include <string>
#include <vector>

#include "api/session_details.h"
#include "config/settings.h"
#include "process/environment.h"
#include "sandbox/shown_path.h"
#include "skills/credential_files.h"

namespace talaria {

// Those of a skill's credential files that are there now.
std::vector<CredentialFile> present_credentials(const SessionSkill& skill, const std::string& own_home);

// What the skills of a session show in its sandbox, read-only: their folders, those of their credential files that are
// there now, and the places that the person configured for them. Asked before every command.
std::vector<ShownPath> shown_by_skills(const std::vector<SessionSkill>& skills, const Settings& settings,
                                       const Environment& login, const std::string& own_home);

}  // namespace talaria
