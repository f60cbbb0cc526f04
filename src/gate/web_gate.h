#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/rule_list.h"

namespace talaria {

// Leave to ask one host for something. Only a WebGate can cut one.
class WebPermit {
 public:
  const std::string& host() const { return host_; }

 private:
  friend class WebGate;
  explicit WebPermit(std::string host) : host_(std::move(host)) {}

  std::string host_;
};

struct WebVerdict {
  std::string host;
  Verdict verdict;
  bool operator==(const WebVerdict&) const = default;
};

// Judges every host that one call of a tool asks, those it is sent on to included. The Gate makes one for each call; it
// may be used on another thread, by one at a time.
class WebGate {
 public:
  // `host` as a URL names it: lower case, an IPv6 address without brackets. An error has the code denied and says what
  // the owner can do.
  Result<WebPermit> permit(const std::string& host);

  const std::vector<WebVerdict>& verdicts() const { return verdicts_; }

 private:
  friend class Gate;
  explicit WebGate(RuleList hosts) : hosts_(std::move(hosts)) {}

  RuleList hosts_;
  std::vector<WebVerdict> verdicts_;
};

}  // namespace talaria
