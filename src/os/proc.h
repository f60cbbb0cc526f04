#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace talaria {

// What /proc says of processes. All of it may be old news by the time it is read.

std::optional<pid_t> parent_of(pid_t pid);
// One letter of /proc/PID/stat: R S D T Z …
std::optional<char> state_of(pid_t pid);
// When it began, in ticks since the machine started: with the pid it names one process for good.
std::optional<std::string> began(pid_t pid);
// Every live process below `root`, children before grandchildren; `root` itself is not in it.
std::vector<pid_t> descendants_of(pid_t root);
bool descends_from(pid_t pid, pid_t ancestor);
// The value of a variable in the environment the process was started with.
std::optional<std::string> started_with(pid_t pid, const std::string& name);
// Private memory in bytes (what would be freed if the process ended).
std::optional<size_t> private_bytes(pid_t pid);

}  // namespace talaria
