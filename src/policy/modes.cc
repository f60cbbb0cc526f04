#include "policy/modes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/meant_name.h"
#include "base/text.h"

namespace talaria {
namespace {

template <class Mode, size_t count>
using Names = std::array<std::pair<Mode, std::string_view>, count>;

constexpr Names<Security, 3> security_names = {
    {{Security::deny, "deny"}, {Security::allowlist, "allowlist"}, {Security::full, "full"}}};
constexpr Names<Ask, 3> ask_names = {{{Ask::off, "off"}, {Ask::on_miss, "on-miss"}, {Ask::always, "always"}}};
constexpr Names<Host, 4> host_names = {
    {{Host::automatic, "auto"}, {Host::sandbox, "sandbox"}, {Host::gateway, "gateway"}, {Host::node, "node"}}};

template <class Mode, size_t count>
std::string_view name_in(const Names<Mode, count>& names, Mode mode) {
  for (const auto& [candidate, name] : names) {
    if (candidate == mode) return name;
  }
  return "";
}

template <class Mode, size_t count>
Result<Mode> parse_in(const Names<Mode, count>& names, std::string_view what, std::string_view text) {
  const std::string wanted = lower(trim(text));
  std::vector<std::string> allowed;
  for (const auto& [mode, name] : names) {
    if (name == wanted) return mode;
    allowed.emplace_back(name);
  }
  return invalid("Invalid exec " + std::string(what) + " \"" + std::string(text.substr(0, 64)) +
                 "\". Allowed values: " + join(allowed, ", ") + "." + did_you_mean_sentence(wanted, allowed));
}

}  // namespace

std::string_view name_of(Security security) { return name_in(security_names, security); }
std::string_view name_of(Ask ask) { return name_in(ask_names, ask); }
std::string_view name_of(Host host) { return name_in(host_names, host); }

Result<Security> parse_security(std::string_view text) { return parse_in(security_names, "security", text); }
Result<Ask> parse_ask(std::string_view text) { return parse_in(ask_names, "ask", text); }
Result<Host> parse_host(std::string_view text) { return parse_in(host_names, "host", text); }

Security tighter(Security configured, Security asked) { return std::min(configured, asked); }
Ask stricter(Ask configured, Ask asked) { return std::max(configured, asked); }

}  // namespace talaria
