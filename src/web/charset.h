#pragma once
#include <string>
#include <string_view>

namespace talaria {

// Text of a page as UTF-8, whatever it came as.
struct Decoded {
  std::string text;     // always valid UTF-8
  std::string charset;  // what it was taken for: "utf-8", "shift_jis"
  // Set when the page named a character set nobody knows; `charset` is then a guess.
  std::string unknown_label;
  bool operator==(const Decoded&) const = default;
};

// By byte order mark, the Content-Type header, what the first 1024 bytes declare (<meta>, <?xml encoding), or a guess:
// UTF-8 where valid, windows-1252 otherwise. Never fails; what cannot be read becomes U+FFFD.
Decoded decode_page(std::string bytes, std::string_view content_type);

// The value of `charset=` in a Content-Type, lower case; empty without one.
std::string charset_of(std::string_view content_type);

}  // namespace talaria
