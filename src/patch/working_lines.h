#pragma once
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patch/document.h"
#include "patch/sequence_search.h"

namespace talaria {

// How much a line of a patch may differ from a line of a file and still be the same, strictest first.
enum class Tolerance { none, line_end_blanks, blanks, typography, wide_dashes };
inline constexpr std::array tolerances = {Tolerance::none, Tolerance::line_end_blanks, Tolerance::blanks,
                                          Tolerance::typography, Tolerance::wide_dashes};

// As results name it: "exact", "line_trimmed", …
std::string_view strategy_name(Tolerance tolerance);

// The lines of a file while a patch changes them. Each has its own line end; byte order mark, and whether the last line
// has an end, stay as they were.
class WorkingLines {
 public:
  // `document` must outlive it.
  explicit WorkingLines(const Document& document);

  size_t size() const { return bodies_.size(); }
  // Of the text as it was.
  size_t bytes() const { return document_.text().size(); }
  const std::vector<std::string_view>& bodies() const { return bodies_; }

  // Where `wanted` (not empty) begins, at or after `from`; at most `most` places.
  std::vector<size_t> find(const std::vector<std::string_view>& wanted, Tolerance tolerance, size_t from, size_t most);

  // Whether `wanted` stands at line `at`.
  bool stands_at(const std::vector<std::string_view>& wanted, Tolerance tolerance, size_t at);

  // One line of what takes the place of others.
  struct Line {
    std::string text;
    std::optional<size_t> same_as;  // a line that stays, with its own bytes; `text` is not looked at
  };
  // The `count` lines from `first` on become `lines`.
  void replace(size_t first, size_t count, const std::vector<Line>& lines);

  std::string text() const;

  // How many lines were looked at or moved so far, to know when a patch asks for too much.
  size_t work_done() const { return work_done_; }
  void add_work(size_t lines) { work_done_ += lines; }

 private:
  const LineHashes& hashes(Tolerance tolerance);
  std::string_view end_for_new_line(size_t at, size_t first, size_t count) const;

  const Document& document_;
  bool final_line_end_;
  bool ascii_;
  std::string_view usual_end_;
  std::vector<std::string_view> bodies_, ends_;  // an end is empty only in the last line
  std::deque<std::string> added_;                // what new bodies are views of
  std::array<std::optional<LineHashes>, tolerances.size()> hashes_;
  size_t work_done_ = 0;
};

}  // namespace talaria
