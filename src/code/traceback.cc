#include "code/traceback.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr size_t longest_line = 500;  // characters

// What exec has and terminal in a program has not.
constexpr std::array<std::string_view, 4> outside_names = {"background", "pty", "notify_on_complete", "yieldMs"};
constexpr const char* outside_hint =
    "In a script terminal waits for its command and takes command, timeout and workdir. What is to run in the "
    "background or needs a terminal is started outside of the script, with the tool exec, and followed with the tool "
    "process.";

const std::vector<std::string>& module_names() {
  static const std::vector<std::string> names = {
      "web_search", "web_extract", "read_file", "write_file", "search_files", "patch",       "terminal",
      "json_parse", "shell_quote", "retry",     "progress",   "parallel",     "parallel_map"};
  return names;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_syntax_error(std::string_view line) {
  return line.starts_with("SyntaxError") || line.starts_with("IndentationError") || line.starts_with("TabError");
}

// The 7 of `  File "<program>", line 7`, in the last such line of [0, end).
std::string line_number_before(const std::vector<std::string_view>& lines, size_t end) {
  constexpr std::string_view mark = "\", line ";
  for (size_t i = end; i > 0; --i) {
    const std::string_view line = lines[i - 1];
    if (!trim(line).starts_with("File \"")) continue;
    const size_t at = line.find(mark);
    if (at == std::string_view::npos) return "";
    const std::string_view number = line.substr(at + mark.size());
    return std::string(number.substr(0, number.find_first_not_of("0123456789")));
  }
  return "";
}

// The line of the exception after the last traceback's frames, which are indented. A group's is drawn in a box.
std::optional<size_t> exception_after_traceback(const std::vector<std::string_view>& lines) {
  constexpr std::string_view box = "  | ";
  for (size_t start = lines.size(); start > 0; --start) {
    const std::string_view line = lines[start - 1];
    const bool plain = line == "Traceback (most recent call last):";
    const bool group = line == "  + Exception Group Traceback (most recent call last):";
    if (!plain && !group) continue;
    for (size_t i = start; i < lines.size(); ++i) {
      const std::string_view rest = group && lines[i].starts_with(box) ? lines[i].substr(box.size()) : lines[i];
      if (group && rest.size() == lines[i].size()) break;
      if (!rest.empty() && rest[0] != ' ') return i;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::string shown_error_line(std::string_view line) {
  line = trim(line);
  if (line.starts_with("| ")) line.remove_prefix(2);
  return std::string(first_characters(line, longest_line));
}

// What stands between the first two quotes after `start`, if the line begins so.
std::optional<std::string> name_after(std::string_view line, std::string_view start) {
  if (!line.starts_with(start)) return std::nullopt;
  line.remove_prefix(start.size());
  const size_t open = line.find('\'');
  const size_t close = open == std::string_view::npos ? open : line.find('\'', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(open + 1, close - open - 1));
}

std::string import_hint(const std::string& name) {
  const std::vector<std::string> meant = nearest(name, module_names());
  return "hermes_tools has no " + name + (meant.empty() ? "" : "; near: " + join(meant, ", ")) +
         ". It has the tools of this session and json_parse, shell_quote, retry, progress, parallel, parallel_map.";
}

}  // namespace

std::string exception_line(std::string_view errors) {
  const std::vector<std::string_view> lines = lines_of(errors);
  // A program that does not compile has no frames, so what is said of it has no such head.
  const auto syntax = std::find_if(lines.rbegin(), lines.rend(), is_syntax_error);
  std::optional<size_t> at = exception_after_traceback(lines);
  if (syntax != lines.rend()) {
    const auto found = static_cast<size_t>(lines.rend() - syntax) - 1;
    if (!at || found > *at) at = found;
  }
  if (!at) return "";
  std::string line = shown_error_line(lines[*at]);
  if (!is_syntax_error(line)) return line;
  const std::string number = line_number_before(lines, *at);
  return number.empty() ? line : line + " (line " + number + ")";
}

std::string hint_for(std::string_view exception, std::string_view interpreter) {
  if (exception.find("from 'hermes_tools'") != std::string_view::npos) {
    if (const auto name = name_after(exception, "ImportError: cannot import name")) return import_hint(*name);
  }
  if (const auto name = name_after(exception, "ModuleNotFoundError: No module named")) {
    return "The module " + *name + " is not installed for " +
           (interpreter.empty() ? "this Python" : std::string(interpreter)) +
           ". Do without it, or install it in the project's virtual environment first.";
  }
  if (const auto name = name_after(exception, "NameError: name")) {
    if (std::ranges::find(module_names(), *name) != module_names().end()) {
      return "Import it first: from hermes_tools import " + *name;
    }
  }
  if (const auto name = name_after(exception, "TypeError: terminal() got an unexpected keyword argument")) {
    if (std::ranges::find(outside_names, *name) != outside_names.end()) return outside_hint;
  }
  if (exception.starts_with("ConnectionError: hermes_tools has no connection")) {
    return "A process that multiprocessing starts can call tools only with the fork start method: use "
           "multiprocessing.get_context(\"fork\"), or parallel_map of hermes_tools, which needs no processes.";
  }
  if (exception.starts_with("TypeError: string indices must be integers")) {
    return "A tool's result is a dict, and a loop over a dict gives its keys: loop over the list in it, such as "
           "result[\"matches\"]. A result with \"error\" in it has no such list.";
  }
  return "";
}

}  // namespace talaria
