#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace talaria {

// Neighbouring lines that were taken out, put in, or both; everything between two changes is the same.
struct LineChange {
  size_t before_first = 0;  // from 0
  size_t before_count = 0;
  size_t after_first = 0;
  size_t after_count = 0;
  bool operator==(const LineChange&) const = default;
};

// How one list of lines becomes another: the fewest changes for what people edit, and for two big lists that have
// little in common an answer that is right but longer, in bounded time.
std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after);

}  // namespace talaria
