#include "process/clean_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/utf8.h"

namespace talaria {
namespace {

constexpr size_t most_held = 4096;
constexpr size_t most_line = 64 * 1024;
constexpr unsigned char bel = 0x07, cancel = 0x18, substitute = 0x1a, escape = 0x1b, del = 0x7f;

constexpr std::array<bool, 256> make_plain_table() {
  std::array<bool, 256> table{};
  for (size_t byte = 0x20; byte < 0x7f; ++byte) table[byte] = true;
  table['\n'] = table['\t'] = true;
  return table;
}
constexpr std::array<bool, 256> plain_table = make_plain_table();

bool all_plain(const char* bytes) {
  // Sixteen at a time without a branch, so that the compiler may do it with vectors.
  unsigned odd = 0;
  for (size_t i = 0; i < 16; ++i) {
    const unsigned char c = static_cast<unsigned char>(bytes[i]);
    odd |= static_cast<unsigned>(static_cast<unsigned char>(c - 0x20) > 0x5e) & static_cast<unsigned>(c != '\n') &
           static_cast<unsigned>(c != '\t');
  }
  return odd == 0;
}

size_t plain_length(std::string_view bytes) {
  size_t i = 0;
  while (i + 16 <= bytes.size() && all_plain(bytes.data() + i)) i += 16;
  while (i < bytes.size() && plain_table[static_cast<unsigned char>(bytes[i])]) ++i;
  return i;
}

struct Range {
  char32_t first, last;
};

// Characters that show nothing but change how what stands around them is read, or smuggle text past a reader.
constexpr Range invisible_table[] = {
    {0x80, 0x9f},        // C1 controls
    {0x61c, 0x61c},      // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200f},    // zero-width and direction marks
    {0x2028, 0x202e},    // line and paragraph separators, direction embeddings
    {0x2060, 0x206f},    // word joiner, invisible operators, direction isolates
    {0xd800, 0xdfff},    // surrogates
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xe0000, 0xe007f},  // tags
};

bool is_invisible(char32_t character) {
  if (character >= 0xa0 && character < 0x61c) return false;  // most of Europe
  return std::any_of(std::begin(invisible_table), std::end(invisible_table),
                     [=](Range range) { return character >= range.first && character <= range.last; });
}

// The byte after ESC that means the same as this C1 control, if it starts a sequence; else 0.
char escape_form(char32_t character) {
  switch (character) {
    case 0x90: return 'P';
    case 0x98: return 'X';
    case 0x9b: return '[';
    case 0x9d: return ']';
    case 0x9e: return '^';
    case 0x9f: return '_';
    default: return 0;
  }
}

}  // namespace

std::string TextCleaner::feed(std::string_view bytes) {
  out_.reserve(bytes.size());
  while (!bytes.empty()) bytes.remove_prefix(step(bytes));
  return std::exchange(out_, {});
}

std::string TextCleaner::finish() {
  if (state_ == State::text_escape) held_ += static_cast<char>(escape);
  show_held();
  if (!pending_.empty()) put("\uFFFD");
  out_ += line_;
  // Where a reader continues after this, the next text stands on a line of its own, as it would have here.
  if (carriage_return_ && !line_empty_) out_ += '\n';
  return std::exchange(*this, TextCleaner(collapse_)).out_;
}

// Handles what comes next and returns how many bytes that took; 0 when only the state changed.
size_t TextCleaner::step(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  if (!pending_.empty()) return step_pending(bytes.front());
  switch (state_) {
    case State::ground: return step_ground(bytes);
    case State::escape:
    case State::charset: return step_escape(first);
    case State::csi: return step_csi(first);
    case State::text:
    case State::text_escape: return step_text(first);
  }
  return bytes.size();
}

size_t TextCleaner::step_ground(std::string_view bytes) {
  if (const size_t run = plain_length(bytes)) {
    put_run(bytes.substr(0, run));
    return run;
  }
  const auto first = static_cast<unsigned char>(bytes.front());
  if (first == escape) return hold(first, State::escape);
  if (first < 0x80) {
    put_control(first);
    return 1;
  }
  const Utf8Step step = decode_utf8(bytes);
  if (step.kind == Utf8Step::Kind::incomplete) {
    pending_ = bytes;
  } else if (const char form = escape_form(step.character)) {
    held_ = bytes.substr(0, step.length);
    state_ = form == '[' ? State::csi : State::text;
    bel_ends_ = form == ']';
  } else {
    put_character(step.character, bytes.substr(0, step.length));
  }
  return step.length;
}

size_t TextCleaner::step_pending(char byte) {
  pending_ += byte;
  const Utf8Step step = decode_utf8(pending_);
  if (step.kind == Utf8Step::Kind::incomplete) return 1;
  const std::string bytes = std::exchange(pending_, {});
  if (step.length == bytes.size()) {
    step_ground(bytes);
    return 1;
  }
  put_character(step.character, {});
  return 0;
}

size_t TextCleaner::step_escape(unsigned char byte) {
  if (byte >= 0x20 && byte <= 0x2f) return hold(byte, State::charset);
  if (byte < 0x20 || byte > 0x7e) {
    show_held();
    return 0;
  }
  const bool starts = state_ == State::escape && std::strchr("[]PX^_", byte);
  if (!starts) return drop_sequence();
  bel_ends_ = byte == ']';
  return hold(byte, byte == '[' ? State::csi : State::text);
}

size_t TextCleaner::step_csi(unsigned char byte) {
  if (byte >= 0x40 && byte <= 0x7e) return drop_sequence();
  if (byte >= 0x20 && byte <= 0x3f) return hold(byte, State::csi);
  // A terminal would go on after a control character; in a log it more often means that the sequence was cut off,
  // and what follows should not be swallowed.
  show_held();
  return 0;
}

size_t TextCleaner::step_text(unsigned char byte) {
  if (state_ == State::text_escape) {
    if (byte == '\\') return drop_sequence();
    show_held();
    if (!std::exchange(pending_, {}).empty()) put("\uFFFD");
    hold(escape, State::escape);
    return 0;
  }
  if (byte == escape) {
    state_ = State::text_escape;
    return 1;
  }
  const bool c1_end = byte == 0x9c && held_.back() == '\xC2';
  if (c1_end || (bel_ends_ && byte == bel)) return drop_sequence();
  if (byte == cancel || byte == substitute) {
    show_held();
    return 0;
  }
  return hold(byte, State::text);
}

size_t TextCleaner::hold(unsigned char byte, State next) {
  held_ += static_cast<char>(byte);
  state_ = next;
  if (held_.size() >= most_held) show_held();
  return 1;
}

size_t TextCleaner::drop_sequence() {
  held_.clear();
  state_ = State::ground;
  return 1;
}

// The sequence turned out to be none. It is not read again for sequences inside it: that could take quadratic time.
void TextCleaner::show_held() {
  state_ = State::ground;
  show_plain(std::exchange(held_, {}));
}

void TextCleaner::show_plain(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t length = plain_length(bytes);
    if (length > 0) {
      put_run(bytes.substr(0, length));
    } else if (const auto first = static_cast<unsigned char>(bytes.front()); first < 0x80) {
      length = 1;
      put_control(first);
    } else {
      const Utf8Step step = decode_utf8(bytes);
      length = step.length;
      if (step.kind == Utf8Step::Kind::incomplete) pending_ = bytes;
      else put_character(step.character, bytes.substr(0, length));
    }
    bytes.remove_prefix(length);
  }
}

// `bytes` are the character's own; those of a broken one do not matter.
void TextCleaner::put_character(char32_t character, std::string_view bytes) {
  if (character == 0xFFFD) return put("\uFFFD");
  if (!is_invisible(character)) return put(bytes);
  std::string digits;
  for (; character > 0; character >>= 4) digits.insert(digits.begin(), "0123456789abcdef"[character & 0xf]);
  put("\\u{" + digits + "}");
}

void TextCleaner::put_control(unsigned char byte) {
  if (byte == '\r') return put_carriage_return();
  constexpr std::string_view digits = "0123456789abcdef";
  const char shown[] = {'\\', 'x', digits[byte >> 4], digits[byte & 0xf]};
  put({shown, sizeof shown});
}

// A piece that must not be torn apart.
void TextCleaner::put(std::string_view unit) {
  settle_carriage_return();
  line_empty_ = false;
  if (collapse_ == Collapse::no) {
    out_ += unit;
    return;
  }
  if (unit.size() > most_line - line_.size()) spill_line();
  hold_line(unit);
}

// Printable ASCII, tabs and line feeds.
void TextCleaner::put_run(std::string_view ascii) {
  if (ascii.front() == '\n') {
    carriage_return_ = false;  // CR LF
  } else {
    settle_carriage_return();
  }
  if (collapse_ == Collapse::no) {
    out_ += ascii;
    line_empty_ = ascii.back() == '\n';
    return;
  }
  while (!ascii.empty()) {
    if (ascii.front() == '\n') {
      put_line_feed();
      ascii.remove_prefix(1);
      continue;
    }
    const std::string_view part = ascii.substr(0, std::min(ascii.find('\n'), most_line - line_.size()));
    line_empty_ = false;
    hold_line(part);
    ascii.remove_prefix(part.size());
  }
}

void TextCleaner::put_line_feed() {
  out_ += line_;
  out_ += '\n';
  line_.clear();
  line_empty_ = true;
  line_spilled_ = false;
}

// At the start of a line it does nothing. Elsewhere it waits for what follows.
void TextCleaner::put_carriage_return() { carriage_return_ = !line_empty_; }

// Text follows a carriage return.
void TextCleaner::settle_carriage_return() {
  if (!std::exchange(carriage_return_, false)) return;
  if (collapse_ == Collapse::yes) line_.clear();
  // What is out already cannot be taken back, so the new state begins below it.
  if (collapse_ == Collapse::no || line_spilled_) out_ += '\n';
  line_spilled_ = false;
}

void TextCleaner::hold_line(std::string_view text) {
  line_ += text;
  if (line_.size() == most_line) spill_line();
}

void TextCleaner::spill_line() {
  out_ += line_;
  line_.clear();
  line_spilled_ = true;
}

std::string clean(std::string_view bytes, Collapse collapse) {
  TextCleaner cleaner(collapse);
  std::string text = cleaner.feed(bytes);
  return text += cleaner.finish();
}

}  // namespace talaria
