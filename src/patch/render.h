#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "patch/line_diff.h"
#include "patch/passage.h"

namespace talaria {

// Makes what takes the place of the passages that were found.
class Renderer {
 public:
  // Both must outlive it.
  Renderer(std::string_view text, const Found& found);

  std::string render(const Passage& place) const;

 private:
  using Lines = std::vector<std::string_view>;

  std::string fit(const Lines& file, bool whole_first_line) const;

  std::string_view text_;
  const Found& found_;
  Lines old_, new_;
  std::vector<LineChange> changes_;
  std::string usual_indent_step_;
};

}  // namespace talaria
