#include "base/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace talaria {

std::optional<double> parse_seconds(std::string_view text) {
  if (text == "-0") return 0.0;
  const bool plain = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
                     text.front() >= '.' && text.front() <= '9' && text.front() != '/';
  if (!plain) return std::nullopt;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(seconds) || seconds < 0) return std::nullopt;
  return seconds;
}

std::optional<int64_t> parse_whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace talaria
