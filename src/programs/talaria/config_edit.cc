#include "talaria/config_edit.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "config/file.h"
#include "config/settings.h"
#include "os/file.h"
#include "talaria/print.h"

namespace talaria {
namespace {

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const char* value = std::getenv(name);
    if (value && *value) return value;
  }
  return "vi";
}

// Through the shell, as everyone does: $EDITOR may hold options.
Result<> run_editor(const std::string& file) {
  std::string command = editor() + " \"$1\"";
  std::string shell = "/bin/sh", name = "sh", dash_c = "-c", path = file;
  char* arguments[] = {name.data(), dash_c.data(), command.data(), name.data(), path.data(), nullptr};
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, shell.c_str(), nullptr, nullptr, arguments, environ);
  if (failure != 0) return Error::from_number(failure, "start " + editor());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return Error::from_errno("wait for " + editor());
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error(ErrorCode::cancelled,
                 editor() + " failed, so nothing was changed. Set VISUAL or EDITOR to another one");
  }
  return ok;
}

}  // namespace

Result<> edit_config_by_hand(const std::string& path) {
  const std::string before = exists(path) ? TRY(read_file(path)) : std::string();
  const std::string copy = path + ".edit.yaml";
  TRY(write_file_atomically(copy, before));
  TRY(run_editor(copy));
  const std::string after = TRY(read_file(copy));
  if (after != before) {
    Result<Settings> checked = parse_settings(after);
    if (!checked) {
      return invalid("what you wrote is not valid, so " + path + " stays as it was. Your text is in " + copy + ": " +
                     checked.error().message());
    }
    const auto replace = [&](std::string_view now) -> Result<std::string> {
      if (now == before) return after;
      return Error(ErrorCode::conflict, path + " was changed by someone else meanwhile. Your text is in " + copy);
    };
    TRY(edit_config_file(path, replace));
  }
  return remove_tree(copy);
}

}  // namespace talaria
