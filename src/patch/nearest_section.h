#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Some lines of a file that look like what was not found in it.
struct Section {
  size_t first = 0;  // from 0
  size_t count = 0;
  double score = 0;  // up to 1
  bool operator==(const Section&) const = default;
};

// Up to `most` sections, best first, that do not overlap; none when nothing is like it.
std::vector<Section> nearest_sections(const std::vector<std::string_view>& lines,
                                      const std::vector<std::string_view>& wanted, size_t most);

// "Lines 3-4:" and the difference: "-" is what was looked for, "+" what the file has. Blanks are made visible where
// they are the difference.
std::string describe(const Section& section, const std::vector<std::string_view>& lines,
                     const std::vector<std::string_view>& wanted);

// A line for a message: valid UTF-8 without control characters, and not long.
std::string printable(std::string_view line);

}  // namespace talaria
