#include "web/resolver.h"

#include <netdb.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace talaria {
namespace {

constexpr int most_lookups = 32;
constexpr auto look_at_cancelled_every = 50ms;

// Owned by the thread that asks and by the one that waits; either may end first.
struct Lookup {
  explicit Lookup(std::string name) : host(std::move(name)) {}

  const std::string host;
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  int status = 0;
  std::vector<IpAddress> addresses;
};

std::atomic<int>& lookups_under_way() {
  static std::atomic<int> count = 0;
  return count;
}

void look_up(const std::shared_ptr<Lookup>& lookup) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(lookup->host.c_str(), nullptr, &hints, &found);
  std::vector<IpAddress> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    const auto address = address_of(*entry->ai_addr);
    if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) {
      addresses.push_back(*address);
    }
  }
  if (found != nullptr) ::freeaddrinfo(found);
  lookups_under_way() -= 1;
  const std::lock_guard lock(lookup->mutex);
  lookup->status = status;
  lookup->addresses = std::move(addresses);
  lookup->done = true;
  lookup->done_changed.notify_all();
}

Error failure(const std::string& host, int status) {
  if (status == EAI_AGAIN || status == EAI_SYSTEM || status == EAI_FAIL) {
    return {ErrorCode::unavailable, "cannot look up the host " + host + ": no DNS server answers. Is there a network?"};
  }
  return {ErrorCode::not_found, "there is no host called " + host + " (DNS knows no address for it)"};
}

}  // namespace

Result<std::vector<IpAddress>> resolve_by_system(const std::string& host, Clock::time_point deadline,
                                                 const std::atomic<bool>& cancelled) {
  if (lookups_under_way().fetch_add(1) >= most_lookups) {
    lookups_under_way() -= 1;
    return Error(ErrorCode::conflict,
                 "cannot look up the host " + host + ": too many lookups wait for an answer already");
  }
  const auto lookup = std::make_shared<Lookup>(host);
  try {
    std::thread(look_up, lookup).detach();
  } catch (const std::system_error& error) {
    lookups_under_way() -= 1;
    return Error::from_number(error.code().value(), "start a thread to look up the host " + host);
  }
  std::unique_lock lock(lookup->mutex);
  while (!lookup->done) {
    if (cancelled) return Error(ErrorCode::cancelled, "cancelled while the host " + host + " was looked up");
    const auto now = Clock::now();
    if (now >= deadline) {
      return Error(ErrorCode::timed_out, "the lookup of the host " + host + " got no answer from DNS in time");
    }
    lookup->done_changed.wait_until(lock, std::min(deadline, now + look_at_cancelled_every));
  }
  if (lookup->status != 0 || lookup->addresses.empty()) return failure(host, lookup->status);
  return std::move(lookup->addresses);
}

}  // namespace talaria
