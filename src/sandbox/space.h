#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "json/json.h"
#include "os/fd.h"
#include "os/pty.h"
#include "sandbox/identity.h"
#include "sandbox/profile.h"
#include "sandbox/refused_routes.h"
#include "sandbox/session_memory.h"
#include "sandbox/shown_path.h"
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
  uint64_t segment_bytes = 0;     // what its shared memory segments may hold together, of an own ipc; 0: no limit
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
// What only a process of the session's namespaces can open.
struct HolderFds {
  RefusedRoutes refused_routes;  // of a network of its own
  SessionMemory memory;
};
// What is said first on a holder's socket: that the sandbox stands, {counters}, with the descriptors of so many
// counters and those for a SessionMemory; or why not.
Result<HolderFds> holder_answer(std::string_view text, std::vector<UniqueFd> fds);
std::string refusing_answer(const Error& why);

// Whose child the holder becomes, and with whose end it dies.
enum class SpaceParent { caller, callers_parent };

struct HolderProcess {
  pid_t pid = -1;
  UniqueFd pidfd;
};
// Makes the namespaces and the holder in them, which answers and takes orders on `socket`. The process must have one
// thread.
Result<HolderProcess> start_holder(const SpacePlan& plan, UniqueFd socket, SpaceParent parent);

// The sandbox of one session: its namespaces, held by a process that is the first of them and makes commands in them.
// When the object goes, the holder and everything below it goes too.
class SessionSpace {
 public:
  // Waits until the sandbox stands. The process must have one thread.
  static Result<SessionSpace> start(const SpacePlan& plan, SpaceParent parent = SpaceParent::caller);
  // One that another process has started; it goes when this end of its socket does.
  static SessionSpace adopt(UniqueFd socket);
  SessionSpace(SessionSpace&& other) noexcept;
  SessionSpace& operator=(SessionSpace&&) = delete;
  ~SessionSpace();

  // Starts a command. Reports come on the other end of `control`; closing that end ends the command.
  Result<> command(CommandOrder order, UniqueFd control, CommandStreams streams);
  // Starts a file server for a FileClient on the other end of `socket`, of a SOCK_SEQPACKET pair. It is confined as a
  // command of this order would be.
  Result<> files(CommandOrder order, UniqueFd socket);
  // Keeps a program ready to fork commands from, in place of one of another id. It is heard of in the report of a
  // command that names the id.
  Result<> warm(const WarmOrder& order);
  // Shows all that the order names, read-only, and nothing else, to commands and file servers that start from now on.
  // `mounts` are those it gives. The ShowAnswer is written to `reply`, a stream socket, and then its end.
  Result<> show(const ShowOrder& order, const std::vector<UniqueFd>& mounts, UniqueFd reply);
  // A terminal of the session's own.
  Result<Pty> terminal(WindowSize size);

  pid_t pid() const { return holder_.pid; }
  // What it holds in memory without a process; of one that was adopted: nothing.
  const SessionMemory& memory() const { return fds_.memory; }
  // What its commands tried to reach in vain; of one that was adopted: nothing.
  const RefusedRoutes& refused_routes() const { return fds_.refused_routes; }
  int socket() const { return socket_.get(); }

 private:
  SessionSpace(HolderProcess holder, UniqueFd socket, SpaceParent parent);
  Result<> send(uint32_t kind, std::string_view body, const std::vector<int>& fds);

  HolderProcess holder_;
  UniqueFd socket_;
  SpaceParent parent_;
  HolderFds fds_;
};

}  // namespace talaria
