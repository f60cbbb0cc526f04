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

// Names of files stand in paths, lists and notes, and as the names of fields (counts by file).
void mask_names(Json& value, const Mask& mask);

void mask_names(JsonObject& object, const Mask& mask) {
  JsonObject renamed;
  bool any = false;
  for (auto& field : object) {
    mask_names(field.value(), mask);
    any = any || mask.hide(std::string(field.key())) != field.key();
  }
  if (!any) return;
  for (auto& field : object) renamed[mask.hide(std::string(field.key()))] = std::move(field.value());
  object = std::move(renamed);
}

void mask_names(Json& value, const Mask& mask) {
  if (value.is_object()) return mask_names(value.get_object(), mask);
  if (value.is_string()) {
    const std::string text(value.get_string());
    if (std::string hidden = mask.hide(text); hidden != text) value = std::move(hidden);
  } else if (value.is_array()) {
    for (Json& item : value.get_array()) mask_names(item, mask);
  }
}

}  // namespace

void mask_file_result(JsonObject& result, const Mask& mask) {
  if (mask.empty()) return;
  for (const char* name : {"content", "matches", "before", "after", "diff", "error"}) {
    if (Json* value = result.if_contains(name)) mask_value(*value, mask);
  }
  mask_names(result, mask);
}

}  // namespace talaria
