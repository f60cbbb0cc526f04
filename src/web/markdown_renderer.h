#pragma once
#include <gumbo.h>

#include <memory_resource>
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
  MarkdownRenderer(std::string base_url, const Readable& readable, Leaving leaving, size_t most,
                   std::pmr::memory_resource* memory)
      : base_url_(std::move(base_url)),
        readable_(readable),
        leaving_(leaving),
        most_(most),
        memory_(memory),
        lists_(memory),
        links_(memory),
        tables_(memory) {
    writers_.emplace_back(MarkdownWriter::Lines::many, memory);
  }

  std::pmr::string render(const HtmlNode& top);
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
  std::pmr::memory_resource* memory_;
  std::vector<MarkdownWriter> writers_;  // one more in a cell
  std::pmr::vector<List> lists_;
  std::pmr::vector<bool> links_;  // for each <a> we are in: whether it is written as one
  struct Table {
    bool data = false;
    MarkdownTable rows;
  };
  std::pmr::vector<Table> tables_;
  int in_heading_ = 0;
};

// Absolute and fit to stand in parentheses; empty when it leads nowhere a reader could go (javascript:, data:).
std::string link_target(std::string_view base_url, std::string_view reference);

}  // namespace talaria
