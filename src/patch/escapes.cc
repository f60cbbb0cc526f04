#include "patch/escapes.h"

namespace talaria {
namespace {

enum class Reading {
  everything,  // as JSON has it
  quotes,      // \" and \' only
  layout,      // \n and \t only
};

enum class Tabs { read, kept };

char meaning(char escaped, Reading reading) {
  const bool layout = reading != Reading::quotes, quotes = reading != Reading::layout;
  switch (escaped) {
    case 'n': return layout ? '\n' : '\0';
    case 't': return layout ? '\t' : '\0';
    case '"': return quotes ? '"' : '\0';
    case '\'': return quotes ? '\'' : '\0';
    case '\\': return reading == Reading::everything ? '\\' : '\0';
    default: return '\0';
  }
}

std::string read(std::string_view text, Reading reading, Tabs tabs) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i] == '\\' && i + 1 < text.size() ? meaning(text[i + 1], reading) : '\0';
    // A tab indents; in the middle of a line it rather is what a string of the program has.
    if (c == '\t' && tabs == Tabs::kept && !result.empty() && result.back() != '\n' && result.back() != '\t') c = '\0';
    if (c == '\0') {
      result += text[i];
      if (text[i] == '\\' && i + 1 < text.size()) result += text[++i];
      continue;
    }
    result += c;
    ++i;
  }
  return result;
}

bool has_bare(std::string_view text, char wanted) {
  for (size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
    if (at == 0 || text[at - 1] != '\\') return true;
  }
  return false;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A new_string with the real character in it was not escaped like old_string.
bool is_escaped_too(std::string_view old_text, std::string_view new_text) {
  if (has(old_text, "\\n") && has(new_text, "\n")) return false;
  return !(has(old_text, "\\\"") && has_bare(new_text, '"'));
}

}  // namespace

std::vector<Unescaped> unescape(std::string_view old_text, std::string_view new_text) {
  std::vector<Unescaped> readings;
  for (Reading reading : {Reading::everything, Reading::quotes, Reading::layout}) {
    std::string plain = read(old_text, reading, Tabs::read);
    if (plain == old_text || (!readings.empty() && readings.back().old_text == plain)) continue;
    const Tabs tabs = has(plain, "\t") ? Tabs::read : Tabs::kept;
    std::string replacement =
        is_escaped_too(old_text, new_text) ? read(new_text, reading, tabs) : std::string(new_text);
    readings.push_back({std::move(plain), std::move(replacement)});
  }
  return readings;
}

std::optional<std::string> stray_escape(std::string_view old_text, std::string_view replacement,
                                        std::string_view passage) {
  for (std::string_view escape : {"\\\\", "\\\"", "\\'"}) {
    if (!has(old_text, escape) || !has(replacement, escape) || has(passage, escape)) continue;
    return "old_string and new_string have " + std::string(escape) +
           " where the file does not: they seem to be escaped once too often, and the backslashes would stay in the "
           "file. Send both strings as they should stand in the file.";
  }
  return std::nullopt;
}

}  // namespace talaria
