#pragma once
#include <string>
#include <string_view>

#include "web/html_tree.h"

namespace talaria {

struct MarkdownOptions {
  std::string url;  // of the page; relative links are made absolute with it
  enum class Content { main, whole } content = Content::main;
  HtmlLimits limits;
  size_t most = 8 << 20;  // bytes of Markdown; as many as the two million characters that are ever shown can have
};

struct MarkdownPage {
  std::string title;
  std::string content;
  std::string note;  // what went wrong, when `content` is less than it could be
};

// `html` is UTF-8. What is main is found as readable.h says; when that leaves next to nothing, all of the page is
// taken. Never fails: a page that cannot be parsed in time, or in the memory it may have, comes back as its bare text,
// with a note.
MarkdownPage html_to_markdown(std::string_view html, const MarkdownOptions& options);

}  // namespace talaria
