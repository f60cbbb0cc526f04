#include "api/web_texts.h"

namespace talaria {

std::string extract_text(const JsonObject& result) {
  std::string text;
  const Json* pages = result.if_contains("results");
  if (!pages || !pages->is_array()) return text_or(result, "error");
  for (const Json& item : pages->get_array()) {
    const JsonObject& page = item.get_object();
    if (!text.empty()) text += "\n\n---\n\n";
    const std::string title = text_or(page, "title"), error = text_or(page, "error");
    text += (title.empty() ? "" : title + "\n") + text_or(page, "final_url", text_or(page, "url")) + "\n";
    if (!error.empty()) text += "Error: " + error + "\n";
    if (const std::string content = text_or(page, "content"); !content.empty()) text += "\n" + content;
  }
  return text;
}

std::string search_results_text(const JsonObject& result) {
  if (result.contains("error")) return text_or(result, "error");
  const JsonObject* data = object_or_null(result, "data");
  const Json* web = data ? data->if_contains("web") : nullptr;
  if (!web || !web->is_array() || web->get_array().empty()) return "No results.";
  std::string text;
  for (const Json& item : web->get_array()) {
    const JsonObject& one = item.get_object();
    text += std::to_string(integer_or(one, "position")) + ". " + text_or(one, "title") + "\n   " + text_or(one, "url") +
            "\n";
    if (const std::string about = text_or(one, "description"); !about.empty()) text += "   " + about + "\n";
  }
  return text;
}

}  // namespace talaria
