#include "patch/normal_form.h"

#include <algorithm>

#include "base/utf8.h"

namespace talaria {
namespace {

constexpr std::string_view blanks_of_a_line = " \t\r\f\v";

// What people type for a character of typography; {nullptr, 0} for every other one.
std::string_view typed(char32_t c, Typography typography) {
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
    case 0x02BC:
    case 0xFF07: return "'";
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0x00AB:
    case 0x00BB:
    case 0xFF02: return "\"";
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
    case 0xFE63:
    case 0xFF0D: return "-";
    case 0x2014:
    case 0x2015: return typography == Typography::wide_dash ? "--" : "-";
    case 0x2026: return "...";
    case 0x00A0:
    case 0x1680:
    case 0x202F:
    case 0x205F:
    case 0x3000: return " ";
    case 0x200B:
    case 0x2060:
    case 0xFEFF: return "";
    default: return c >= 0x2000 && c <= 0x200A ? std::string_view(" ") : std::string_view();
  }
}

class Folder {
 public:
  Folder(std::string_view source, Blanks blanks, Typography typography)
      : source_(source), blanks_(blanks), typography_(typography) {
    folded_.text.reserve(source.size());
    folded_.origin.reserve(source.size() + 1);
  }

  Folded run() && {
    for (size_t at = 0; at < source_.size();) {
      const char c = source_[at];
      if (static_cast<unsigned char>(c) < 0x80 || typography_ == Typography::kept) {
        add(c, at++);
        continue;
      }
      const Utf8Step step = decode_utf8(source_.substr(at));
      const bool whole = step.kind == Utf8Step::Kind::character;
      const std::string_view plain = whole ? typed(step.character, typography_) : std::string_view();
      if (plain.data()) {
        for (char p : plain) add(p, at);
      } else {
        for (size_t i = 0; i < step.length; ++i) add(source_[at + i], at + i);
      }
      at += step.length;
    }
    folded_.origin.push_back(static_cast<uint32_t>(source_.size()));
    return std::move(folded_);
  }

 private:
  void add(char c, size_t origin) {
    if (blanks_ == Blanks::kept) return put(c, origin);
    if (is_blank(c)) {
      if (!has_blank_) blank_origin_ = origin;
      has_blank_ = true;
      return;
    }
    if (c == '\n') {
      has_blank_ = false;
    } else if (!(at_line_start_ && blanks_ == Blanks::unindented)) {
      flush_blank();
    }
    has_blank_ = false;
    at_line_start_ = c == '\n';
    put(c, origin);
  }

  void flush_blank() {
    if (has_blank_) put(' ', blank_origin_);
    has_blank_ = false;
  }

  void put(char c, size_t origin) {
    folded_.text += c;
    folded_.origin.push_back(static_cast<uint32_t>(origin));
  }

  std::string_view source_;
  Blanks blanks_;
  Typography typography_;
  Folded folded_;
  bool at_line_start_ = true;
  bool has_blank_ = false;
  size_t blank_origin_ = 0;
};

}  // namespace

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_blank(std::string_view line) { return line.find_first_not_of(blanks_of_a_line) == std::string_view::npos; }

std::string_view trim_right(std::string_view line) {
  return line.substr(0, line.find_last_not_of(blanks_of_a_line) + 1);
}

std::string_view trim_blanks(std::string_view line) {
  line = trim_right(line);
  return line.substr(std::min(line.find_first_not_of(blanks_of_a_line), line.size()));
}

std::string_view indent_of(std::string_view line) { return line.substr(0, line.find_first_not_of(blanks_of_a_line)); }

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

size_t Folded::end_of(size_t last, std::string_view source) const {
  const size_t at = origin[last];
  // A byte that was taken over as it is stands for itself alone.
  if (source[at] == text[last] || is_blank(source[at])) return at + 1;
  return at + decode_utf8(source.substr(at)).length;
}

Folded fold(std::string_view text, Blanks blanks, Typography typography) {
  return Folder(text, blanks, typography).run();
}

}  // namespace talaria
