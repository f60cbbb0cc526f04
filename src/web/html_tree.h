#pragma once
#include <chrono>
#include <forward_list>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "web/html_arena.h"
#include "web/html_fold.h"

struct GumboInternalNode;

namespace talaria {

using HtmlNode = GumboInternalNode;

struct HtmlLimits {
  // The parser is quadratic for hostile nesting, and holds up to a hundred bytes for each byte of a hostile page.
  std::chrono::milliseconds time = 1500ms;
  size_t memory = 48 << 20;
  MemoryMeter* meter = nullptr;  // told what is mapped, if given
};

// What is said of a page that is over the limit.
Error too_much_html(const HtmlLimits& limits);

// A parsed page. It points into the text it was made of, which must outlive it.
class HtmlTree {
 public:
  // An error when time or memory run out, or a bad_alloc. `html` is UTF-8.
  static Result<HtmlTree> parse(std::string_view html, const HtmlLimits& limits);

  const HtmlNode& root() const { return *root_; }
  // For whatever is made of the page: it ends with the page, and has the same limit.
  std::pmr::memory_resource* memory() const { return arena_.get(); }

 private:
  explicit HtmlTree(std::unique_ptr<HtmlArena> arena) : arena_(std::move(arena)), texts_(arena_.get()) {}
  void unfold(const HtmlFold& fold);

  std::unique_ptr<HtmlArena> arena_;                // where all nodes live
  std::pmr::forward_list<std::pmr::string> texts_;  // what was unfolded
  HtmlNode* root_ = nullptr;
};

// Reading a node. All are safe on any node; what it does not have is empty.
std::string_view attribute(const HtmlNode& node, const char* name);
bool has_attribute(const HtmlNode& node, const char* name);
// One of the words of its class attribute.
bool has_class(const HtmlNode& node, std::string_view word);

// Never shown by a browser: script, style, hidden by attribute or style.
bool is_invisible(const HtmlNode& node);

enum class Spaces { kept, collapsed };
// All text below the node, `most` bytes of it at the most, whatever its depth; <br> is a line end when spaces are kept.
std::string text_below(const HtmlNode& node, Spaces spaces, size_t most);
// All of it.
std::pmr::string text_below(const HtmlNode& node, Spaces spaces, std::pmr::memory_resource* memory);

}  // namespace talaria
