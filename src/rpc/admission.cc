#include "rpc/admission.h"

#include <unistd.h>

#include <algorithm>
#include <climits>

namespace talaria {
namespace {

constexpr size_t fewest_connections = 6;
constexpr size_t most_derived = 4096;
constexpr size_t kept_for_persons = 2;

bool runs_program(pid_t pid, const std::string& program) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
  return length > 0 && program == std::string_view(path, static_cast<size_t>(length));
}

}  // namespace

size_t most_connections(uint64_t open_files, int64_t configured) {
  const uint64_t spare = open_files - std::min(open_files, fewest_gateway_files);
  const size_t derived = std::min<size_t>(fewest_connections + spare / 4 * 3, most_derived);
  return configured > 0 ? std::min(derived, static_cast<size_t>(configured)) : derived;
}

Result<> Admission::check(const Peer& peer, size_t connected) const {
  const int64_t configured = configured_();
  const size_t most = most_connections(open_files_, configured);
  if (connected < most) return ok;
  if (connected < most + kept_for_persons && runs_program(peer.pid, persons_)) return ok;
  const bool ours = configured > 0 && most == static_cast<size_t>(configured);
  return Error(ErrorCode::conflict,
               std::to_string(connected) + " clients are connected to the gateway, " +
                   (ours ? "and gateway.max_connections allows no more: close some, or raise it "
                           "(talaria config set gateway.max_connections NUMBER)"
                         : "which is the most that its limit of open files (" + std::to_string(open_files_) +
                               ") allows: disconnect some, or raise the limit and restart from the same shell: "
                               "ulimit -n NUMBER; talaria serve --replace"));
}

}  // namespace talaria
