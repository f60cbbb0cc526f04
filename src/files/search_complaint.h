#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

// What a search program says of a pattern it does not understand.
struct SearchComplaint {
  std::string message;
  uint64_t position = 0;  // the character of the pattern, from 1; 0: it does not say
  bool operator==(const SearchComplaint&) const = default;
};

// `text` is all it printed.
SearchComplaint explain_complaint(std::string_view text);

}  // namespace talaria
