#pragma once
#include <gumbo.h>

#include <string>
#include <vector>

#include "web/html_walk.h"
#include "web/markdown_table.h"
#include "web/markdown_writer.h"
#include "web/readable.h"

namespace talaria {

// Which nodes are left out.
struct Leaving {
  bool boilerplate = false;
  bool link_heavy = false;
};

// Walks over a part of a page and writes it as Markdown.
class MarkdownRenderer {
 public:
  MarkdownRenderer(std::string base_url, const Readable& readable, Leaving leaving, size_t most)
      : base_url_(std::move(base_url)), readable_(readable), leaving_(leaving), most_(most) {}

  std::string render(const HtmlNode& top);
  bool cut() const { return cut_; }

  // For walk().
  Walk enter(const HtmlNode& node);
  void leave(const HtmlNode& node);

 private:
  struct List {
    bool ordered = false;
    int64_t next = 1;
    bool first = true;
  };

  MarkdownWriter& out() { return writers_.back(); }
  bool left_out(const HtmlNode& node) const;
  Walk enter_element(const HtmlNode& node);
  Walk enter_inline(const HtmlNode& node);
  Walk enter_list(const HtmlNode& node);
  Walk enter_item(const HtmlNode& node);
  Walk enter_table_part(const HtmlNode& node);
  Walk enter_link(const HtmlNode& node);
  void leave_inline(const HtmlNode& node);
  void leave_table_part(const HtmlNode& node);
  void write_image(const HtmlNode& node);
  void write_code(const HtmlNode& node);
  void write_code_block(const HtmlNode& node);

  std::string base_url_;
  const Readable& readable_;
  Leaving leaving_;
  size_t most_;
  bool cut_ = false;
  std::vector<MarkdownWriter> writers_{1};  // one more for each cell
  std::vector<List> lists_;
  std::vector<bool> links_;  // for each <a> we are in: whether it is written as one
  struct Table {
    bool data = false;
    MarkdownTable rows;
  };
  std::vector<Table> tables_;
  int in_heading_ = 0;
};

// Absolute and fit to stand in parentheses; empty when it leads nowhere a reader could go (javascript:, data:).
std::string link_target(std::string_view base_url, std::string_view reference);

}  // namespace talaria
