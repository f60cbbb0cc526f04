#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "web/address.h"

namespace talaria {

// All addresses of a host's name, in the order they should be tried; never empty.
using Resolver = std::function<Result<std::vector<IpAddress>>(const std::string& host, Clock::time_point deadline,
                                                              const std::atomic<bool>& cancelled)>;

// getaddrinfo(3), which knows no deadline: it runs on a thread of its own, that is left behind when time is up.
Result<std::vector<IpAddress>> resolve_by_system(const std::string& host, Clock::time_point deadline,
                                                 const std::atomic<bool>& cancelled);

}  // namespace talaria
