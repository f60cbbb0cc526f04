#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "skills/skill_card.h"

namespace talaria {

// A credential file that is there: where commands look for it, and where it really is.
struct CredentialFile {
  std::string path;         // relative to the home
  std::string target_path;  // <home>/<path>
  std::string real_path;    // after links
  bool operator==(const CredentialFile&) const = default;
};

struct RefusedCredential {
  std::string path;
  std::string reason;
  bool operator==(const RefusedCredential&) const = default;
};

// How the credential files that a skill asks for stand. Nothing of their content is read.
struct CredentialState {
  std::vector<CredentialFile> present;
  std::vector<CredentialNeed> missing;
  std::vector<RefusedCredential> refused;
  bool operator==(const CredentialState&) const = default;
};

// Looks for each below `home`, Talaria's home. Refused: what is not a plain relative path, leads out of the home, is no
// regular file, or is one of the stores that hold everyone's secrets and rules, under whatever name.
CredentialState credential_state(const std::vector<CredentialNeed>& needs, const std::string& home);

// Whether a path relative to the home is, or lies in, a store that no skill may ask for: .env, config.yaml, …
// Letters' case does not matter, nor endings as of a backup.
bool is_master_store(std::string_view path);

}  // namespace talaria
