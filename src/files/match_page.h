#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "files/path_order.h"
#include "files/search_command.h"

namespace talaria {

struct FoundMatch {
  std::string path;
  uint64_t line = 0;
  uint64_t column = 1;
  std::string text;  // bytes, without the last line end
  std::vector<std::string> before = {};
  std::vector<std::string> after = {};
  bool operator==(const FoundMatch&) const = default;
};

// Gathers matches, file by file, and keeps the page [offset, offset + limit) of them in the order of paths and lines.
// The files may come in any order, unless `order` promises theirs. Keeps no more than can still be of the page.
class MatchPage {
 public:
  MatchPage(SearchOrder order, uint64_t offset, uint64_t limit, uint64_t context);

  void begin_file(std::string path);
  void end_file();

  // Whether the next line must be told in full; if not, count() is enough for a match, and nothing for context.
  bool wants_lines() const;
  void count() { ++file_count_; }
  // A match, or a line near one; `text` may have several lines and may end with a line end.
  void match(uint64_t line, uint64_t column, std::string_view text);
  void context(uint64_t line, std::string_view text);

  uint64_t total() const { return total_; }
  std::vector<FoundMatch> page() const;

 private:
  struct NumberedLine {
    uint64_t number;
    std::string text;
  };
  struct File {
    uint64_t count = 0;
    std::vector<FoundMatch> matches;  // the first ones of it, or those of the page
  };

  bool keeps_next() const;
  void near(uint64_t line, std::string_view text);

  const SearchOrder order_;
  const uint64_t offset_;
  const uint64_t limit_;
  const uint64_t context_;
  uint64_t total_ = 0;

  std::string path_;  // of the file that is being told
  bool wanted_ = false;
  uint64_t file_count_ = 0;
  std::vector<FoundMatch> matches_;
  std::deque<NumberedLine> recent_;  // the last lines before the next match

  std::map<std::string, File, PathOrder> files_;
  uint64_t kept_ = 0;  // matches counted in files_
};

}  // namespace talaria
