#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "gate/web_gate.h"
#include "web/private_hosts.h"
#include "web/resolver.h"
#include "web/transfer.h"

namespace talaria {

// A WebGate for several threads.
class SharedWebGate {
 public:
  explicit SharedWebGate(WebGate& gate) : gate_(gate) {}
  Result<WebPermit> permit(const std::string& host) {
    const std::lock_guard lock(mutex_);
    return gate_.permit(host);
  }

 private:
  std::mutex mutex_;
  WebGate& gate_;
};

struct FetchOptions {
  FetchLimits limits;
  PrivateHosts private_hosts;
  Resolver resolve = resolve_by_system;
};

// A page, at the end of its redirects. Also one that says 404.
struct WebPage {
  std::string final_url;
  int status = 0;
  std::string content_type;  // as the server wrote it
  std::string body;          // decompressed
  bool truncated = false;    // `body` is the start of it
  int redirects = 0;
  std::vector<std::string> notes;  // what the reader should know: "the last redirect left https for http"
};

// Each host on the way is judged by the gate and its addresses by the rule on private ones. Where the gate says no,
// `refused_host`, if given, gets the host.
Result<WebPage> fetch(const std::string& url, SharedWebGate& gate, const FetchOptions& options,
                      const std::atomic<bool>& cancelled, std::string* refused_host = nullptr);

}  // namespace talaria
