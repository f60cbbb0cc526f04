#pragma once
#include <map>
#include <string>
#include <vector>

namespace talaria {

// What would run, as the gate judges it and the keeper starts it: nothing about it changes in between.
struct Command {
  std::vector<std::string> argv;  // argv[0] is the absolute path of the program
  std::string cwd;                // absolute
  std::map<std::string, std::string> environment;
  bool operator==(const Command&) const = default;
};

}  // namespace talaria
