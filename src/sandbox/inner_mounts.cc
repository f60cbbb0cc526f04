#include "sandbox/inner_mounts.h"

#include <algorithm>

#include "base/text.h"
#include "os/file.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

// The kernel writes blanks and backslashes of a path as \ooo.
std::string without_escapes(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string path;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view digits = text.substr(at + 1, 3);
    if (text[at] != '\\' || digits.size() < 3 || !std::ranges::all_of(digits, is_octal)) {
      path += text[at];
      continue;
    }
    path += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
    at += 3;
  }
  return path;
}

}  // namespace

std::vector<std::string> mounts_inside(const std::string& folder, std::string_view table) {
  constexpr size_t place_column = 4;
  std::vector<std::string> places;
  for (const std::string& line : split(table, '\n')) {
    const std::vector<std::string> columns = split(line, ' ');
    if (columns.size() <= place_column) continue;
    std::string place = without_escapes(columns[place_column]);
    if (place != folder && is_within(place, folder)) places.push_back(std::move(place));
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::vector<std::string> mounts_inside(const std::string& folder) {
  const Result<std::string> table = read_file("/proc/self/mountinfo");
  return table ? mounts_inside(folder, *table) : std::vector<std::string>();
}

}  // namespace talaria
