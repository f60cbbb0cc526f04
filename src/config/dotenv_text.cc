#include "config/dotenv_text.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "config/wipe.h"

namespace talaria {
namespace {

constexpr std::string_view dotenv_blanks = " \t\r\f\v";
constexpr std::string_view mark = "\xef\xbb\xbf";
// execve(2) takes no longer "NAME=value".
constexpr size_t longest_variable = 128 << 10;

std::string unescape(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    const char c = text[++at];
    if (c == 'n') plain += '\n';
    else if (c == 't') plain += '\t';
    else if (c == '"' || c == '\\' || c == '$') plain += c;
    else plain += {'\\', c};
  }
  return plain;
}

size_t line_end(std::string_view text, size_t offset) { return std::min(text.find('\n', offset), text.size()); }

// The first byte in [from, to) that is no blank, or `to`.
size_t skip_blanks(std::string_view text, size_t from, size_t to) {
  return std::min(text.find_first_not_of(dotenv_blanks, from), to);
}

// Where the quote that opens a value at `open` closes; npos when it does not.
size_t closing_quote(std::string_view text, size_t open) {
  const char quote = text[open];
  for (size_t at = open + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') ++at;
    else if (text[at] == quote) return at;
  }
  return std::string_view::npos;
}

// Reads the variables of a text, line by line.
class EntryReader {
 public:
  explicit EntryReader(std::string_view text) : text_(text) {}

  std::vector<DotenvEntry> read() {
    std::vector<DotenvEntry> entries;
    size_t at = text_.starts_with(mark) ? mark.size() : 0;
    while (at < text_.size()) {
      const std::optional<DotenvEntry> entry = entry_at(at);
      if (entry) entries.push_back(*entry);
      else if (is_stray(at)) stray_.push_back(at);
      at = entry ? entry->end : std::min(line_end(text_, at) + 1, text_.size());
    }
    return entries;
  }

  // Where the lines begin that read() could make nothing of.
  const std::vector<size_t>& stray() const { return stray_; }

 private:
  bool is_stray(size_t start) const {
    const size_t stop = line_end(text_, start), at = skip_blanks(text_, start, stop);
    return at < stop && text_[at] != '#';
  }

  std::optional<DotenvEntry> entry_at(size_t start) const {
    const size_t stop = line_end(text_, start);
    size_t at = skip_blanks(text_, start, stop);
    if (text_.substr(at, stop - at).starts_with("export ")) at = skip_blanks(text_, at + 7, stop);
    const size_t equals = text_.find('=', at);
    if (at == stop || text_[at] == '#' || equals >= stop) return std::nullopt;
    const std::string_view name = trim(text_.substr(at, equals - at));
    if (!is_variable_name(name)) return std::nullopt;
    DotenvEntry entry;
    entry.name = name;
    entry.start = start;
    const size_t value = skip_blanks(text_, equals + 1, stop);
    const bool quoted = value < stop && (text_[value] == '"' || text_[value] == '\'') && take_quoted(entry, value);
    if (!quoted) take_bare(entry, equals + 1, value, stop);
    entry.end = std::min(line_end(text_, entry.value_end) + 1, text_.size());
    return entry;
  }

  bool take_quoted(DotenvEntry& entry, size_t open) const {
    const size_t close = closing_quote(text_, open);
    if (close == std::string_view::npos) return false;
    if (close > line_end(text_, open)) {
      // Over several lines only when it is whole: a stray quote must not swallow the lines up to the next one.
      const size_t stop = line_end(text_, close);
      const size_t after = skip_blanks(text_, close + 1, stop);
      if (after != stop && text_[after] != '#') return false;
    }
    const std::string_view inner = text_.substr(open + 1, close - open - 1);
    entry.value = text_[open] == '"' ? unescape(inner) : std::string(inner);
    entry.value_start = open;
    entry.value_end = close + 1;
    return true;
  }

  void take_bare(DotenvEntry& entry, size_t after_equals, size_t start, size_t stop) const {
    // A comment needs a blank before it: values may hold a #.
    size_t end = stop;
    for (size_t at = start; at < stop; ++at) {
      const bool after_blank = at > after_equals && dotenv_blanks.find(text_[at - 1]) != std::string_view::npos;
      if (text_[at] != '#' || !after_blank) continue;
      end = at;
      break;
    }
    entry.value = trim(text_.substr(start, end - start));
    entry.value_start = entry.value.empty() ? after_equals : start;
    entry.value_end = entry.value_start + entry.value.size();
  }

  std::string_view text_;
  std::vector<size_t> stray_;
};

bool is_bare_safe(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.,/:@%+=").find(c) != std::string_view::npos;
  });
}

// Single quotes where they do: most readers of such files expand a $ between double ones.
std::string quoted(std::string_view value) {
  if (is_bare_safe(value)) return std::string(value);
  if (value.find_first_of("'\\\n\r") == std::string_view::npos) return "'" + std::string(value) + "'";
  std::string text = "\"";
  for (const char c : value) {
    if (c == '\n') text += "\\n";
    else if (c == '"' || c == '\\' || c == '$') text += {'\\', c};
    else text += c;
  }
  return text + "\"";
}

Result<> check_variable(std::string_view name, std::string_view value) {
  // Not shown: it may be the secret itself, given in the wrong place.
  if (!is_variable_name(name)) {
    return invalid("that is not a name for a variable; names have letters, digits and _, and begin with no digit");
  }
  const std::string shown(name);
  if (value.empty()) return invalid("the value of " + shown + " is empty; unset removes a variable");
  if (value.find('\0') != std::string_view::npos) {
    return invalid("the value of " + shown + " holds a NUL byte, which no variable can");
  }
  if (name.size() + value.size() + 2 > longest_variable) {
    return invalid("the value of " + shown + " is too long to be given to any program");
  }
  return ok;
}

std::string replaced(std::string_view text, const DotenvEntry& entry, const std::string& written) {
  const size_t stop = line_end(text, entry.value_end);
  const std::string_view rest = text.substr(entry.value_end, stop - entry.value_end);
  const std::string_view remark = trim(rest);
  std::string result(text.substr(0, entry.value_start));
  result += written;
  // What follows a closing quote and is no comment belongs to the old value.
  if (remark.starts_with('#'))
    result += (dotenv_blanks.find(rest[0]) == std::string_view::npos ? " " : "") + std::string(rest);
  else if (rest.ends_with('\r')) result += '\r';
  return result + std::string(text.substr(stop));
}

std::string appended(std::string_view text, std::string_view name, const std::string& written) {
  const size_t newline = text.find('\n');
  const bool carriage = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r';
  const std::string ending = carriage ? "\r\n" : "\n";
  std::string result(text);
  if (!text.empty() && text != mark && text.back() != '\n') result += ending;
  return result + std::string(name) + "=" + written + ending;
}

// A quote that never closes can come to do so when a line changes.
Result<std::string> checked(std::string result, std::string_view name,
                            const std::map<std::string, std::string>& wanted) {
  if (parse_dotenv(result) == wanted) return result;
  wipe(result);
  return Error(ErrorCode::conflict, "cannot change " + std::string(name) +
                                        " without changing another variable of the file; edit the file by hand");
}

}  // namespace

bool is_variable_name(std::string_view name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && (name[0] < '0' || name[0] > '9') && std::all_of(name.begin(), name.end(), fits);
}

std::vector<DotenvEntry> dotenv_entries(std::string_view text) { return EntryReader(text).read(); }

std::vector<size_t> stray_dotenv_lines(std::string_view text) {
  EntryReader reader(text);
  (void)reader.read();
  std::vector<size_t> numbers;
  for (const size_t start : reader.stray()) {
    numbers.push_back(
        1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(start), '\n')));
  }
  return numbers;
}

std::map<std::string, std::string> parse_dotenv(std::string_view text) {
  std::map<std::string, std::string> variables;
  for (DotenvEntry& entry : dotenv_entries(text)) variables[entry.name] = std::move(entry.value);
  return variables;
}

Result<std::string> set_variable(std::string_view text, std::string_view name, std::string_view value) {
  TRY(check_variable(name, value));
  std::string written = quoted(value);
  const WipedAtEnd wiped(written);
  const std::vector<DotenvEntry> entries = dotenv_entries(text);
  const auto last =
      std::find_if(entries.rbegin(), entries.rend(), [&](const auto& entry) { return entry.name == name; });
  std::map<std::string, std::string> wanted = parse_dotenv(text);
  wanted[std::string(name)] = value;
  return checked(last == entries.rend() ? appended(text, name, written) : replaced(text, *last, written), name, wanted);
}

Result<std::string> unset_variable(std::string_view text, std::string_view name) {
  std::string result;
  size_t copied = 0;
  for (const DotenvEntry& entry : dotenv_entries(text)) {
    if (entry.name != name) continue;
    result += text.substr(copied, entry.start - copied);
    copied = entry.end;
  }
  result += text.substr(copied);
  std::map<std::string, std::string> wanted = parse_dotenv(text);
  wanted.erase(std::string(name));
  return checked(std::move(result), name, wanted);
}

}  // namespace talaria
