#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria {

// What another program's home holds that could be of use here. Reading it changes nothing there.
struct ImportSource {
  std::string root;  // its real path
  std::string config;
  std::map<std::string, std::string> variables;
  std::vector<size_t> stray_lines;  // of its .env: nobody knows what they mean
  bool has_skills = false;
  bool usual_place = false;                   // ~/.hermes, whose skills are read where they are
  std::vector<std::string> credential_files;  // tokens and the like, by their names
};

// Where it is: `from`, else $HERMES_HOME, else ~/.hermes. An error when it is not there or is no such home, or is
// `our_home` itself.
Result<ImportSource> read_hermes_home(const std::optional<std::string>& from, const std::string& our_home);

}  // namespace talaria
