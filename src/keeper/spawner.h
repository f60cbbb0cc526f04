#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "guard/guard_process.h"
#include "keeper/launcher.h"
#include "os/fd.h"
#include "sandbox/probe.h"
#include "sandbox/shown_sources.h"
#include "sandbox/space.h"

namespace talaria {

// A process forked from the keeper before the keeper holds anything, that forks the supervisors and makes the
// sandboxes. Its memory stays tiny and unchanged, so a fork costs little, and nothing it forks keeps a private copy of
// the keeper's heap or any of its fds. All of them are still the keeper's children (CLONE_PARENT).
class Spawner : public Launcher {
 public:
  // Call first thing, while the process is small and has one thread.
  static Result<Spawner> start();

  // These block only while the spawner's socket is full, which its reading empties.

  Result<Pty> terminal(WindowSize size) override { return open_pty(size); }
  Result<> prepare(int) override { return ok; }
  Result<> launch(const std::string& job, const SpawnOrder& order, UniqueFd control, JobStreams streams) override;
  // Makes a session's sandbox; its holder's answer comes on the other end of `socket`.
  Result<> make_space(const SpacePlan& plan, UniqueFd socket);
  // Opens what a sandbox is to show; what receive_source reads comes on the other end of `answer`, and then its end.
  Result<> open_sources(const SourcesOrder& order, UniqueFd answer);
  // What the machine can do comes on the other end of `answer`, as JSON, and then its end.
  Result<> probe(const ProbeQuestion& question, UniqueFd answer);

  // Starts the guard of a workspace; it speaks on the other end of `socket`.
  Result<> guard(const GuardOrder& order, UniqueFd socket);

  pid_t pid() const { return pid_; }

 private:
  Spawner(pid_t pid, UniqueFd socket) : pid_(pid), socket_(std::move(socket)) {}
  Result<> send(uint32_t kind, std::string_view body, std::vector<int> fds);

  pid_t pid_;
  UniqueFd socket_;
};

}  // namespace talaria
