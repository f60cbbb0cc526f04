#include "gate/web_gate.h"

namespace talaria {

Result<WebPermit> WebGate::permit(const std::string& host) {
  const Verdict verdict = judge_host(host, hosts_);
  verdicts_.push_back({host, verdict});
  if (verdict.decision != Decision::allow) return Error(ErrorCode::denied, verdict.reason);
  return WebPermit(host);
}

}  // namespace talaria
