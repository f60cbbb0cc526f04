#pragma once
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace talaria {

// The name of the variable that carries the number of the readiness pipe's fd.
inline constexpr const char* ready_variable = "TALARIA_READY_FD";

// Starts one of our own programs in the background: own session, stdin /dev/null, output appended to `log`, and a pipe
// on which it says one line when it is ready, or why it is not. Returns that line. `environment` is all it gets, beside
// the pipe's number.
Result<std::string> start_daemon(const std::string& program, std::vector<std::string> environment,
                                 const std::string& log, Clock::duration patience);

// The daemon's side: says the line and closes the pipe. Without a pipe (started by hand) does nothing.
void announce_ready(const std::string& line);

// A program that lies beside the running one.
std::string sibling_program(const std::string& name);
// Where what belongs to the programs is: lib/talaria beside their directory; links resolved.
std::string library_directory();

}  // namespace talaria
