#pragma once
#include <optional>
#include <string>
#include <vector>

#include "process/environment.h"
#include "store/session_table.h"

namespace talaria {

// A skill that a session has loaded.
struct SessionSkill {
  std::string name;       // for look-up
  std::string directory;  // real
  std::string file;       // its SKILL.md, as it was found
  // What it declared: it gets that for as long as its text is trusted with it.
  std::vector<std::string> variables;    // names
  std::vector<std::string> credentials;  // files, relative to our home
  std::vector<std::string> settings;     // keys below skills.config that may name places for it to read
  // Where it was looked for from.
  std::string looked_from;
  Environment looked_with;  // variables of whoever asked that lead to folders of skills
  bool operator==(const SessionSkill&) const = default;
};

// What is stored of a session beside its columns.
struct SessionDetails {
  std::optional<std::vector<std::string>> toolsets;  // absent: all that are configured
  std::string shell_cwd;                             // where its last command went; empty: nowhere
  std::vector<std::string> exported;                 // names only of what its commands exported: values may be secrets
  std::vector<std::string> granted;                  // names of variables that its commands were ever given by skills
  std::vector<SessionSkill> skills;                  // in the order they were loaded
  bool operator==(const SessionDetails&) const = default;
};

// What cannot be read counts as absent: we wrote it ourselves.
SessionDetails details_of(const SessionRow& row);
void keep_details(SessionRow& row, const SessionDetails& details);

}  // namespace talaria
