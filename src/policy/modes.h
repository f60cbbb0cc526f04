#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// How much may run at all. In order: each one allows more than the one before.
enum class Security { deny, allowlist, full };

// When a person is asked. In order: each one asks more than the one before.
enum class Ask { off, on_miss, always };

// Where a job runs. `automatic` leaves the choice to the configuration.
enum class Host { sandbox, gateway, node, automatic };

std::string_view name_of(Security security);
std::string_view name_of(Ask ask);
std::string_view name_of(Host host);

// Errors list the allowed values: `Invalid exec host "x". Allowed values: auto, sandbox, gateway, node.`
Result<Security> parse_security(std::string_view text);
Result<Ask> parse_ask(std::string_view text);
Result<Host> parse_host(std::string_view text);

// A call can only tighten what is configured: the lesser security, the greater readiness to ask.
Security tighter(Security configured, Security asked);
Ask stricter(Ask configured, Ask asked);

}  // namespace talaria
