#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "web/resolver.h"
#include "web/url.h"

namespace talaria {

struct FetchLimits {
  std::chrono::milliseconds total = 30s;  // from the first lookup to the last byte, redirects included
  std::chrono::milliseconds connect = 10s;
  long stall_bytes = 100;  // fewer a second than this, for so long, is given up
  std::chrono::seconds stall = 10s;
  size_t body = 8 << 20;  // after decompression
  size_t headers = 256 << 10;
  int redirects = 5;
  std::string proxy;    // a URL; none, whatever the environment says, when empty
  std::string ca_file;  // certificates to trust instead of the system's
};

struct Request {
  enum class Method { get, post };
  Url url;
  Method method = Method::get;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;                  // for post
};

struct Response {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  bool truncated = false;  // there was more than the limit

  // The first of that name, or empty.
  std::string header(std::string_view name) const;
};

// What one request may do, and how long.
struct TransferReach {
  const FetchLimits& limits;
  Clock::time_point deadline;
  const Resolver& resolve;
  // Asked for each address the host has, and again for the very address that is connected to.
  std::function<bool(const IpAddress&)> may_connect;
  const std::atomic<bool>& cancelled;
};

// One request and its answer, on this thread. Follows no redirect, and does not read the body of one. No cookies, no
// stored passwords, no proxy of the environment; certificates are checked. Errors name the host and never the rest of
// the URL or a header.
Result<Response> transfer(const Request& request, const TransferReach& reach);

bool is_redirect(const Response& response);

}  // namespace talaria
