#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

bool is_terminal(int fd);
// How many columns the terminal at stdout has; 80 if there is none or it does not tell.
size_t terminal_width();
// A longer line goes on below, four columns further in than it began; one without an indent goes on at the margin.
std::string fit_lines(std::string_view text, size_t width);
// Prints to stdout, fitted to its width if that is a terminal.
void print_fitted(std::string_view text);

// To stdout, all of it, or stop_printing.
void print(std::string_view text);
// After a failed write to stdout (its errno): nothing is left to do. Nobody reads any more: ends the program quietly,
// with the code of SIGPIPE; a full disk: says so and ends it with 1.
[[noreturn]] void stop_printing(int number);
// With a newline at the end unless there is one.
void print_line(std::string_view text);
// Text from anywhere, for stdout: on a terminal its control and invisible characters are shown, so that it cannot be
// other than it looks; in a pipe it is as it is.
std::string for_terminal(std::string text);
// One line in a pipe, indented on a terminal. Bytes that are no text, as a name of a file may hold, become U+FFFD.
void print_json(const Json& value);
// Always one line: one of several values.
void print_json_line(const Json& value);
// `talaria: message` to stderr, with control and invisible characters of what it quotes shown; so remark.
void complain(std::string_view message);
// A line to stderr that is no complaint: what we say beside a job's output, which alone goes to stdout.
void remark(std::string_view text);
// What a program wrote to its stderr, to ours: shown as for_terminal does where that is a terminal.
void relay_errors(std::string_view text);
// `talaria: message` to stderr, and the exit code to return.
int fail(const Error& error, int code = 1);

// Whether anything went to stdout by the functions here.
bool has_printed();
// All that was complained of so far, a line each.
std::string complaints();

enum class Colour { none, green, yellow, red, dim, bold };
// As it is unless stdout is a terminal that wants colours (NO_COLOR unset).
std::string coloured(Colour colour, std::string_view text);

}  // namespace talaria
