#include "files/search_pattern.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "base/utf8.h"

namespace talaria {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The character that \t and its like mean; zero: none.
char control_character(char letter) {
  switch (letter) {
    case 't': return '\t';
    case 'r': return '\r';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'a': return '\a';
    default: return '\0';
  }
}

// What is inside of brackets. POSIX has no escapes there: what is special goes where it is not.
struct BracketSet {
  bool negated = false, close = false, open = false, caret = false, dash = false;
  std::string rest = {};

  void add(std::string_view character) {
    if (character == "]") close = true;
    else if (character == "[") open = true;
    else if (character == "^") caret = true;
    else if (character == "-") dash = true;
    else rest += character;
  }

  std::string text() const {
    const std::string first = std::string(close ? "]" : "") + rest + (open ? "[" : "");
    if (negated) return "[^" + first + (caret ? "^" : "") + (dash ? "-" : "") + "]";
    if (!caret) return "[" + first + (dash ? "-" : "") + "]";
    if (!first.empty()) return "[" + first + "^" + (dash ? "-" : "") + "]";
    return dash ? "[-^]" : "\\^";
  }
};

class Translation {
 public:
  explicit Translation(std::string_view pattern) : pattern_(pattern) {
    constexpr std::string_view ignore_case = "(?i)";
    if (!pattern.starts_with(ignore_case)) return;
    result_.letters = LetterCase::ignored;
    at_ = ignore_case.size();
  }

  GrepPattern run() {
    while (!result_.fault && at_ < pattern_.size()) step();
    if (!result_.fault && !groups_.empty()) wrong(groups_.back(), "unclosed group");
    return std::move(result_);
  }

 private:
  bool follows(size_t at, std::string_view text) const {
    return at <= pattern_.size() && pattern_.substr(at).starts_with(text);
  }
  uint64_t position(size_t at) const { return 1 + count_characters(pattern_.substr(0, at)); }

  void wrong(size_t at, const std::string& reason) {
    result_.fault = {"search: the pattern is wrong at character " + std::to_string(position(at)) + ": " + reason,
                     position(at)};
  }
  void refuse(size_t at, size_t length) {
    const std::string_view rest = pattern_.substr(at);
    const std::string what(rest.substr(0, cut_at_or_after(rest, std::min(length, rest.size()))));
    result_.fault = {"search: " + what + " at character " + std::to_string(position(at)) +
                         " of the pattern needs rg (ripgrep), which is not installed",
                     position(at)};
  }

  void step() {
    const char c = pattern_[at_];
    switch (c) {
      case '\\': return take_escape();
      case '[': return take_set();
      case '(':
        if (follows(at_ + 1, "?")) return refuse(at_, 3);
        groups_.push_back(at_);
        return put(c, Repeatable::no);
      case ')':
        if (groups_.empty()) return wrong(at_, "unopened group");
        groups_.pop_back();
        return put(c, Repeatable::yes);
      case '*':
      case '+':
      case '?':
      case '{': return take_repetition();
      case '|': return put(c, Repeatable::no);
      default: return put(c, Repeatable::yes);
    }
  }

  enum class Repeatable { no, yes };
  void put(char c, Repeatable repeatable) {
    result_.text += c;
    repeatable_ = repeatable;
    ++at_;
  }

  void take_repetition() {
    if (repeatable_ == Repeatable::no) return wrong(at_, "repetition operator missing expression");
    size_t end = at_ + 1;
    if (pattern_[at_] == '{') {
      if (end == pattern_.size()) return wrong(at_, "unclosed counted repetition");
      while (end < pattern_.size() && is_digit(pattern_[end])) ++end;
      if (follows(end, ",")) ++end;
      while (end < pattern_.size() && is_digit(pattern_[end])) ++end;
      if (end == pattern_.size()) return wrong(at_, "unclosed counted repetition");
      if (pattern_[end] != '}' || !is_digit(pattern_[at_ + 1]))
        return wrong(at_ + 1, "repetition quantifier expects a valid decimal");
      ++end;
    }
    if (follows(end, "?")) return refuse(end - 1, 2);
    result_.text += pattern_.substr(at_, end - at_);
    at_ = end;
  }

  void take_escape() {
    if (at_ + 1 == pattern_.size()) return wrong(at_, "incomplete escape sequence, reached end of pattern prematurely");
    constexpr std::string_view known = "wWsSbB<>", special = ".[*+?(){|^$\\";
    const char next = pattern_[at_ + 1];
    if (next == 'd') result_.text += "[0-9]";
    else if (next == 'D') result_.text += "[^0-9]";
    else if (const char control = control_character(next)) result_.text += control;
    else if (known.find(next) != known.npos || special.find(next) != special.npos) (result_.text += '\\') += next;
    else if (is_word(next) || static_cast<unsigned char>(next) >= 0x80) return refuse(at_, 2);
    else result_.text += next;
    repeatable_ = Repeatable::yes;
    at_ += 2;
  }

  void take_set() {
    const size_t start = at_++;
    BracketSet set;
    set.negated = follows(at_, "^");
    if (set.negated) ++at_;
    for (const size_t first = at_; !result_.fault;) {
      if (at_ >= pattern_.size()) return wrong(start, "unclosed character class");
      if (pattern_[at_] == ']' && at_ > first) break;
      take_set_item(set);
    }
    if (result_.fault) return;
    ++at_;
    result_.text += set.text();
    repeatable_ = Repeatable::yes;
  }

  void take_set_item(BracketSet& set) {
    if (follows(at_, "[")) return take_named_class(set);
    for (const std::string_view operation : {"&&", "--", "~~"})
      if (follows(at_, operation)) return refuse(at_, 2);
    const size_t start = at_;
    const bool escaped = pattern_[at_] == '\\' && at_ + 1 < pattern_.size();
    if (escaped && take_set_escape(set)) return;
    if (escaped) ++at_;
    const size_t length = decode_utf8(pattern_.substr(at_)).length;
    const std::string_view character = pattern_.substr(at_, length);
    at_ += length;
    const bool is_range = follows(at_, "-") && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']' &&
                          !follows(at_, "--") && (escaped || character != "-");
    if (!is_range) return set.add(character);
    const std::string_view last = pattern_.substr(at_ + 1, decode_utf8(pattern_.substr(at_ + 1)).length);
    constexpr std::string_view special = "[]^-\\";
    if (special.find(character) != special.npos || special.find(last) != special.npos)
      return refuse(start, at_ + 1 + last.size() - start);
    (set.rest += character) += '-';
    set.rest += last;
    at_ += 1 + last.size();
  }

  // [:alpha:] is the same for both; any other bracket is a set in a set, or a literal one to grep.
  void take_named_class(BracketSet& set) {
    const size_t end = pattern_.find(":]", at_ + 2);
    if (!follows(at_, "[:") || follows(at_, "[:^") || end == pattern_.npos) return refuse(at_, 1);
    set.rest += pattern_.substr(at_, end + 2 - at_);
    at_ = end + 2;
  }

  // An escape with a letter; those of other characters mean the character itself.
  bool take_set_escape(BracketSet& set) {
    const char next = pattern_[at_ + 1];
    if (next == 'd') set.rest += "0-9";
    else if (next == 'w') set.rest += "[:alnum:]_";
    else if (next == 's') set.rest += "[:space:]";
    else if (const char control = control_character(next)) set.rest += control;
    else if (is_word(next)) refuse(at_, 2);
    else return false;
    at_ += 2;
    return true;
  }

  std::string_view pattern_;
  size_t at_ = 0;
  std::vector<size_t> groups_;  // where the open ones began
  Repeatable repeatable_ = Repeatable::no;
  GrepPattern result_;
};

}  // namespace

GrepPattern for_grep(std::string_view pattern) { return Translation(pattern).run(); }

}  // namespace talaria
