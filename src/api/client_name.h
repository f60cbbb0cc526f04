#pragma once
#include <sys/types.h>

#include <string>

namespace talaria {

// The name of a client that gives none: each process is one, and a later process of the same number is another.
std::string client_of_process(pid_t pid);
// Whether a client has such a name, and its process has ended.
bool is_ended_process(const std::string& client);

}  // namespace talaria
