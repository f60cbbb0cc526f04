#pragma once
#include <string>

#include "policy/modes.h"

namespace talaria {

enum class Decision { allow, deny };

// What the policy says of one command, why, and which rule said it.
struct Verdict {
  Decision decision = Decision::deny;
  std::string reason;
  std::string rule;  // for programs and for the audit: "security=deny"
  bool operator==(const Verdict&) const = default;
};

// The verdict of the modes alone. Combinations that need an allowlist or a person to ask are refused with the reason:
// a rule that cannot be applied must never read as permission.
Verdict judge(Host host, Security security, Ask ask);

}  // namespace talaria
