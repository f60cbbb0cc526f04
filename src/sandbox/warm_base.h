#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/mounts.h"
#include "sandbox/space_order.h"

namespace talaria {

// How a holder and its warm base talk, on a stream socket that is the base's descriptor 3. The base says `ready` once.
// An order is this header, then `length` bytes of an encoded CommandOrder, with fds: the claim, then those of a
// command. The base answers each with `forked` or `refused`.
struct WarmRequest {
  static constexpr char ready = 'r', forked = 'f', refused = 'n';
  static constexpr uint32_t longest = 16 << 20;
  uint32_t length;
};

// Only one can have it: who runs an order takes it first, so that an order whose base did not answer in time can be
// given to another without ever running twice.
class OrderClaim {
 public:
  static Result<OrderClaim> make();
  explicit OrderClaim(UniqueFd fd) : fd_(std::move(fd)) {}
  bool take();
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

// Whether a session's processes are root's own, with all that root may.
enum class Powers { of_a_namespace, all };

// A program that a session keeps ready, to fork commands from; this is the holder's side of it. It is in the session's
// namespaces as the sandbox's user, unconfined but for them, and may make the namespaces of commands: so it ends before
// it begins if it, or what it runs, could be exchanged by a command. When the object goes the program does, but what
// was forked from it lives on.
class WarmBase {
 public:
  // `loose`: see require_pinned.
  static Result<WarmBase> start(const WarmOrder& order, Powers powers, const MountIds& loose);
  WarmBase(WarmBase&& other) noexcept;
  WarmBase& operator=(WarmBase&& other) noexcept;
  ~WarmBase();

  const std::string& id() const { return id_; }
  bool ready() const { return ready_; }
  // To be watched; `hear` when it is readable. False: it is gone.
  int socket() const { return socket_.get(); }
  bool hear();

  // Has it run the order. No: nobody has begun with it, and nobody will. If it does not answer for a second it is
  // stuck, and of no more use.
  enum class Taken { yes, no };
  Taken hand_over(std::string_view order, const std::vector<UniqueFd>& fds);
  bool stuck() const { return stuck_; }

  // In a child of the holder: closes what is open, and leaves the program alone.
  void let_go();

 private:
  WarmBase(std::string id, UniqueFd process, UniqueFd socket);
  void end();

  std::string id_;
  UniqueFd process_;  // a pidfd
  UniqueFd socket_;
  bool ready_ = false;
  bool stuck_ = false;
};

}  // namespace talaria
