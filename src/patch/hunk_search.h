#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "patch/v4a.h"
#include "patch/working_lines.h"

namespace talaria {

// Where the lines of a hunk are: nowhere, at one line, or at several that may be meant.
struct HunkPlaces {
  std::vector<size_t> lines;
  Tolerance tolerance = Tolerance::none;
};

// Finds the places of one hunk after another.
class HunkSearch {
 public:
  // `lines` must outlive it.
  explicit HunkSearch(WorkingLines& lines) : lines_(lines) {}

  // What `wanted` (not empty) of `hunk` may stand for, from line `from` on, or before it if there is nothing after.
  HunkPlaces find(const Hunk& hunk, const std::vector<std::string_view>& wanted, size_t from);

  // The lines that the last of the hints names, each within what the hint before it names.
  std::vector<size_t> find_hints(const std::vector<std::string>& hints, size_t from) const;

 private:
  void narrow(const Hunk& hunk, size_t length, size_t from, std::vector<size_t>& places) const;
  std::vector<size_t> find_hint(std::string_view hint, size_t from) const;

  WorkingLines& lines_;
};

}  // namespace talaria
