#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "guard/violation.h"
#include "json/json.h"
#include "sandbox/limit_stop.h"

namespace talaria {

enum class EndReason {
  none,     // still running
  exit,     // by itself, with a code or by a signal that we did not send
  timeout,  // we ended it: its time was over
  killed,   // we ended it: someone asked
  limit,    // we ended it: it took more than its sandbox may; `stopped_by` says of what
};

// Whether the network was tried in vain while a failed command ran, where it is off; `shared`: others ran in the same
// sandbox meanwhile, and it may have been one of them.
enum class NetworkTried { no, itself, shared };
std::string_view name_of(NetworkTried tried);
NetworkTried network_tried_named(std::string_view name);

// The keeper's word on one job.
struct JobStatus {
  std::string job;
  pid_t pid = 0;
  bool running = true;  // the command itself; what it left behind is counted in `leftovers`
  bool gone = false;    // no process of it is left and its output is complete
  EpochMs started_ms = 0;
  EpochMs ended_ms = 0;
  std::string boot{};           // the start of the machine that the next two count from; older keepers name none
  int64_t started_boot_ns = 0;  // unlike the wall clock above, these differ by how long it ran
  int64_t ended_boot_ns = 0;
  int exit_code = 0;  // valid when not running and exit_signal is 0
  int exit_signal = 0;
  EndReason reason = EndReason::none;
  std::optional<LimitStop> stopped_by;
  int leftovers = 0;          // processes still alive when the command ended
  uint64_t output_bytes = 0;  // all that was ever printed
  uint64_t lost_begin = 0;    // the range the log's cap, or a failing disk, cost: [lost_begin, lost_end)
  uint64_t lost_end = 0;
  bool tty = false;
  bool stdin_open = false;
  bool warm = false;                    // forked from the sandbox's warm base
  bool told = false;                    // a gateway said that somebody was told how it ended
  std::string warning;                  // such as: no terminal to be had, a pipe instead; disk full
  JsonObject meta;                      // what the gateway gave at the start, word for word
  std::vector<Violation> violations{};  // what was found in the workspace while it ran
  NetworkTried network_tried = NetworkTried::no;
  std::vector<std::string> private_files{};  // that it, or others beside it, left in the private home or /tmp
  bool operator==(const JobStatus&) const = default;
};

JsonObject to_json(const JobStatus& status);
JobStatus job_status_from(const JsonObject& object);

}  // namespace talaria
