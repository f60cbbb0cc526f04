#include "patch/folded_search.h"

#include <cstring>
#include <optional>
#include <string>

namespace talaria {
namespace {

// A place that will not do costs another look at all that is wanted.
constexpr size_t most_work_for_nothing = 25'000'000;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool within_word(std::string_view text, size_t at) {
  return at > 0 && at < text.size() && is_word(text[at - 1]) && is_word(text[at]);
}

// The start of the line when only blanks are between it and `at`.
std::optional<size_t> start_of_indent(std::string_view text, size_t at) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  if (at == 0 || text[at - 1] == '\n') return at;
  return std::nullopt;
}

std::optional<size_t> end_of_blanks(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at == text.size() || text[at] == '\n') return at;
  return std::nullopt;
}

class FoldedSearch {
 public:
  FoldedSearch(std::string_view text, const LinePair& pair, Blanks blanks, Typography typography)
      : text_(text), pair_(pair), indented_(!indent_of(pair.old_text).empty()) {
    wanted_ = fold(pair.old_text.substr(indent_of(pair.old_text).size()), blanks, typography).text;
    folded_ = fold(text, blanks, typography);
  }

  std::vector<Passage> run() const {
    std::vector<Passage> places;
    if (wanted_.empty()) return places;
    size_t most_wrong = most_work_for_nothing / wanted_.size() + 1;
    const std::string_view all = folded_.text;
    for (size_t from = 0; all.size() - from >= wanted_.size() && most_wrong > 0;) {
      const void* found = memmem(all.data() + from, all.size() - from, wanted_.data(), wanted_.size());
      if (!found) break;
      const auto begin = static_cast<size_t>(static_cast<const char*>(found) - all.data());
      const std::optional<Passage> place = in_source(begin, begin + wanted_.size());
      if (place) places.push_back(*place);
      most_wrong -= !place;
      from = place ? begin + wanted_.size() : begin + 1;
    }
    return places;
  }

 private:
  std::optional<Passage> in_source(size_t begin, size_t end) const {
    // Not in the middle of what one character became.
    if (begin > 0 && folded_.origin[begin] == folded_.origin[begin - 1]) return std::nullopt;
    if (folded_.origin[end] == folded_.origin[end - 1]) return std::nullopt;
    Passage place{folded_.origin[begin], folded_.end_of(end - 1, text_)};
    if (within_word(text_, place.begin) || within_word(text_, place.end)) return std::nullopt;
    const std::optional<size_t> start = start_of_indent(text_, place.begin);
    if (start) place.begin = *start;
    if (indented_ && !start) return std::nullopt;
    if (!pair_.ends_line) return place;
    const std::optional<size_t> line_end = end_of_blanks(text_, place.end);
    if (!line_end) return std::nullopt;
    place.end = *line_end + (pair_.removes_line_end && *line_end < text_.size());
    return place;
  }

  std::string_view text_;
  const LinePair& pair_;
  bool indented_;
  std::string wanted_;
  Folded folded_;
};

}  // namespace

std::vector<Passage> find_folded(std::string_view text, const LinePair& pair, Blanks blanks, Typography typography) {
  return FoldedSearch(text, pair, blanks, typography).run();
}

}  // namespace talaria
