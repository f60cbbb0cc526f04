#pragma once
#include <string>
#include <vector>

namespace talaria {

// What follows `talaria sandbox quarantine`. Works on the folder of the home, without the gateway. Gives the exit code.
int run_quarantine(std::vector<std::string> words);

}  // namespace talaria
