#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "skills/diagnostic.h"

namespace talaria {

// Where the front matter of a text is.
struct FenceSpan {
  enum class End {
    fence,    // closed by --- or ...
    file,     // by the end of the file
    guessed,  // never; the first line that looks like Markdown ended it
  };
  std::string_view source;  // between the fences
  size_t source_line = 0;
  std::string body;
  size_t body_line = 1;
  End end = End::fence;
  bool found = false;
  std::vector<SkillDiagnostic> diagnostics;
};

// `text` has lines that end with \n.
FenceSpan find_front_matter(std::string_view text);

// The span as it would be if its closing fence were a rule of the Markdown and the real one forgotten. Not found when
// the lines do not look like that.
FenceSpan find_earlier_end(std::string_view text, const FenceSpan& span);

}  // namespace talaria
