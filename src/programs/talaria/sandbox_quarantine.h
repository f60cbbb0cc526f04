#pragma once
#include <string>
#include <vector>

namespace talaria {

// The actions of `talaria sandbox quarantine`, as its help begins with them.
inline constexpr const char* quarantine_usage = R"(talaria sandbox quarantine list [--json]
talaria sandbox quarantine show ID [--json]
talaria sandbox quarantine restore ID [--to PATH] [--force]
talaria sandbox quarantine delete ID...|--all

talaria sandbox quarantine list --help explains them.)";

// What follows `talaria sandbox quarantine`. Works on the folder of the home, without the gateway. Gives the exit code.
int run_quarantine(std::vector<std::string> words);

}  // namespace talaria
