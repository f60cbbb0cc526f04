#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "process/environment.h"
#include "skills/credential_files.h"

namespace talaria {

// What of a credential file a model must not read, by the names that stand in its place: of a JSON file and of
// "key = value" lines the values that are secrets by their key or their look, and every other line as it is. `path` is
// how the skill names the file.
Environment secrets_in_credential(std::string_view path, std::string_view content);

// Of the files as they are now; what cannot be read, commands cannot read either. Blocks.
Environment credential_secrets(const std::vector<CredentialFile>& files);

}  // namespace talaria
