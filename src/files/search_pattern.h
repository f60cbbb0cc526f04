#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "files/name_glob.h"
#include "files/search_complaint.h"

namespace talaria {

// A pattern that was written for rg, as grep -E knows it.
struct GrepPattern {
  std::string text = {};
  LetterCase letters = LetterCase::as_written;
  std::optional<SearchComplaint> fault = {};  // why it cannot be: wrong, in rg's words, or more than grep can do
};

// (?i) in front becomes `letters`, \d is [0-9], escapes in brackets, which grep does not know, go. What grep would take
// for something else is a fault, as are groups and brackets without an end.
GrepPattern for_grep(std::string_view pattern);

}  // namespace talaria
