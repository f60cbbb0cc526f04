#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "json/json.h"
#include "os/fd.h"
#include "os/pty.h"
#include "sandbox/identity.h"
#include "sandbox/profile.h"
#include "sandbox/space_command.h"
#include "sandbox/space_order.h"
#include "sandbox/view.h"

namespace talaria {

// All one needs to make the sandbox of a session, as plain data.
struct SpacePlan {
  Identity identity;
  MountPlan mounts;
  bool own_network = true;        // its own network namespace, with nothing in it but a loopback
  bool loopback_required = true;  // else a machine that cannot bring it up goes without
  bool own_ipc = true;            // ipc, uts and cgroup namespaces of its own; only profile full goes without
  bool operator==(const SpacePlan&) const = default;
};
JsonObject to_json(const SpacePlan& plan);
Result<SpacePlan> space_plan_from_json(const JsonObject& object);

// Where a sandbox's set-up stopped.
struct SpaceFailure {
  SpaceStep step = SpaceStep::clone;
  int number = 0;  // errno, or 0
  std::string message;
};
Error to_error(const SpaceFailure& failure);

// The sandbox of one session: its namespaces, held by a process that is the first of them and makes commands in them.
// When the object goes, the holder and everything below it goes too.
class SessionSpace {
 public:
  enum class Parent { caller, callers_parent };  // whose child the holder becomes, and with whose end it dies

  // Waits until the sandbox stands. The process must have one thread.
  static Result<SessionSpace> start(const SpacePlan& plan, Parent parent = Parent::caller);
  SessionSpace(SessionSpace&& other) noexcept;
  SessionSpace& operator=(SessionSpace&&) = delete;
  ~SessionSpace();

  // Starts a command. Reports come on the other end of `control`; closing that end ends the command.
  Result<> command(const CommandOrder& order, UniqueFd control, CommandStreams streams);
  // A terminal of the session's own.
  Result<Pty> terminal(WindowSize size);

  pid_t pid() const { return pid_; }

 private:
  SessionSpace(pid_t pid, UniqueFd pidfd, UniqueFd socket, Parent parent);
  Result<> send(uint32_t kind, std::string_view body, const std::vector<int>& fds);

  pid_t pid_;
  UniqueFd pidfd_;
  UniqueFd socket_;
  Parent parent_;
};

}  // namespace talaria
