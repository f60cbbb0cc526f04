#include "base/text.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace talaria {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string shell_quote(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,@%+").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

std::string with_commas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // What would round up to 1024 belongs to the next unit already.
  for (; amount >= 1023.95 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  char number[32];
  std::snprintf(number, sizeof number, "%.1f", amount);
  std::string text = number;
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + " " + units[unit];
}

std::string human_duration(int64_t milliseconds) {
  char text[32];
  const int64_t s = milliseconds / 1000;
  const auto whole = [](int64_t n) { return static_cast<long long>(n); };
  if (milliseconds < 1000) std::snprintf(text, sizeof text, "%lldms", whole(milliseconds));
  else if (s < 60) std::snprintf(text, sizeof text, "%llds", whole(s));
  else if (s < 3600) std::snprintf(text, sizeof text, "%lldm%02llds", whole(s / 60), whole(s % 60));
  else if (s < 86400) std::snprintf(text, sizeof text, "%lldh%02lldm", whole(s / 3600), whole(s / 60 % 60));
  else std::snprintf(text, sizeof text, "%lldd%02lldh", whole(s / 86400), whole(s / 3600 % 24));
  return text;
}

namespace {
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
    }
  }
  return row[b.size()];
}
}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates, size_t most) {
  const std::string wanted = lower(word.substr(0, 64));
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(wanted, lower(candidate));
    if (distance <= std::max<size_t>(2, wanted.size() / 3)) ranked.emplace_back(distance, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [distance, name] : ranked) {
    if (names.size() < most) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace talaria
