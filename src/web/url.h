#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

inline constexpr size_t longest_url = 8192;

// Where a page is: http or https, no user in it, no fragment.
struct Url {
  enum class Scheme { http, https };
  Scheme scheme = Scheme::https;
  std::string
      host;  // lower case, an address in its plain form, IPv6 without brackets; may be UTF-8, see curl_library.h
  uint16_t port = 443;
  std::string target = "/";  // path and query, ASCII

  std::string text() const;
  bool operator==(const Url&) const = default;
};

// Reads a URL from outside; the error says what is wrong with it. Bytes that are not ASCII are percent-encoded.
Result<Url> parse_url(std::string_view text);

// The plain form of a host: lower case, no last dot, 0x7f.1 as 127.0.0.1. An error when it can be no host.
Result<std::string> plain_host(std::string_view host);

// What `reference` means on the page `base`: "../a?b" becomes absolute, dots resolved, the fragment kept. Never fails;
// what has a scheme of its own comes back as it is. `base` must be absolute.
std::string resolve_reference(std::string_view base, std::string_view reference);

// The scheme in lower case, or nothing: "http", "mailto".
std::string scheme_of(std::string_view reference);

// `text` with everything but letters, digits and -._~ percent-encoded, for a query.
std::string percent_encode(std::string_view text);

}  // namespace talaria
