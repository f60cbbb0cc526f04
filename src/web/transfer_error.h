#pragma once
#include <curl/curl.h>

#include <string>

#include "base/result.h"
#include "web/transfer.h"

namespace talaria {

// How far a transfer had come when it failed.
struct TransferFailure {
  CURLcode code = CURLE_OK;
  std::string detail;      // libcurl's own words
  int system_error = 0;    // errno of the failed connect
  bool connected = false;  // by TCP
  bool ready = false;      // by TLS too, where it is used
  size_t received = 0;     // bytes of the body
  bool headers_seen = false;
};

// A sentence that says which host, what happened and what can be done.
Error explain(const TransferFailure& failure, const Url& url, const FetchLimits& limits);

// "example.org" or "example.org:8080".
std::string place_of(const Url& url);

Error blocked_address(const IpAddress& address);

}  // namespace talaria
