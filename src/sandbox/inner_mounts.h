#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// What is mounted somewhere in `folder`, but not on it: each place once, in order. `table` is a mountinfo of /proc.
std::vector<std::string> mounts_inside(const std::string& folder, std::string_view table);
// The same of this process; nothing where the table cannot be read.
std::vector<std::string> mounts_inside(const std::string& folder);

}  // namespace talaria
