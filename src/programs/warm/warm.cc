// libtalaria-warm.so: what a Python interpreter loads to become the warm base of a session's sandbox. It needs no
// header of Python's: the three functions it takes from the interpreter have been the same since 3.7.
#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>

#include "os/fd.h"
#include "sandbox/warm_server.h"

extern "C" {
// Absent where this is not loaded by an interpreter.
void PyOS_BeforeFork() __attribute__((weak));
void PyOS_AfterFork_Parent() __attribute__((weak));
void PyOS_AfterFork_Child() __attribute__((weak));
}

namespace {

// Of the run that this process has become. The functions below are called from Python, which cannot hold it for us.
std::string program;      // NOLINT(cert-err58-cpp)
std::string environment;  // NOLINT(cert-err58-cpp)

}  // namespace

// Returns 0, in a process that is a confined run now. The base itself never returns: it ends with its socket, or at
// once when it cannot be one, so that a base can never be taken for a run.
extern "C" __attribute__((visibility("default"))) int talaria_warm_serve(int socket) {
  if (!PyOS_BeforeFork || !PyOS_AfterFork_Parent || !PyOS_AfterFork_Child) ::_exit(70);
  talaria::Result<talaria::CommandOrder> order = talaria::serve_as_warm_base(
      talaria::UniqueFd(socket), {PyOS_BeforeFork, PyOS_AfterFork_Parent, PyOS_AfterFork_Child});
  if (!order) ::_exit(70);
  program = std::move(order->argv.at(0));
  for (const std::string& entry : order->environment) environment.append(entry.c_str(), entry.size() + 1);
  return 0;
}

// NAME=value, each ended by a NUL.
extern "C" __attribute__((visibility("default"))) const char* talaria_warm_environment(size_t* length) {
  *length = environment.size();
  return environment.data();
}

extern "C" __attribute__((visibility("default"))) const char* talaria_warm_program() { return program.c_str(); }
