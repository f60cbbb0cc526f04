#include "web/private_hosts.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace talaria {
namespace {

bool is_name_pattern(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == '*' || c == '?' || c >= 0x80;
  });
}

}  // namespace

std::optional<PrivateHosts::Entry> PrivateHosts::parse(const std::string& text) {
  std::string name = lower(trim(text));
  Entry entry;
  const size_t colon = name.rfind(':');
  const bool bracketed = name.starts_with('[');
  // A bare IPv6 address has colons of its own; with a port it stands in brackets.
  if (colon != std::string::npos && (bracketed ? name[colon - 1] == ']' : name.find(':') == colon)) {
    entry.port = parse_port(std::string_view(name).substr(colon + 1));
    if (!entry.port) return std::nullopt;
    name.resize(colon);
  }
  if (bracketed && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  entry.network = parse_network(name);
  if (!entry.network && !is_name_pattern(name)) return std::nullopt;
  entry.name = std::move(name);
  return entry;
}

PrivateHosts::PrivateHosts(const std::vector<std::string>& entries) {
  for (const std::string& text : entries) {
    if (auto entry = parse(text)) {
      entries_.push_back(*std::move(entry));
    } else {
      unreadable_.push_back(text);
    }
  }
}

bool PrivateHosts::allow(const std::string& host, uint16_t port, const IpAddress& address) const {
  if (is_public(address)) return true;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.port && *entry.port != port) return false;
    if (entry.network) return entry.network->holds(address);
    return ::fnmatch(entry.name.c_str(), host.c_str(), 0) == 0;
  });
}

}  // namespace talaria
