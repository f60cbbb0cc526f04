#pragma once
#include <optional>
#include <string>
#include <vector>

#include "store/session_table.h"

namespace talaria {

// A skill that a session has loaded.
struct SessionSkill {
  std::string name;                      // for look-up
  std::string directory;                 // real
  std::vector<std::string> credentials;  // files it may read, relative to our home
  std::vector<std::string> settings;     // keys below skills.config that may name places for it to read
  bool operator==(const SessionSkill&) const = default;
};

// What is stored of a session beside its columns.
struct SessionDetails {
  std::optional<std::vector<std::string>> toolsets;  // absent: all that are configured
  std::string shell_cwd;                             // where its last command went; empty: nowhere
  std::vector<std::string> exported;                 // names only of what its commands exported: values may be secrets
  std::vector<std::string> granted;                  // names of variables that skills may pass to its commands
  std::vector<SessionSkill> skills;                  // in the order they were loaded
  bool operator==(const SessionDetails&) const = default;
};

// What cannot be read counts as absent: we wrote it ourselves.
SessionDetails details_of(const SessionRow& row);
void keep_details(SessionRow& row, const SessionDetails& details);

}  // namespace talaria
