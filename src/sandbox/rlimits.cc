#include "sandbox/rlimits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace talaria {
namespace {

int set(__rlimit_resource resource, uint64_t soft, uint64_t hard) {
  if (hard == ResourceLimits::as_it_is) return 0;
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return errno;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, hard);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, soft);
  return ::setrlimit(resource, &limit) == 0 ? 0 : errno;
}

// The kernel refuses to pass a descriptor when more of its user's are on their way than the passing process may open.
// Whoever passes descriptors to confined processes may be of their user, so they get less, and cannot use up what he
// has.
int set_open_files(uint64_t soft, uint64_t hard) {
  if (hard == ResourceLimits::as_it_is) return 0;
  constexpr uint64_t reserve = 4096;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  const uint64_t ours = limit.rlim_max;
  return set(RLIMIT_NOFILE, soft, std::min(hard, std::min(ours / 2, std::max(ours, 2 * reserve) - reserve)));
}

int set(__rlimit_resource resource, uint64_t limit) { return set(resource, limit, limit); }

}  // namespace

int apply_limits(const ResourceLimits& limits) {
  if (const int error = set(RLIMIT_CORE, limits.core)) return error;
  if (const int error = set(RLIMIT_NPROC, limits.processes)) return error;
  if (const int error = set(RLIMIT_DATA, limits.data)) return error;
  if (const int error = set(RLIMIT_FSIZE, limits.file_size)) return error;
  if (const int error = set_open_files(limits.open_files_at_first, limits.open_files)) return error;
  if (const int error = set(RLIMIT_MEMLOCK, limits.locked_memory)) return error;
  if (const int error = set(RLIMIT_MSGQUEUE, limits.message_queues)) return error;
  return set(RLIMIT_SIGPENDING, limits.pending_signals);
}

}  // namespace talaria
