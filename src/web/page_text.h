#pragma once
#include <string>
#include <vector>

#include "web/html_tree.h"
#include "web/http_client.h"

namespace talaria {

// What can be read in a page, by its type.
struct PageText {
  std::string title;
  std::string content;  // valid UTF-8
  std::string error;    // when it is of a type nobody can read as text
  std::vector<std::string> notes;
  std::string pdf;  // its bytes, when it is one
};

// HTML as Markdown; text, JSON and XML as they are; PDF as its bytes. A missing or vague type is guessed from the
// bytes.
// Of `limits` the memory is the most a page of HTML gets; a large one gets less, so that 64 MiB are enough for all.
PageText read_page(WebPage page, const HtmlLimits& limits = {});

}  // namespace talaria
