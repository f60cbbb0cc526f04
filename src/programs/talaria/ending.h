#pragma once
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

// Exit codes of our own, beside the command's.
enum ExitCode { exit_timeout = 124, exit_own_failure = 125, exit_denied = 126 };

// The exit code that stands for a job's end, from its details: the command's own, 128 + n for signal n, or one of ours.
// A job that still runs gives 0.
int exit_code_of(const JsonObject& details);

// "sandbox: profile read-only, network off" and what is missing, from a job's details; empty for one in no sandbox.
std::string sandbox_sentence(const JsonObject& details);

// What was done about what a command left in the workspace, from its details; empty when there is nothing to tell.
std::string violations_sentence(const JsonObject& details);

// That a command that failed had tried the network, which is off; empty when it had not.
std::string network_sentence(const JsonObject& details);

// Where the files are that a command made in a private place; empty when it made none.
std::string private_files_sentence(const JsonObject& details);

// Whether commands see a private home in place of the workspace, which is a home itself.
bool workspace_is_hidden(const JsonObject& details);

// The shell command that the words after the options mean: one word is a shell command as it is; several are one
// program with its arguments, each quoted so that the shell sees exactly these words.
std::string command_from_words(const std::vector<std::string>& words);

}  // namespace talaria
