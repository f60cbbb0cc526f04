#include "api/masked_files.h"

#include "base/utf8.h"
#include "files/page.h"
#include "files/search.h"

namespace talaria {
namespace {

// The end of a line that was cut may be the beginning of a secret.
std::string hide_before_cuts(const std::string& text, const Mask& mask) {
  const std::string cut = std::string(cut_line_mark) + "\n";
  std::string hidden;
  size_t begin = 0;
  for (size_t end = 0; end < text.size(); begin = end) {
    const size_t mark = text.find(cut_line_mark, begin);
    const bool ends_line = mark != std::string::npos &&
                           (text.substr(mark, cut.size()) == cut || mark + cut_line_mark.size() == text.size());
    end = mark == std::string::npos ? text.size() : mark + cut_line_mark.size();
    if (!ends_line) {
      hidden.append(text, begin, end - begin);
      continue;
    }
    hidden += mask.hide_cut(text.substr(begin, mark - begin), CutEnd::back);
    hidden += cut_line_mark;
  }
  return hidden;
}

std::string hidden_text(const std::string& text, const Mask& mask) {
  std::string hidden = mask.hide(text);
  if (count_characters(text) == most_agent_match_characters) hidden = mask.hide_cut(std::move(hidden), CutEnd::back);
  return hidden.find(cut_line_mark) == std::string::npos ? hidden : hide_before_cuts(hidden, mask);
}

void mask_value(Json& value, const Mask& mask) {
  if (value.is_object()) return mask_file_result(value.get_object(), mask);
  if (value.is_string()) {
    value = hidden_text(std::string(value.get_string()), mask);
  } else if (value.is_array()) {
    for (Json& item : value.get_array()) mask_value(item, mask);
  }
}

}  // namespace

void mask_file_result(JsonObject& result, const Mask& mask) {
  if (mask.empty()) return;
  for (const char* name : {"content", "matches", "before", "after", "diff", "error"}) {
    if (Json* value = result.if_contains(name)) mask_value(*value, mask);
  }
}

}  // namespace talaria
