#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// How a caller's indentation translates to that of a file, learnt from lines that both have. Other levels are reached
// in steps: two spaces more of a caller may be four, or a tab, in the file.
class Indentation {
 public:
  using Lines = std::vector<std::string_view>;

  // caller[i] and file[i] are the same line but for blanks; `added` are further lines of the caller, `usual` is the
  // usual_indent_step of the file. The lines must outlive it.
  Indentation(const Lines& caller, const Lines& file, const Lines& added, std::string_view usual);

  // False when there is nothing to translate.
  bool differs() const { return differs_; }

  // `line` of the caller as the file would have it. `near` is the number of a line in `caller` that is close to it.
  std::string translate(std::string_view line, size_t near) const;

 private:
  // So many columns of the caller are this in the file.
  struct Step {
    size_t columns = 1;
    std::string piece = " ";
  };

  Step step_from_pairs() const;
  Step step_from_styles(const Lines& caller, const Lines& added, std::string_view usual) const;
  std::string_view file_indent(std::string_view caller_indent, size_t near) const;
  std::string deeper(std::string_view base, size_t columns) const;
  std::string shallower(std::string_view base, size_t columns) const;

  bool differs_ = false;
  std::vector<std::string_view> file_indents_;                  // of each line
  std::map<std::string_view, std::vector<size_t>> lines_with_;  // each indentation of the caller
  std::map<size_t, std::string_view> by_width_;
  Step step_;
};

// By what most lines of a text are indented more than the line before: "\t" or some spaces.
std::string usual_indent_step(std::string_view text);

}  // namespace talaria
