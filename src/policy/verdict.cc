#include "policy/verdict.h"

namespace talaria {

Verdict judge(Host host, Security security, Ask ask) {
  const std::string rule = "security=" + std::string(name_of(security)) + " ask=" + std::string(name_of(ask));
  switch (security) {
    case Security::deny:
      return {Decision::deny, "exec denied: host=" + std::string(name_of(host)) + " security=deny", "security=deny"};
    case Security::allowlist:
      return {Decision::deny,
              "exec denied: security=allowlist needs the allowlist, which this version does not have; use security "
              "full or deny",
              rule};
    case Security::full: break;
  }
  if (ask == Ask::off) return {Decision::allow, "security=full allows every command", rule};
  return {Decision::deny,
          "exec denied: ask=" + std::string(name_of(ask)) +
              " needs approvals, which this version does not have; use ask off",
          rule};
}

}  // namespace talaria
