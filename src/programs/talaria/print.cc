#include "talaria/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/json_escape.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "os/file.h"
#include "talaria/wording.h"

namespace talaria {
namespace {

bool wants_colour() {
  static const bool wanted = [] {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return is_terminal(STDOUT_FILENO) && !(no_colour && *no_colour) && terminal && std::string_view(terminal) != "dumb";
  }();
  return wanted;
}

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// How many characters it shows: good enough for alignment, exact for all but wide and combining ones.
size_t shown_length(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string cut(std::string_view text, size_t length) {
  if (shown_length(text) <= length) return std::string(text);
  size_t end = 0;
  for (size_t shown = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++shown >= length) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

// The first `length` characters that are shown.
std::string_view head_of(std::string_view text, size_t length) {
  size_t end = 0;
  for (size_t shown = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++shown > length) break;
  }
  return text.substr(0, end);
}

// Broken at blanks into lines of `room`; those after the first are indented. A longer word is broken, too.
std::string wrapped(std::string_view text, size_t room, size_t indent) {
  const std::string next_line = "\n" + std::string(indent, ' ');
  std::string lines;
  size_t used = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > 0 && used + 1 + shown_length(word) > room) {
      lines += next_line;
      used = 0;
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    for (; shown_length(word) > room; lines += next_line) {
      const std::string_view head = head_of(word, room);
      lines += head;
      word.remove_prefix(head.size());
    }
    lines += word;
    used += shown_length(word);
  }
  return lines;
}

constexpr size_t between_columns = 2;

// Makes the widest columns narrower until the last one, which wraps, has a third of the width or all it needs. The
// first has what a person types next, so it is left readable while others can give way.
void leave_room_for_last(std::vector<size_t>& widths, size_t width) {
  constexpr size_t narrowest = 7, readable = 20;
  if (widths.size() < 2) return;
  const size_t wanted = std::min(widths.back(), width / 3);
  const auto others = [&] { return std::max_element(widths.begin() + 1, widths.end() - 1); };
  while (true) {
    size_t used = wanted;
    for (size_t i = 0; i + 1 < widths.size(); ++i) used += widths[i] + between_columns;
    if (used <= width) return;
    const size_t other = widths.size() > 2 ? *others() : 0;
    const bool first = widths[0] > readable ? widths[0] >= other : other <= narrowest;
    size_t& narrowed = first ? widths[0] : *others();
    if (narrowed <= narrowest) return;
    --narrowed;
  }
}

// The same JSON, with U+FFFD for bytes that are no UTF-8: such bytes are in its strings only.
std::string valid_json(std::string json) {
  if (is_utf8(json)) return json;
  std::string text;
  for (std::string_view rest = json; !rest.empty();) {
    const Utf8Step step = decode_utf8(rest);
    if (step.kind == Utf8Step::Kind::character) text += rest.substr(0, step.length);
    else append_utf8(text, 0xfffd);
    rest.remove_prefix(step.length);
  }
  return text;
}

// The same JSON, with what a terminal would obey or not show as escapes: such characters are in its strings only.
std::string with_json_escapes(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const Utf8Step step = decode_utf8(json);
    if (is_terminal_control(step.character) || is_unseen(step.character)) append_json_escape(text, step.character);
    else text += json.substr(0, step.length);
    json.remove_prefix(step.length);
  }
  return text;
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

namespace {

// What this program has said on its two streams, of which there is one each.
struct Said {
  bool printed = false;
  std::string complaints;
};
Said& said() {
  static Said all;
  return all;
}

}  // namespace

bool has_printed() { return said().printed; }
std::string complaints() { return said().complaints; }

void print(std::string_view text) {
  said().printed = said().printed || !text.empty();
  if (Result<> written = write_all(STDOUT_FILENO, text); !written) stop_printing(written.error().number());
}

void stop_printing(int number) {
  if (number == EPIPE) std::_Exit(128 + SIGPIPE);
  complain(Error::from_number(number, "cannot write").message());
  std::_Exit(1);
}

void print_line(std::string_view text) {
  std::string line(text);
  if (line.empty() || line.back() != '\n') line += '\n';
  print(line);
}

std::string for_terminal(std::string text) { return is_terminal(STDOUT_FILENO) ? terminal_text(text) : text; }

void print_json(const Json& value) {
  if (is_terminal(STDOUT_FILENO)) print_line(with_json_escapes(valid_json(write_json_pretty(value))));
  else print_json_line(value);
}

void print_json_line(const Json& value) { print_line(valid_json(write_json(value))); }

void complain(std::string_view message) {
  if (!said().complaints.empty()) said().complaints += '\n';
  said().complaints += message;
  remark("talaria: " + std::string(message));
}

namespace {

void write_error_line(std::string line) {
  if (!line.ends_with('\n')) line += '\n';
  (void)write_all(STDERR_FILENO, line);
}

}  // namespace

void remark(std::string_view text) { write_error_line(terminal_text(text)); }

void relay_errors(std::string_view text) {
  write_error_line(is_terminal(STDERR_FILENO) ? terminal_text(text) : std::string(text));
}

int fail(const Error& error, int code) {
  complain(for_people(error.message()));
  return code;
}

std::string coloured(Colour colour, std::string_view text) {
  if (!wants_colour()) return std::string(text);
  const char* begin = "";
  switch (colour) {
    case Colour::none: return std::string(text);
    case Colour::green: begin = "\x1b[32m"; break;
    case Colour::yellow: begin = "\x1b[33m"; break;
    case Colour::red: begin = "\x1b[31m"; break;
    case Colour::dim: begin = "\x1b[2m"; break;
    case Colour::bold: begin = "\x1b[1m"; break;
  }
  return begin + std::string(text) + "\x1b[0m";
}

// A tab in a cell would look like two cells, and a line end like two rows.
void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = shown_line(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& row, const std::vector<size_t>& widths, size_t width,
                        bool heading) const {
  std::string text;
  size_t used = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool last = i + 1 == row.size();
    std::string cell = row[i];
    const size_t room = width > used + 8 ? width - used : 8;
    if (!last) cell = cut(cell, widths[i]);
    else if (!wraps_) cell = cut(cell, room);
    const size_t padding = last ? 0 : widths[i] - shown_length(cell) + between_columns;
    const Colour colour = heading ? Colour::bold : choose_ && i == coloured_column_ ? choose_(cell) : Colour::none;
    text += coloured(colour, last && wraps_ ? wrapped(cell, room, used) : cell);
    text += std::string(padding, ' ');
    used += shown_length(cell) + padding;
  }
  return text + "\n";
}

std::string Table::aligned(size_t width) const {
  std::vector<size_t> widths;
  for (const std::string& cell : heading_) widths.push_back(shown_length(cell));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) widths[i] = std::max(widths[i], shown_length(row[i]));
  }
  if (wraps_) leave_room_for_last(widths, width);
  std::string text = line(heading_, widths, width, true);
  for (const auto& row : rows_) text += line(row, widths, width, false);
  return text;
}

std::string Table::tabbed() const {
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "\t" : "") + row[i];
    text += "\n";
  }
  return text;
}

void Table::print_out() const {
  if (is_terminal(STDOUT_FILENO)) print(aligned(terminal_width()));
  else print(tabbed());
}

}  // namespace talaria
