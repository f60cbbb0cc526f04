#include "patch/document.h"

#include <algorithm>

namespace talaria {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string without_returns(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t at = std::min(text.find('\r'), text.size());
    const bool pair = at + 1 < text.size() && text[at + 1] == '\n';
    const size_t kept = at < text.size() && !pair ? at + 1 : at;
    result += text.substr(0, kept);
    text.remove_prefix(pair ? at + 1 : kept);
  }
  return result;
}

}  // namespace

Document::Document(std::string_view original) : original_(original) {
  if (original.starts_with(byte_order_mark)) mark_ = byte_order_mark.size();
  text_ = original_.substr(mark_);
  if (text_.find('\r') != std::string_view::npos) find_line_ends();
}

void Document::find_line_ends() {
  const std::string_view whole = text_;
  if (whole.find('\n') == std::string_view::npos) {
    line_ends_ = LineEnds::carriage_return;
    owned_ = whole;
    std::replace(owned_.begin(), owned_.end(), '\r', '\n');
    text_ = owned_;
    return;
  }
  owned_.reserve(whole.size());
  size_t from = 0;
  for (size_t at = whole.find("\r\n"); at != std::string_view::npos; at = whole.find("\r\n", from)) {
    owned_ += whole.substr(from, at - from);
    returns_before_.push_back(owned_.size());
    from = at + 1;
  }
  owned_ += whole.substr(from);
  text_ = owned_;
  if (returns_before_.empty()) return;
  const auto feeds = static_cast<size_t>(std::count(text_.begin(), text_.end(), '\n'));
  line_ends_ = returns_before_.size() == feeds ? LineEnds::both_in_one : LineEnds::mixed;
  if (line_ends_ == LineEnds::both_in_one) return;
  for (size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1))
    newlines_.push_back(at);
}

size_t Document::original_offset(size_t offset) const {
  const auto after = std::lower_bound(returns_before_.begin(), returns_before_.end(), offset);
  return mark_ + offset + static_cast<size_t>(after - returns_before_.begin());
}

std::string_view Document::line_end(size_t newline) const {
  switch (line_ends_) {
    case LineEnds::line_feed: return "\n";
    case LineEnds::carriage_return: return "\r";
    case LineEnds::both_in_one: return "\r\n";
    case LineEnds::mixed: break;
  }
  return std::binary_search(returns_before_.begin(), returns_before_.end(), newline) ? "\r\n" : "\n";
}

std::string Document::in_its_terms(std::string_view words) const {
  if (mark_ > 0 && words.starts_with(byte_order_mark)) words.remove_prefix(mark_);
  std::string result = without_returns(words);
  if (line_ends_ == LineEnds::carriage_return) std::replace(result.begin(), result.end(), '\r', '\n');
  return result;
}

// Of the line that `at` is in, or else of the one before it.
std::string_view Document::line_end_near(size_t at) const {
  if (line_ends_ != LineEnds::mixed) return line_end(at);
  const auto after = std::lower_bound(newlines_.begin(), newlines_.end(), at);
  return line_end(after == newlines_.end() ? newlines_.back() : *after);
}

std::string Document::with_line_ends(std::string_view replacement, size_t begin, size_t end) const {
  if (line_ends_ == LineEnds::line_feed) return std::string(replacement);
  const std::vector<std::string_view> was = pieces_of(text_.substr(begin, end - begin));
  const std::vector<std::string_view> is = pieces_of(replacement);
  const size_t old_ends = was.size() - 1, new_ends = is.size() - 1;
  std::vector<std::string_view> ends;
  for (size_t i = 0, offset = begin; i < old_ends; ++i) {
    offset += was[i].size();
    ends.push_back(line_end(offset++));
  }
  // Lines that stay at the end keep their own line end, also when the number of lines before them changes.
  size_t tail = 0;
  while (tail < std::min(old_ends, new_ends) && was[old_ends - 1 - tail] == is[new_ends - 1 - tail]) ++tail;
  std::string result(is[0]);
  for (size_t i = 0; i < new_ends; ++i) {
    if (old_ends == 0) {
      result += line_end_near(end);
    } else if (new_ends - i <= tail) {
      result += ends[old_ends - (new_ends - i)];
    } else {
      result += ends[std::min(i, std::max(old_ends - tail, size_t{1}) - 1)];
    }
    result += is[i + 1];
  }
  return result;
}

std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t end = text.find('\n');
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = pieces_of(text);
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace talaria
