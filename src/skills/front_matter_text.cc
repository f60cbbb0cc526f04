#include "skills/front_matter_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct Traits {
  bool beyond_ascii = false;
  bool carriage_return = false;
  bool nul = false;
};

// Without a branch for each byte, so that the compiler makes it one for sixteen.
Traits traits_of(std::string_view bytes) {
  unsigned char high = 0, carriage_return = 0, nul = 0;
  for (char c : bytes) {
    high |= static_cast<unsigned char>(c);
    carriage_return |= c == '\r';
    nul |= c == '\0';
  }
  return {high >= 0x80, carriage_return != 0, nul != 0};
}

// is_utf8, quicker where most is ASCII.
bool is_whole_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    uint64_t eight = 0;
    if (bytes.size() >= sizeof eight) {
      std::memcpy(&eight, bytes.data(), sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        bytes.remove_prefix(sizeof eight);
        continue;
      }
    }
    const Utf8Step step = decode_utf8(bytes);
    if (step.kind != Utf8Step::Kind::character) return false;
    bytes.remove_prefix(step.length);
  }
  return true;
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  std::string text;
  text.reserve(bytes.size());
  const auto unit = [&](size_t i) -> char32_t {
    const auto first = static_cast<unsigned char>(bytes[i]), second = static_cast<unsigned char>(bytes[i + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    char32_t character = unit(i);
    if (character >= 0xD800 && character < 0xDC00 && i + 3 < bytes.size()) {
      const char32_t low = unit(i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      }
    }
    append_utf8(text, character);  // a surrogate of its own becomes U+FFFD
  }
  if (i < bytes.size()) text += replacement;
  return text;
}

// What was replaced, and where it was first.
struct ReplacedCharacters {
  size_t count = 0;
  size_t line = 0;
};

void note(ReplacedCharacters& replaced, size_t line) {
  if (replaced.count++ == 0) replaced.line = line;
}

void report(const ReplacedCharacters& replaced, const std::string& what, std::vector<SkillDiagnostic>& diagnostics) {
  if (replaced.count == 0) return;
  diagnostics.push_back({Severity::warning, replaced.line,
                         what + ", " + with_commas(replaced.count) + (replaced.count == 1 ? " time" : " times") +
                             "; replaced by U+FFFD"});
}

// One pass for all that is wrong.
std::string cleaned(std::string_view bytes, std::vector<SkillDiagnostic>& diagnostics) {
  std::string text;
  text.reserve(bytes.size());
  ReplacedCharacters broken, nul;
  size_t line = 1;
  while (!bytes.empty()) {
    const Utf8Step step = decode_utf8(bytes);
    size_t length = step.length;
    if (step.kind != Utf8Step::Kind::character) {
      text += replacement;
      note(broken, line);
    } else if (step.character == 0) {
      text += replacement;
      note(nul, line);
    } else if (step.character == '\r') {
      text += '\n';
      ++line;
      if (bytes.size() > 1 && bytes[1] == '\n') length = 2;
    } else {
      text.append(bytes.substr(0, length));
      line += step.character == '\n';
    }
    bytes.remove_prefix(length);
  }
  report(broken, "bytes that are not UTF-8", diagnostics);
  report(nul, "a NUL character", diagnostics);
  return text;
}

// Carriage returns are all that is wrong.
std::string with_line_feeds(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (true) {
    const size_t end = bytes.find('\r');
    text.append(bytes.substr(0, end));
    if (end == std::string_view::npos) return text;
    text += '\n';
    bytes.remove_prefix(bytes.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
}

}  // namespace

void decode_skill_text(std::string_view file, SkillText& into) {
  const bool little = file.starts_with("\xFF\xFE"), big = file.starts_with("\xFE\xFF");
  if (little || big) {
    into.made = from_utf16(file.substr(2), big);
    into.diagnostics.push_back({Severity::warning, 0, "the file is UTF-16; others will not read it: save it as UTF-8"});
    file = into.made;
  }
  while (file.starts_with(utf8_mark)) file.remove_prefix(utf8_mark.size());
  const Traits traits = traits_of(file);
  if (traits.nul || (traits.beyond_ascii && !is_whole_utf8(file))) {
    file = into.made = cleaned(file, into.diagnostics);
  } else if (traits.carriage_return) {
    file = into.made = with_line_feeds(file);
  }
  into.text = file;
}

}  // namespace talaria
