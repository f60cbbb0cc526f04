#pragma once
#include <string>
#include <vector>

namespace talaria {

// Where `secret` is in files below `folder`, the unreadable ones left out.
std::vector<std::string> files_with(const std::string& folder, const std::string& secret);

// Which processes show it to others, as "12/cmdline".
std::vector<std::string> processes_with(const std::string& secret);

}  // namespace talaria
