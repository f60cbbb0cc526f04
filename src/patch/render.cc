#include "patch/render.h"

#include <algorithm>

#include "base/check.h"
#include "patch/document.h"
#include "patch/indentation.h"
#include "patch/normal_form.h"

namespace talaria {
namespace {

// `is` with the file's own characters at its start and end, as far as it says the same there as `was`, which stood for
// `file`.
std::string keep_characters(std::string_view file, std::string_view was, std::string_view is) {
  for (Typography typography : {Typography::folded, Typography::wide_dash}) {
    const Folded here = fold(file, Blanks::kept, typography);
    const std::string old_text = fold(was, Blanks::kept, typography).text;
    const Folded wanted = fold(is, Blanks::kept, typography);
    if (here.text != old_text) continue;
    const size_t most = std::min(here.text.size(), wanted.text.size());
    const auto whole = [](const Folded& folded, size_t at) {
      return at == 0 || folded.origin[at] != folded.origin[at - 1];
    };
    size_t front = 0;
    while (front < most && here.text[front] == wanted.text[front]) ++front;
    while (!whole(here, front) || !whole(wanted, front)) --front;
    size_t back = 0;
    const size_t left = most - front;
    while (back < left && here.text[here.text.size() - 1 - back] == wanted.text[wanted.text.size() - 1 - back]) ++back;
    while (!whole(here, here.text.size() - back) || !whole(wanted, wanted.text.size() - back)) --back;
    const size_t from = wanted.origin[front], to = wanted.origin[wanted.text.size() - back];
    return std::string(file.substr(0, here.origin[front]))
        .append(is.substr(from, to - from))
        .append(file.substr(here.origin[here.text.size() - back]));
  }
  return std::string(is);
}

void add_line(std::string& result, size_t number, std::string_view line) {
  if (number > 0) result += '\n';
  result += line;
}

std::string_view without_indent(std::string_view line) { return line.substr(indent_of(line).size()); }

}  // namespace

Renderer::Renderer(std::string_view text, const Found& found) : text_(text), found_(found) {
  if (found.rendering == Rendering::verbatim) return;
  old_ = pieces_of(found.old_text);
  new_ = pieces_of(found.new_text);
  changes_ = diff_lines(old_, new_);
  usual_indent_step_ = usual_indent_step(text);
}

std::string Renderer::render(const Passage& place) const {
  if (found_.rendering == Rendering::verbatim || found_.new_text.empty()) return found_.new_text;
  const Lines file = pieces_of(place.of(text_));
  // Every strategy finds as many lines as it looks for.
  CHECK(file.size() == old_.size());
  return fit(file, place.begin == 0 || text_[place.begin - 1] == '\n');
}

std::string Renderer::fit(const Lines& file, bool whole_first_line) const {
  Lines caller = old_;
  // The indentation of a first line that is found in the middle of one says nothing.
  if (!whole_first_line) caller[0] = {};
  const Indentation indentation(caller, file, new_, usual_indent_step_);
  const auto translated = [&](const Lines& lines, size_t number, size_t near) {
    if (number > 0 || whole_first_line) return indentation.translate(lines[number], near);
    return std::string(indent_of(old_[0]).empty() ? lines[0] : without_indent(lines[0]));
  };
  std::string result;
  size_t i = 0, j = 0;
  for (const LineChange& change : changes_) {
    for (; j < change.after_first; ++i, ++j) add_line(result, j, file[i]);
    for (size_t k = 0; k < change.after_count; ++k, ++j) {
      const size_t near = std::min(i + std::min(k, change.before_count), old_.size() - 1);
      std::string line = translated(new_, j, near);
      if (found_.rendering == Rendering::typography && k < change.before_count) {
        line = keep_characters(file[near], translated(old_, near, near), line);
      }
      add_line(result, j, line);
    }
    i += change.before_count;
  }
  for (; j < new_.size(); ++i, ++j) add_line(result, j, file[i]);
  return result;
}

}  // namespace talaria
