#include "api/shell_state.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/utf8.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t most_report = 4 << 20;
constexpr size_t most_value = 64 << 10;

// fd 250 keeps the file out of the way of the command. Both builtins print without a fork.
constexpr std::string_view script =
    "exec 250<&0 </dev/null; __talaria=$1; shift; "
    "__talaria_report() { builtin printf '%s\\0' \"$PWD\" >&250; builtin export -p >&250; builtin printf '\\0' >&250; "
    "} "
    "2>/dev/null; trap __talaria_report EXIT; eval -- \"$__talaria\"";

// What every shell sets for itself, and what is ours.
bool is_shells_own(std::string_view name) {
  return name == "PWD" || name == "OLDPWD" || name == "SHLVL" || name == "_" || name == "TERM" ||
         name.starts_with("TALARIA") || name.starts_with("BASH_FUNC_");
}

bool is_name_byte(char c) {
  return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

char simple_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'e':
    case 'E': return '\x1b';
    default: return c;  // \\ \' \" \?
  }
}

// Reads what bash prints for `export -p`.
class ExportReader {
 public:
  explicit ExportReader(std::string_view text) : text_(text) {}

  std::optional<Environment> read() {
    Environment variables;
    while (!text_.empty()) {
      if (!take("declare -") && !take("export ")) return std::nullopt;
      const size_t space = text_.find_first_not_of("xairnltuc ");  // the attributes
      if (space == std::string_view::npos) return std::nullopt;
      // A name may begin with such a letter: the attributes end at the last blank before it.
      const size_t blank = text_.substr(0, space).rfind(' ');
      if (blank != std::string_view::npos) text_.remove_prefix(blank + 1);
      size_t length = 0;
      while (length < text_.size() && is_name_byte(text_[length])) ++length;
      std::string name(text_.substr(0, length));
      text_.remove_prefix(length);
      if (take("=")) {
        std::optional<std::string> value = read_value();
        if (!value || name.empty()) return std::nullopt;
        variables[name] = *std::move(value);
      }
      if (!take("\n")) return std::nullopt;
    }
    return variables;
  }

 private:
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> read_value() {
    if (take("\"")) return read_double();
    if (take("$'")) return read_ansi();
    return std::nullopt;
  }

  std::optional<std::string> read_double() {
    std::string value;
    while (!text_.empty()) {
      char c = next();
      if (c == '"') return value;
      if (c == '\\' && !text_.empty()) c = next();
      value += c;
    }
    return std::nullopt;
  }

  std::optional<std::string> read_ansi() {
    std::string value;
    while (!text_.empty()) {
      const char c = next();
      if (c == '\'') return value;
      if (c != '\\' || text_.empty()) {
        value += c;
        continue;
      }
      const char escape = next();
      if (escape < '0' || escape > '7') {
        value += simple_escape(escape);
        continue;
      }
      int code = escape - '0';
      for (int digits = 1; digits < 3 && !text_.empty() && text_[0] >= '0' && text_[0] <= '7'; ++digits) {
        code = code * 8 + (next() - '0');
      }
      value += static_cast<char>(code);
    }
    return std::nullopt;
  }

  char next() {
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }

  std::string_view text_;
};

}  // namespace

std::vector<std::string> plain_shell(const std::string& shell, const std::string& command) {
  return {shell, "-c", "--", command};
}

std::vector<std::string> reporting_shell(const std::string& bash, const std::string& command) {
  return {bash, "-c", std::string(script), "bash", command};
}

Result<UniqueFd> make_report_file() {
  UniqueFd fd(::memfd_create("talaria-report", MFD_CLOEXEC));
  if (!fd) return Error::from_errno("make a file in memory for the shell's report");
  return fd;
}

std::optional<ShellReport> read_report(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || info.st_size <= 0 || static_cast<size_t>(info.st_size) > most_report) return {};
  const Result<std::string> text = read_at(fd, 0, static_cast<size_t>(info.st_size));
  return text ? parse_report(*text) : std::nullopt;
}

std::optional<ShellReport> parse_report(std::string_view text) {
  const size_t end = text.find('\0');
  if (end == std::string_view::npos || text.empty() || text.back() != '\0' || end + 1 >= text.size()) return {};
  ShellReport report;
  report.cwd = text.substr(0, end);
  std::optional<Environment> exported = ExportReader(text.substr(end + 1, text.size() - end - 2)).read();
  if (!exported || !report.cwd.starts_with('/')) return {};
  report.exported = *std::move(exported);
  return report;
}

std::vector<std::string> take_changes(ShellState& state, const ShellState& given, const Environment& environment,
                                      const std::string& cwd, const ShellReport& report,
                                      const std::function<Result<>(const Environment&)>& may_keep) {
  std::vector<std::string> refused;
  if (report.cwd != cwd) state.cwd = report.cwd;
  for (const auto& [name, value] : report.exported) {
    const auto before = environment.find(name);
    if (is_shells_own(name) || (before != environment.end() && before->second == value)) continue;
    if (value.size() > most_value || !is_utf8(value)) {
      refused.push_back(name + " was not kept for the next command: it is too long or no text");
      continue;
    }
    if (Result<> allowed = may_keep({{name, value}}); !allowed) {
      refused.push_back(name + " was not kept for the next command: " + allowed.error().message());
      continue;
    }
    state.exported[name] = value;
    state.unset.erase(name);
  }
  for (const auto& [name, value] : environment) {
    if (is_shells_own(name) || report.exported.contains(name)) continue;
    state.exported.erase(name);
    if (!given.exported.contains(name)) state.unset.insert(name);
  }
  return refused;
}

void apply_state(const ShellState& state, Environment& environment) {
  for (const std::string& name : state.unset) environment.erase(name);
  for (const auto& [name, value] : state.exported) environment[name] = value;
}

}  // namespace talaria
