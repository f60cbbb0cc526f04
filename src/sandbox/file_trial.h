#pragma once
// For tests: a session's sandbox with a file server in it.
#include <sys/socket.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/check.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/socket.h"
#include "sandbox/file_client.h"
#include "sandbox/file_server.h"
#include "sandbox/space_trial.h"

namespace talaria {

class FileTrial : public SpaceTrial {
 public:
  using SpaceTrial::SpaceTrial;

  // The other end of a new server's socket.
  UniqueFd serve() {
    const std::string problem = prepare();
    if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str());
    CHECK(problem.empty());
    auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
    CHECK(space().files(session().command, std::move(theirs)));
    return std::move(mine);
  }

  FileClient files(std::chrono::milliseconds patience = 10s) { return *FileClient::adopt(serve(), patience); }

  // Of the only one that runs; it must have answered once.
  pid_t server_pid() {
    pid_t found = 0;
    for (const pid_t pid : descendants_of(space().pid())) {
      Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (name && *name == "talaria-files\n") found = pid;
    }
    CHECK(found > 0);
    return found;
  }
};

// The content of a file as the client gets it, or the error.
inline std::string content(FileClient& files, const std::string& path, const FileAccess& access = {.read = true}) {
  Result<OpenedFile> file = files.open(path, access);
  if (!file) return file.error().message();
  Result<std::string> text = read_at(file->fd.get(), 0, 1 << 20);
  return text ? *text : text.error().message();
}

// What went wrong, or nothing.
template <class T>
std::string problem_of(const Result<T>& result) {
  return result ? "" : result.error().message();
}

}  // namespace talaria
