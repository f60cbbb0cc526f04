#pragma once
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Puts Markdown together from text and marks as they come, so that spaces collapse, blocks are apart by one empty line,
// marks close before a space and at the end of a block, and text never reads as a mark.
class MarkdownWriter {
 public:
  enum class Lines {
    many,
    one,  // a table's cell: blocks are apart by a space
  };
  MarkdownWriter(Lines lines, std::pmr::memory_resource* memory) : lines_(lines), out_(memory) {}

  enum class Mark { strong, emphasis, strike, link };

  // Text of the page: spaces collapse, what Markdown would read as a mark is escaped.
  void text(std::string_view text);
  // Markdown as it is, within a line.
  void raw(std::string_view markdown);
  void space() { pending_space_ = true; }
  // Inside a mark of the same kind nothing happens. `close` is for links: "](url)".
  void open(Mark mark, std::string close = {});
  void close(Mark mark);
  void line_break();

  // The end of a block: what comes next is `newlines` further, 2 for an empty line between.
  void block(int newlines = 2);
  // The same, whatever the blocks before wanted: items of a list stay together.
  void block_exactly(int newlines);
  // "## " and what follows up to the next block is one line.
  void begin_heading(int level);
  void end_heading();
  // Lines as they are: code, a table.
  void literal(std::string_view lines);

  // What follows is inside a quote or an item: its first line begins with `first`, all others with `rest`.
  void enter(std::string first, std::string rest);
  void leave();

  size_t size() const { return out_.size(); }
  // Whether anything stands in the block being written.
  bool block_is_empty() const { return wanted_newlines_ > 0 || out_.empty(); }
  std::pmr::string take();

 private:
  struct Container {
    std::string first;
    std::string rest;
    bool begun = false;
  };
  struct OpenMark {
    Mark mark;
    std::string close;
    bool written = false;
  };

  void before_content();
  void start_block();
  void write_prefix();
  std::string blank_prefix() const;
  void write_marks();
  void close_marks();
  void append_special(std::string_view text, size_t at);
  bool needs_escape(std::string_view text, size_t at) const;
  bool needs_escape_at_line_start(std::string_view text, size_t at) const;
  size_t skip_odd_space(std::string_view text, size_t at);

  Lines lines_;
  std::pmr::string out_;
  std::vector<Container> containers_;
  int skipped_containers_ = 0;  // nested deeper than anybody reads
  std::vector<OpenMark> marks_;
  int mark_depths_[4] = {};
  size_t last_close_ = 0;  // where out_ ended when a mark was closed last
  Mark last_closed_ = Mark::link;

  bool pending_space_ = false;
  int pending_breaks_ = 0;
  int wanted_newlines_ = 0;
  std::string heading_;  // not yet written
  bool in_heading_ = false;
  bool at_line_start_ = true;
  size_t line_start_ = 0;   // behind the prefix
  bool continued_ = false;  // this line goes on with the paragraph of the one before
};

}  // namespace talaria
