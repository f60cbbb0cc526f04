#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patch/passage.h"
#include "patch/sequence_search.h"

namespace talaria {

// What to look for in which text, and what all strategies need to know of it, made when first asked for.
class PassageSearch {
 public:
  // The views must outlive the search. `old_text` is more than blanks.
  PassageSearch(std::string_view text, std::string_view old_text, std::string_view new_text)
      : text_(text), old_text_(old_text), new_text_(new_text) {}

  std::string_view text() const { return text_; }
  std::string_view old_text() const { return old_text_; }
  std::string_view new_text() const { return new_text_; }

  const std::vector<std::string_view>& lines();
  const LineHashes& trimmed_hashes();
  // From the start of one line to the end of another, without its line end.
  Passage whole_lines(size_t first, size_t count);

 private:
  std::string_view text_, old_text_, new_text_;
  std::optional<std::vector<std::string_view>> lines_;
  std::optional<LineHashes> trimmed_hashes_;
};

// Two strings of a caller for a search by whole lines: a line end that both have at their end says nothing.
struct LinePair {
  LinePair(std::string_view old_string, std::string_view new_string);
  std::string_view old_text;
  std::string_view new_text;
  bool ends_line = false;         // the old string ended with a line end
  bool removes_line_end = false;  // the lines go, and the end of the last with them
};

// The strategies that leave out nothing but spelling, in their fixed order: what the first finds that finds anything.
std::optional<Found> find_passages(PassageSearch& search);

// The places whose lines are those of `wanted` but for blanks at their ends.
std::vector<Passage> find_trimmed_lines(PassageSearch& search, std::string_view wanted);

}  // namespace talaria
