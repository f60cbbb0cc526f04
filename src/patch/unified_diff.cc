#include "patch/unified_diff.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "patch/line_diff.h"

namespace talaria {
namespace {

constexpr size_t context_lines = 3;

// With their line ends: a final line without one differs from the same with one.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// What must not stand in a line as it is: it would break it, or be read as something else.
bool is_escaped(const Utf8Step& step) {
  if (step.kind != Utf8Step::Kind::character) return true;
  const char32_t c = step.character;
  return is_terminal_control(c) || is_unseen(c) || c == '\n' || c == '\t';
}

// As git writes names: like a C string when needed.
std::string quoted_name(std::string_view name) {
  std::string quoted;
  bool needs_quotes = false;
  for (std::string_view rest = name; !rest.empty();) {
    const Utf8Step step = decode_utf8(rest);
    const std::string_view bytes = rest.substr(0, step.length);
    const bool escaped = is_escaped(step), marked = bytes == "\"" || bytes == "\\";
    needs_quotes = needs_quotes || escaped || marked;
    if (marked) quoted += '\\';
    if (!escaped) quoted += bytes;
    for (const char c : escaped ? bytes : "") {
      const auto byte = static_cast<unsigned char>(c);
      quoted += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                 static_cast<char>('0' + (byte & 7))};
    }
    rest.remove_prefix(step.length);
  }
  return needs_quotes ? "\"" + quoted + "\"" : quoted;
}

std::string_view relative(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

std::string sided_name(char side, std::string_view path) {
  return quoted_name(std::string(1, side) + "/" + std::string(relative(path)));
}

// A tab behind a name with spaces shows where it ends.
std::string head_name(char side, std::string_view path) {
  if (path.empty()) return "/dev/null";
  const std::string name = sided_name(side, path);
  return name.ends_with('"') || name.find(' ') == std::string::npos ? name : name + "\t";
}

std::string range(size_t first, size_t count) {
  if (count == 1) return std::to_string(first + 1);
  return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
}

// Takes lines until there are too many bytes; from then on it only counts.
class Output {
 public:
  explicit Output(size_t most_bytes) : most_bytes_(most_bytes) {}

  // `line` may lack its line end: then a line that says so follows.
  void add(std::string_view kind, std::string_view line) {
    const bool ends = line.ends_with('\n');
    const std::string_view rest = ends ? "" : "\n\\ No newline at end of file\n";
    if (left_out_ > 0 || text_.size() + kind.size() + line.size() + rest.size() > most_bytes_) {
      ++left_out_;
      return;
    }
    text_.append(kind).append(line).append(rest);
  }

  std::string finish() && {
    if (left_out_ == 1) text_ += "... 1 more line of this diff is left out\n";
    if (left_out_ > 1) text_ += "... " + with_commas(left_out_) + " more lines of this diff are left out\n";
    return std::move(text_);
  }

 private:
  size_t most_bytes_;
  std::string text_;
  size_t left_out_ = 0;
};

class Writer {
 public:
  Writer(std::vector<std::string_view> before, std::vector<std::string_view> after, Output& output)
      : before_(std::move(before)), after_(std::move(after)), output_(output) {}

  void write() {
    const std::vector<LineChange> changes = diff_lines(before_, after_);
    for (size_t first = 0; first < changes.size();) {
      size_t last = first;
      while (last + 1 < changes.size() && changes[last + 1].before_first - end_of(changes[last]) <= 2 * context_lines) {
        ++last;
      }
      write_hunk(changes, first, last);
      first = last + 1;
    }
  }

 private:
  static size_t end_of(const LineChange& change) { return change.before_first + change.before_count; }

  void write_hunk(const std::vector<LineChange>& changes, size_t first, size_t last) {
    const LineChange& head = changes[first];
    const LineChange& tail = changes[last];
    const size_t lead = std::min(context_lines, head.before_first);
    const size_t begin = head.before_first - lead;
    const size_t end = std::min(end_of(tail) + context_lines, before_.size());
    const size_t after_begin = head.after_first - lead;
    const size_t after_end = tail.after_first + tail.after_count + (end - end_of(tail));
    output_.add("@@ -", range(begin, end - begin) + " +" + range(after_begin, after_end - after_begin) + " @@\n");
    size_t at = begin;
    for (size_t i = first; i <= last; ++i) {
      const LineChange& change = changes[i];
      for (; at < change.before_first; ++at) output_.add(" ", before_[at]);
      for (; at < end_of(change); ++at) output_.add("-", before_[at]);
      for (size_t j = 0; j < change.after_count; ++j) output_.add("+", after_[change.after_first + j]);
    }
    for (; at < end; ++at) output_.add(" ", before_[at]);
  }

  std::vector<std::string_view> before_, after_;
  Output& output_;
};

}  // namespace

std::string unified_diff(std::string_view before_path, std::string_view before, std::string_view after_path,
                         std::string_view after, size_t most_bytes) {
  if (before == after) return {};
  Output output(most_bytes);
  output.add("--- ", head_name('a', before_path) + "\n");
  output.add("+++ ", head_name('b', after_path) + "\n");
  Writer(whole_lines(before), whole_lines(after), output).write();
  return std::move(output).finish();
}

std::string rename_head(std::string_view before_path, std::string_view after_path, Renamed renamed) {
  std::string head = "diff --git " + sided_name('a', before_path) + " " + sided_name('b', after_path) + "\n";
  if (renamed == Renamed::as_it_was) head += "similarity index 100%\n";
  return head + "rename from " + quoted_name(relative(before_path)) + "\nrename to " +
         quoted_name(relative(after_path)) + "\n";
}

}  // namespace talaria
