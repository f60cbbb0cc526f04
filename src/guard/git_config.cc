#include "guard/git_config.h"

#include <algorithm>

#include "base/text.h"

namespace talaria {
namespace {

constexpr int line_end = '\n';

// git's own idea of these, whatever the locale says.
bool is_config_blank(int character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}
bool is_config_letter(int character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}
bool is_key_character(int character) {
  return is_config_letter(character) || (character >= '0' && character <= '9') || character == '-';
}
char config_lower(int character) {
  return static_cast<char>(character >= 'A' && character <= 'Z' ? character - 'A' + 'a' : character);
}

// Follows git's parser (config.c: git_parse_source and what it calls) step by step, so that both read the same.
class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) : text_(text) {}

  Result<std::vector<GitConfigEntry>> read() {
    if (text_.find('\0') != std::string_view::npos) return refusal("it holds a NUL byte");
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    bool comment = false;
    bool first_on_line = true;
    size_t line_begin = position_;
    for (;;) {
      const size_t before = position_;
      const int character = next();
      if (character == line_end) {
        if (at_end_) return std::move(entries_);
        comment = false;
        first_on_line = true;
        line_begin = position_;
      } else if (comment || is_config_blank(character)) {
        continue;
      } else if (character == '#' || character == ';') {
        comment = true;
      } else if (character == '[') {
        TRY(read_header());
        first_on_line = false;
      } else if (is_config_letter(character)) {
        TRY(read_entry(character, first_on_line ? line_begin : before));
        if (at_end_) return std::move(entries_);
        first_on_line = true;
        line_begin = position_;
      } else {
        return refusal("a line begins with neither a name nor a section");
      }
    }
  }

 private:
  // The next character; CR LF counts as one line end, and so does the end of the text.
  int next() {
    if (position_ >= text_.size()) {
      at_end_ = true;
      return line_end;
    }
    if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') ++position_;
    return static_cast<unsigned char>(text_[position_++]);
  }

  Error refusal(const std::string& why) const {
    const std::string_view read = text_.substr(0, std::min(position_, text_.size()));
    // The character that gave the reason may be the end of its line.
    const auto lines = std::count(read.begin(), read.end() - (read.ends_with('\n') ? 1 : 0), '\n');
    return invalid("line " + std::to_string(lines + 1) + " of a git configuration: " + why);
  }

  // Behind '[': "section]", "section.old style]" or "section "new style"]".
  Result<> read_header() {
    std::string name;
    for (;;) {
      const int character = next();
      if (at_end_) return refusal("a section's name does not end");
      if (character == ']') break;
      if (is_config_blank(character)) {
        TRY(read_subsection(character, name));
        break;
      }
      if (!is_key_character(character) && character != '.') return refusal("a section's name holds an odd character");
      name += config_lower(character);
    }
    const size_t dot = name.find('.');
    section_ = name.substr(0, dot);
    subsection_ = dot == std::string::npos ? "" : name.substr(dot + 1);
    // git takes them, and nothing of it ever asks for them.
    if (section_.empty()) return refusal("a section has no name");
    if (dot != std::string::npos && subsection_.empty()) return refusal("a subsection has an empty name");
    return ok;
  }

  Result<> read_subsection(int character, std::string& name) {
    do {
      if (character == line_end) return refusal("a section's name does not end");
      character = next();
    } while (is_config_blank(character));
    if (character != '"') return refusal("a subsection's name is not in quotes");
    name += '.';
    for (;;) {
      character = next();
      if (character == '"') break;
      if (character == '\\') character = next();
      if (character == line_end) return refusal("a subsection's name does not end");
      name += static_cast<char>(character);
    }
    if (next() != ']') return refusal("a subsection's name is not followed by ]");
    return ok;
  }

  Result<> read_entry(int character, size_t begin) {
    if (section_.empty()) return refusal("a name stands before the first section");
    GitConfigEntry entry{.section = section_,
                         .subsection = subsection_,
                         .name = std::string(1, config_lower(character)),
                         .value = std::nullopt,
                         .begin = begin};
    for (character = next(); !at_end_ && is_key_character(character); character = next())
      entry.name += config_lower(character);
    while (character == ' ' || character == '\t') character = next();
    if (character != line_end) {
      if (character != '=') return refusal("a name is followed by neither = nor the end of the line");
      entry.value = TRY(read_value());
    }
    entry.end = position_;
    entries_.push_back(std::move(entry));
    return ok;
  }

  Result<std::string> read_value() {
    std::string value;
    std::string blanks;  // those that only count when more follows
    bool quoted = false;
    bool comment = false;
    for (;;) {
      int character = next();
      if (character == line_end) {
        if (quoted) return refusal("a quote is not closed");
        return value;
      }
      if (comment) continue;
      if (is_config_blank(character) && !quoted) {
        if (!value.empty()) blanks += static_cast<char>(character);
        continue;
      }
      if (!quoted && (character == ';' || character == '#')) {
        comment = true;
        continue;
      }
      // git made one space of each of them until 2.44, and has kept them since.
      if (blanks.find_first_not_of(' ') != std::string::npos)
        return refusal("a value holds a tab or a carriage return outside of quotes");
      value += blanks;
      blanks.clear();
      if (character == '"') {
        quoted = !quoted;
        continue;
      }
      if (character == '\\') {
        character = next();
        if (character == line_end) continue;
        if (character == 't') character = '\t';
        else if (character == 'b') character = '\b';
        else if (character == 'n') character = '\n';
        else if (character != '\\' && character != '"') return refusal("a value holds an unknown escape");
      }
      value += static_cast<char>(character);
    }
  }

  std::string_view text_;
  size_t position_ = 0;
  bool at_end_ = false;
  std::string section_;
  std::string subsection_;
  std::vector<GitConfigEntry> entries_;
};

}  // namespace

std::string GitConfigEntry::key() const { return section + "." + (subsection.empty() ? "" : subsection + ".") + name; }

Result<std::vector<GitConfigEntry>> read_git_config(std::string_view text) { return ConfigReader(text).read(); }

std::string without_entries(std::string_view text, const std::vector<GitConfigEntry>& dropped) {
  std::vector<std::pair<size_t, size_t>> ranges;
  ranges.reserve(dropped.size());
  for (const GitConfigEntry& entry : dropped) ranges.emplace_back(entry.begin, entry.end);
  std::sort(ranges.begin(), ranges.end());
  std::string kept;
  size_t position = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin < position || end > text.size() || begin > end) continue;
    kept += text.substr(position, begin - position);
    position = end;
    // Behind a section's name on the same line: that line still ends.
    if (!kept.empty() && kept.back() != '\n' && end > begin) kept += '\n';
  }
  kept += text.substr(position);
  return kept;
}

}  // namespace talaria
