#pragma once
#include <string>
#include <vector>

#include "talaria/command_line.h"

namespace talaria {

// A script for bash or zsh that completes commands, options and the ids of jobs. Gives the exit code.
int print_completion(const std::string& shell, const std::vector<const CliCommand*>& commands);

}  // namespace talaria
