#include "os/inside_job.h"

#include <signal.h>

#include <cerrno>

#include "os/file.h"
#include "os/proc.h"

namespace talaria {
namespace {

constexpr int most_ancestors = 1000;

// A job may take the name, too, and only gets itself refused.
bool is_called_keeper(pid_t pid) {
  const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
  return name && *name == "talaria-keeper\n";
}

bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

bool runs_inside_job(pid_t pid, pid_t keeper) {
  for (int depth = 0; depth < most_ancestors && pid > 1; ++depth) {
    if (pid == keeper || started_with(pid, "TALARIA_JOB") || is_called_keeper(pid)) return true;
    const auto parent = parent_of(pid);
    // Where /proc hides the processes of other users, those above one of them are no job's.
    if (!parent) return is_gone(pid);
    pid = *parent;
  }
  return false;
}

}  // namespace talaria
