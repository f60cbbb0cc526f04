#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace talaria {

// Tells which lines of a Markdown text are fenced code, in CommonMark's sense. Lines come in order, without their ends.
//
// One thing is simpler: a fence in a list or quotation is open until a fence closes it, also where the list ends
// before. What may be code is taken for code then.
class FenceReader {
 public:
  // Whether this line is a fence or stands between two.
  bool takes(std::string_view line);

 private:
  struct Fence {
    char mark = '`';
    size_t length = 3;
    size_t column = 0;  // where the content of its list begins
    size_t quotes = 0;  // how many quotations it is in
  };

  bool closes(std::string_view line) const;
  bool opens(std::string_view line);

  std::optional<Fence> open_;
  std::vector<size_t> lists_;  // the columns where the content of the lists around begins
};

}  // namespace talaria
