// What holds for every replacement and every patch, shown on texts made by chance, the same in every run.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "patch/document.h"
#include "patch/line_diff.h"
#include "patch/replace.h"
#include "patch/v4a.h"

namespace talaria {
namespace {

class Chance {
 public:
  explicit Chance(unsigned start) : random_(start) {}
  size_t below(size_t limit) { return random_() % limit; }
  bool one_in(size_t count) { return below(count) == 0; }
  template <class Value>
  const Value& of(const std::vector<Value>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937 random_;
};

const std::vector<std::string> words = {"if (a) {", "}",        "return  x;", "f(a, b)",      "“quoted”",
                                        "größe",    "",         "  ",         "x = \"a\\n\"", "\xFF broken",
                                        "else",     "# — note", "a\tb",       "'s'",          "end"};
const std::vector<std::string> indents = {"", "  ", "    ", "\t", "\t\t", "        "};
const std::vector<std::string> line_ends = {"\n", "\r\n", "\r"};

std::string random_text(Chance& chance, size_t lines) {
  std::string text = chance.one_in(8) ? "\xEF\xBB\xBF" : "";
  const std::string& usual = chance.of(line_ends);
  const bool mixed = chance.one_in(5);
  for (size_t i = 0; i < lines; ++i) {
    text += chance.of(indents) + chance.of(words);
    if (!chance.one_in(3)) text += " line" + std::to_string(i);
    if (i + 1 < lines || !chance.one_in(4)) text += mixed ? chance.of(line_ends) : usual;
  }
  return text;
}

std::vector<std::string> split_whole(std::string_view text, char end) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t length = std::min(text.find(end), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<std::string> outside(std::string_view text, char end, const std::vector<LineRange>& ranges) {
  std::vector<std::string> lines;
  size_t number = 0;
  for (std::string& line : split_whole(text, end)) {
    ++number;
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](const LineRange& range) {
      return range.first <= number && number <= range.last;
    });
    if (!inside) lines.push_back(std::move(line));
  }
  return lines;
}

bool has_mixed_line_ends(std::string_view text) {
  const auto returns = std::count(text.begin(), text.end(), '\r'), feeds = std::count(text.begin(), text.end(), '\n');
  ptrdiff_t pairs = 0;
  for (size_t at = text.find("\r\n"); at != std::string_view::npos; at = text.find("\r\n", at + 1)) ++pairs;
  return returns > 0 && feeds > 0 && (pairs != returns || pairs != feeds);
}

// Some lines of the text as a caller might remember them.
std::string remembered(Chance& chance, std::string passage) {
  switch (chance.below(6)) {
    case 0: {  // no indentation
      std::string result;
      for (std::string_view line : pieces_of(passage)) {
        result += line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
        result += "\n";
      }
      return result;
    }
    case 1: return passage + "  ";
    case 2: std::replace(passage.begin(), passage.end(), '\t', ' '); return passage;
    case 3:
      for (size_t at; (at = passage.find("“")) != std::string::npos;) passage.replace(at, 3, "\"");
      return passage;
    default: return passage;
  }
}

struct Attempt {
  std::string text;
  ReplaceRequest request;
};

Attempt random_attempt(Chance& chance, int round) {
  Attempt attempt{random_text(chance, 1 + chance.below(25)), {}};
  const Document document(attempt.text);
  const std::vector<std::string_view> lines = lines_of(document.text());
  if (lines.empty()) return attempt;
  const size_t first = chance.below(lines.size());
  const size_t count = 1 + chance.below(std::min<size_t>(4, lines.size() - first));
  std::string passage;
  for (size_t i = first; i < first + count; ++i) passage += (i > first ? "\n" : "") + std::string(lines[i]);
  std::string fresh = "fresh" + std::to_string(round) + " with more words than come about by chance";
  if (chance.one_in(2)) fresh = passage.substr(0, passage.find('\n') + 1) + "  " + fresh;
  if (chance.one_in(3)) fresh += "\n    more";
  attempt.request = {remembered(chance, passage), fresh, chance.one_in(5)};
  return attempt;
}

TEST(PatchPropertyTest, NothingOutsideTheReportedLinesChanges) {
  Chance chance(1);
  size_t replaced_ones = 0, by_strategy = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto [text, request] = random_attempt(chance, round);
    const auto outcome = replace_text(text, request);
    const auto* replaced = std::get_if<Replaced>(&outcome);
    if (!replaced || replaced->no_change) continue;
    ++replaced_ones;
    by_strategy += replaced->strategy != "exact";
    const char end = text.find('\n') == std::string::npos && text.find('\r') != std::string::npos ? '\r' : '\n';
    ASSERT_EQ(outside(text, end, replaced->before), outside(replaced->text, end, replaced->after))
        << replaced->strategy << "\n"
        << text << "\n---\n"
        << request.old_string << "\n---\n"
        << request.new_string;
    ASSERT_EQ(replaced->before.size(), replaced->after.size());
    ASSERT_NE(replaced->text, text);
  }
  EXPECT_GT(replaced_ones, 8'000u);
  EXPECT_GT(by_strategy, 2'000u);
}

TEST(PatchPropertyTest, AReplacementMadeAgainIsNoChange) {
  Chance chance(2);
  size_t checked = 0, of_several = 0;
  for (int round = 0; round < 10'000; ++round) {
    const auto [text, request] = random_attempt(chance, round);
    const auto outcome = replace_text(text, request);
    const auto* replaced = std::get_if<Replaced>(&outcome);
    if (!replaced || replaced->no_change) continue;
    // Where old_string is found word for word it is replaced, whatever else is there.
    const auto again = replace_text(replaced->text, request);
    const auto* second = std::get_if<Replaced>(&again);
    if (second && !second->no_change && second->strategy == "exact") continue;
    if (!second && std::get<ReplaceFailure>(again).kind == ReplaceFailure::Kind::ambiguous) continue;
    ++checked;
    of_several += replaced->replacements > 1;
    ASSERT_TRUE(second && second->no_change)
        << replaced->strategy << "\n"
        << text << "\n---\n"
        << request.old_string << "\n---\n"
        << request.new_string << "\n--- first\n"
        << replaced->text << "\n--- second\n"
        << (second ? second->strategy + "\n" + second->text : std::get<ReplaceFailure>(again).message);
  }
  EXPECT_GT(checked, 2'000u);
  EXPECT_GT(of_several, 20u);
}

TEST(PatchPropertyTest, AWordReplacedEverywhereIsNotReplacedAgain) {
  Chance chance(5);
  size_t of_several = 0;
  for (int round = 0; round < 3'000; ++round) {
    const std::string text = random_text(chance, 1 + chance.below(25));
    const ReplaceRequest request{chance.of<std::string>({"if (a) {", "f(a, b)", "größe", "else", "end", "line1"}),
                                 chance.of<std::string>({"new(", "q", "ß", "stop;"}), true};
    const auto outcome = replace_text(text, request);
    const auto* replaced = std::get_if<Replaced>(&outcome);
    if (!replaced || replaced->no_change) continue;
    of_several += replaced->replacements > 1;
    const auto again = replace_text(replaced->text, request);
    const auto* second = std::get_if<Replaced>(&again);
    ASSERT_TRUE(second && second->no_change) << text << "\n---\n" << request.old_string << "\n" << request.new_string;
    ASSERT_EQ(second->text, replaced->text);
  }
  EXPECT_GT(of_several, 500u);
}

TEST(PatchPropertyTest, AnExactReplacementIsUndoneByItsReverse) {
  Chance chance(3);
  size_t checked = 0;
  for (int round = 0; round < 10'000; ++round) {
    const auto [text, request] = random_attempt(chance, round);
    const auto outcome = replace_text(text, request);
    const auto* replaced = std::get_if<Replaced>(&outcome);
    if (!replaced || replaced->no_change || replaced->strategy != "exact" || replaced->replacements != 1) continue;
    // Mixed line ends are kept for lines that stay; of one that is gone nothing is known any more.
    const bool mixed = has_mixed_line_ends(text);
    // Nor does a text tell what its line ends were when none is left.
    const bool any_left = replaced->text.find_first_of("\r\n") != std::string::npos;
    if (mixed || (!any_left && text.find('\r') != std::string::npos)) continue;
    const auto back = replace_text(replaced->text, {request.new_string, request.old_string, false});
    ASSERT_TRUE(std::holds_alternative<Replaced>(back)) << std::get<ReplaceFailure>(back).message;
    ASSERT_EQ(std::get<Replaced>(back).text, text);
    ++checked;
  }
  EXPECT_GT(checked, 2'000u);
}

// A text of lines that are there once, changed at some places, and the hunks from one to the other.
struct Change {
  std::string before, after, line_end;
  std::vector<Hunk> hunks, reverse;
};

Change random_change(Chance& chance, int round) {
  Change change;
  change.line_end = chance.of(line_ends);
  std::vector<std::string> before, after;
  const size_t count = 3 + chance.below(60);
  for (size_t i = 0; i < count; ++i)
    before.push_back(chance.of(indents) + "line " + std::to_string(i) + chance.of(words));
  for (size_t i = 0; i < count; ++i) {
    const bool inner = i > 0 && i + 1 < count;
    if (inner && chance.one_in(8)) continue;
    if (inner && chance.one_in(8))
      after.push_back(chance.of(indents) + "new " + std::to_string(round * 1'000) + std::to_string(i));
    if (!inner || !chance.one_in(8)) after.push_back(before[i]);
  }
  const std::vector<std::string_view> old_lines(before.begin(), before.end()), new_lines(after.begin(), after.end());
  for (const LineChange& each : diff_lines(old_lines, new_lines)) {
    Hunk hunk, reverse;
    const auto add = [&](char kind, const std::string& text) {
      hunk.lines.push_back({kind, text});
      reverse.lines.push_back({kind == '-' ? '+' : kind == '+' ? '-' : ' ', text});
    };
    add(' ', before[each.before_first - 1]);
    for (size_t i = 0; i < each.before_count; ++i) add('-', before[each.before_first + i]);
    for (size_t i = 0; i < each.after_count; ++i) add('+', after[each.after_first + i]);
    add(' ', before[each.before_first + each.before_count]);
    change.hunks.push_back(std::move(hunk));
    change.reverse.push_back(std::move(reverse));
  }
  const std::string last = chance.one_in(3) ? "" : change.line_end;
  for (const std::string& line : before) change.before += line + (&line == &before.back() ? last : change.line_end);
  for (const std::string& line : after) change.after += line + (&line == &after.back() ? last : change.line_end);
  return change;
}

TEST(PatchPropertyTest, APatchIsAppliedUndoneAndKnownToBeDone) {
  Chance chance(4);
  for (int round = 0; round < 1'000; ++round) {
    const Change change = random_change(chance, round);
    const HunksApplied applied = apply_hunks(change.before, change.hunks);
    ASSERT_TRUE(applied.failures.empty()) << applied.failures[0].reason;
    ASSERT_EQ(applied.text, change.after);
    ASSERT_EQ(applied.strategies, std::vector<std::string>(change.hunks.size(), "exact"));
    const HunksApplied back = apply_hunks(applied.text, change.reverse);
    ASSERT_TRUE(back.failures.empty()) << back.failures[0].reason;
    ASSERT_EQ(back.text, change.before);
    const HunksApplied again = apply_hunks(applied.text, change.hunks);
    ASSERT_EQ(again.strategies, std::vector<std::string>(change.hunks.size(), "already_applied"));
    ASSERT_EQ(again.text, change.after);
  }
}

}  // namespace
}  // namespace talaria
