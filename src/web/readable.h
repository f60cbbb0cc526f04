#pragma once
#include <memory_resource>
#include <unordered_set>

#include "web/html_tree.h"

namespace talaria {

// What of a page is worth reading.
struct Readable {
  explicit Readable(std::pmr::memory_resource* memory) : boilerplate(memory), link_heavy(memory) {}

  const HtmlNode* body = nullptr;  // all of it
  size_t body_text = 0;            // bytes of text in it
  const HtmlNode* main = nullptr;  // the main content; the body where none stands out
  size_t main_text = 0;
  std::pmr::unordered_set<const HtmlNode*> boilerplate;  // navigation, footers, forms …
  std::pmr::unordered_set<const HtmlNode*> link_heavy;   // blocks that are mostly links
};

// By what the page says (<main>, <article>, role=main), else the innermost element that holds most of the plain text.
Readable find_readable(const HtmlNode& root, std::pmr::memory_resource* memory);

}  // namespace talaria
