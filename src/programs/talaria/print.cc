#include "talaria/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/columns.h"
#include "base/json_escape.h"
#include "base/text.h"
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

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string fit_lines(std::string_view text, size_t width) {
  constexpr size_t hanging = 4;
  std::string fitted;
  for (const std::string& line : split(text, '\n')) {
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const size_t indent = std::min(blanks, width / 3);
    const size_t next = indent == 0 ? 0 : indent + hanging;
    const std::string_view rest = std::string_view(line).substr(blanks);
    if (columns_of(line) <= width) fitted += line;
    else fitted += std::string(indent, ' ') + wrap_to_columns(rest, std::max(width, next) - next, next);
    fitted += '\n';
  }
  fitted.pop_back();
  return fitted;
}

void print_fitted(std::string_view text) {
  print(is_terminal(STDOUT_FILENO) ? fit_lines(text, terminal_width()) : std::string(text));
}

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

}  // namespace talaria
