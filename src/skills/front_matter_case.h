#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// One file and all that is read from it.
struct FrontMatterCase {
  std::string name;
  std::string_view file;
  std::string fields;  // as JSON; "absent" where there is no front matter
  std::string body;
  std::vector<std::string> diagnostics;  // "line: message"; every one a warning
};

}  // namespace talaria
