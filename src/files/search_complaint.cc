#include "files/search_complaint.h"

#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"

namespace talaria {

// rg shows the pattern, four spaces in, with a caret below the place, and then says "error: …". With several lines in a
// pattern it shows more, which is left as it is.
SearchComplaint explain_complaint(std::string_view text) {
  const std::vector<std::string> lines = split(text, '\n');
  constexpr std::string_view indent = "    ";
  constexpr std::string_view error = "error: ";
  uint64_t position = 0;
  std::string reason;
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t caret = lines[i].find('^');
    const bool only_carets = lines[i].find_first_not_of(" ^") == std::string::npos;
    if (position == 0 && caret != std::string::npos && caret >= indent.size() && only_carets &&
        lines[i - 1].starts_with(indent))
      position = 1 + caret - indent.size();
    if (reason.empty() && lines[i].starts_with(error)) reason = lines[i].substr(error.size());
  }
  if (position == 0 || reason.empty()) return {"search: " + terminal_text(trim(text)), 0};
  return {"search: the pattern is wrong at character " + std::to_string(position) + ": " + shown_line(reason),
          position};
}

}  // namespace talaria
