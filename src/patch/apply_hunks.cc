#include <algorithm>
#include <span>

#include "base/text.h"
#include "patch/hunk_search.h"
#include "patch/indentation.h"
#include "patch/nearest_section.h"
#include "patch/normal_form.h"
#include "patch/v4a.h"
#include "patch/working_lines.h"

namespace talaria {
namespace {

constexpr size_t most_listed_lines = 5;
// Failures that come with the nearest section: finding it takes a while, in a long file above all.
constexpr size_t most_nearest_in_short = 20;
constexpr size_t most_nearest_in_long = 3;
constexpr size_t long_lines = 50'000;
constexpr size_t most_hunk_work = 200'000'000;

using Lines = std::vector<std::string_view>;

// A hunk as what it looks for and what it makes of that.
struct Sides {
  std::span<const PatchLine> all;
  Lines before, after;
  size_t trailing = 0;  // context lines at the end

  explicit Sides(std::span<const PatchLine> lines) : all(lines) {
    for (const PatchLine& line : lines) {
      if (line.kind != '+') before.push_back(line.text);
      if (line.kind != '-') after.push_back(line.text);
      trailing = line.kind == ' ' ? trailing + 1 : 0;
    }
  }

  // Takes nothing away, though it may say so of lines that it puts back.
  bool only_inserts() const {
    const size_t most = std::min(before.size(), after.size());
    size_t front = 0, back = 0;
    while (front < most && before[front] == after[front]) ++front;
    while (back < most - front && before[before.size() - 1 - back] == after[after.size() - 1 - back]) ++back;
    return front + back == before.size() && after.size() > before.size();
  }

  bool looks_for_something() const {
    return std::any_of(before.begin(), before.end(), [](std::string_view line) { return !is_blank(line); });
  }
};

bool is_blank_context(const PatchLine& line) { return line.kind == ' ' && is_blank(line.text); }

// The hunk, and the same without blank context at its end, and also without any at its start: blank lines between the
// parts of a patch look like context.
std::vector<Sides> readings(const Hunk& hunk) {
  std::span<const PatchLine> lines = hunk.lines;
  std::vector<Sides> all{Sides(lines)};
  while (!lines.empty() && is_blank_context(lines.back())) lines = lines.first(lines.size() - 1);
  if (lines.size() < all.back().all.size()) all.emplace_back(lines);
  while (!lines.empty() && is_blank_context(lines.front())) lines = lines.subspan(1);
  if (lines.size() < all.back().all.size()) all.emplace_back(lines);
  return all;
}

std::string list_lines(const std::vector<size_t>& lines) {
  std::string list;
  for (size_t i = 0; i < std::min(lines.size(), most_listed_lines); ++i) {
    list += (i > 0 ? ", L" : "L") + std::to_string(lines[i] + 1);
  }
  return lines.size() > most_listed_lines ? list + ", …" : list;
}

class HunkApplier {
 public:
  explicit HunkApplier(std::string_view text) : document_(text), lines_(document_), search_(lines_) {}

  HunksApplied run(const std::vector<Hunk>& hunks) {
    for (const Hunk& hunk : hunks) {
      ++number_;
      if (lines_.work_done() > most_hunk_work) {
        fail(hunk, "the patch takes too much searching: send it in smaller parts");
      } else {
        apply(hunk);
      }
    }
    result_.text = result_.failures.empty() ? lines_.text() : std::string(document_.original());
    return std::move(result_);
  }

 private:
  void apply(const Hunk& hunk) {
    const std::vector<Sides> all = readings(hunk);
    for (const Sides& sides : all) {
      if (!sides.looks_for_something()) return insert(hunk, Sides(all.back().all));
      const HunkPlaces places = search_.find(hunk, sides.before, cursor_);
      if (places.lines.size() > 1) return fail_ambiguous(hunk, places.lines);
      if (places.lines.size() == 1) return change(sides, places.lines[0], places.tolerance);
    }
    for (const Sides& sides : all) {
      if (is_done(hunk, sides)) return;
    }
    fail_not_found(hunk, all.front());
  }

  void change(const Sides& sides, size_t first, Tolerance tolerance) {
    const size_t gained = sides.after.size() - std::min(sides.after.size(), sides.before.size());
    if (sides.only_inserts()) {
      if (lines_.stands_at(sides.after, tolerance, first)) return note_done(sides, first);
      if (first >= gained && lines_.stands_at(sides.after, tolerance, first - gained)) {
        return note_done(sides, first - gained);
      }
    }
    result_.strategies.emplace_back(strategy_name(tolerance));
    if (sides.before == sides.after) {
      cursor_ = first;
      return;
    }
    lines_.replace(first, sides.before.size(), new_lines(sides, first, tolerance));
    cursor_ = first + sides.after.size() - sides.trailing;
    ++result_.changed;
  }

  std::vector<WorkingLines::Line> new_lines(const Sides& sides, size_t first, Tolerance tolerance) const {
    const auto begin = lines_.bodies().begin() + static_cast<ptrdiff_t>(first);
    const Lines file(begin, begin + static_cast<ptrdiff_t>(sides.before.size()));
    const bool may_differ = tolerance != Tolerance::none && tolerance != Tolerance::line_end_blanks;
    const Indentation indentation(sides.before, may_differ ? file : sides.before, sides.after,
                                  may_differ ? usual_indent_step(document_.text()) : "");
    std::vector<WorkingLines::Line> lines;
    size_t at = 0;
    for (const PatchLine& line : sides.all) {
      if (line.kind == '+') {
        lines.push_back({indentation.translate(line.text, std::min(at, sides.before.size() - 1)), {}});
        continue;
      }
      if (line.kind == ' ') lines.push_back({"", first + at});
      ++at;
    }
    return lines;
  }

  // A hunk that has nothing to look for: after its hint, or at the end.
  void insert(const Hunk& hunk, const Sides& sides) {
    std::vector<WorkingLines::Line> added;
    Lines texts;
    for (const PatchLine& line : sides.all) {
      if (line.kind == '-') return fail(hunk, "it takes away only blank lines: add the lines around them");
      if (line.kind == '+') texts.emplace_back(line.text);
      if (line.kind == '+') added.push_back({line.text, {}});
    }
    if (added.empty()) return fail(hunk, "it neither adds nor takes away a line");
    size_t at = lines_.size();
    if (!hunk.hints.empty() && !hunk.at_end) {
      std::vector<size_t> hints = search_.find_hints(hunk.hints, cursor_);
      if (hints.empty()) hints = search_.find_hints(hunk.hints, 0);
      if (hints.empty()) return fail(hunk, "the line of its hint '" + printable(hunk.hints.back()) + "' was not found");
      if (hints.size() > 1) return fail_ambiguous(hunk, hints);
      at = hints[0] + 1;
    }
    const bool after_hint = at < lines_.size() || (!hunk.hints.empty() && !hunk.at_end);
    const size_t there = after_hint ? at : at - std::min(at, texts.size());
    if (lines_.stands_at(texts, Tolerance::none, there)) {
      result_.strategies.emplace_back("already_applied");
      return;
    }
    lines_.replace(at, 0, added);
    result_.strategies.emplace_back(after_hint ? "after_hint" : "at_end");
    if (after_hint) cursor_ = at + added.size();
    ++result_.changed;
  }

  // Whether what the hunk makes is there, and surely is no other text that happens to be the same.
  bool is_done(const Hunk& hunk, const Sides& sides) {
    const auto says_something = [](std::string_view line) {
      return std::any_of(line.begin(), line.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               static_cast<unsigned char>(c) >= 0x80;
      });
    };
    const auto telling = std::count_if(sides.after.begin(), sides.after.end(), says_something);
    const bool adds = std::any_of(sides.all.begin(), sides.all.end(),
                                  [&](const PatchLine& line) { return line.kind == '+' && says_something(line.text); });
    const bool between = !sides.all.empty() && sides.all.front().kind == ' ' && sides.all.back().kind == ' ';
    if (telling == 0 || !(adds || (between && telling > 1))) return false;
    const HunkPlaces places = search_.find(hunk, sides.after, cursor_);
    if (places.lines.empty() || (places.lines.size() > 1 && telling < 2)) return false;
    note_done(sides, places.lines[0]);
    return true;
  }

  void note_done(const Sides& sides, size_t first) {
    result_.strategies.emplace_back("already_applied");
    cursor_ = first + sides.after.size() - sides.trailing;
  }

  void fail(const Hunk& hunk, std::string reason) {
    result_.strategies.emplace_back("failed");
    result_.failures.push_back({number_, hunk.line, std::move(reason)});
  }

  void fail_ambiguous(const Hunk& hunk, const std::vector<size_t>& places) {
    fail(hunk, "it fits at " + std::to_string(places.size()) + " places (" + list_lines(places) +
                   "): add context lines, or a hint after '@@' that names what they are in");
  }

  void fail_not_found(const Hunk& hunk, const Sides& sides) {
    const size_t count = sides.before.size();
    std::string reason =
        count == 1 ? "the line it looks for is" : "the " + std::to_string(count) + " lines it looks for are";
    reason += " not in the file";
    if (!hunk.hints.empty() && search_.find_hints(hunk.hints, 0).empty()) {
      reason += ", nor is its hint '" + printable(hunk.hints.back()) + "'";
    }
    std::vector<Section> sections;
    const size_t most = lines_.size() < long_lines ? most_nearest_in_short : most_nearest_in_long;
    if (result_.failures.size() < most) sections = nearest_sections(lines_.bodies(), sides.before, 1);
    if (!sections.empty()) {
      reason += ". Nearest (- the patch, + the file):\n" + describe(sections[0], lines_.bodies(), sides.before);
      reason.pop_back();
    }
    fail(hunk, std::move(reason));
  }

  Document document_;
  WorkingLines lines_;
  HunkSearch search_;
  size_t cursor_ = 0;  // the line after what the last hunk changed
  size_t number_ = 0;
  HunksApplied result_;
};

}  // namespace

HunksApplied apply_hunks(std::string_view text, const std::vector<Hunk>& hunks) { return HunkApplier(text).run(hunks); }

}  // namespace talaria
