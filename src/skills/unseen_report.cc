#include "skills/unseen_report.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"

namespace talaria {
namespace {

// Those of one kind.
struct UnseenKind {
  const char* one;  // with its article
  const char* many;
  const char* why;
  size_t count = 0;
  size_t line = 0;  // of the first
  char32_t first = 0;

  void note(char32_t character, size_t at) {
    if (count++ > 0) return;
    first = character;
    line = at;
  }
  void report(std::vector<SkillDiagnostic>& diagnostics) const {
    if (count == 0) return;
    char code[16];
    std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(first));
    const std::string what = count == 1 ? std::string(one) + " (" + code + ")"
                                        : with_commas(count) + " " + many + " (the first is " + code + ")";
    diagnostics.push_back({Severity::warning, line, "has " + what + ", which " + why});
  }
};

bool is_joiner(char32_t character) { return character == 0x200C || character == 0x200D; }

bool is_plain_byte(char c) { return (c >= ' ' && c <= '~') || c == '\t'; }

}  // namespace

void report_unseen(std::string_view text, size_t first_line, std::vector<SkillDiagnostic>& diagnostics) {
  UnseenKind controls{"a control character", "control characters", "a terminal would obey"};
  UnseenKind invisible{"an invisible character", "invisible characters", "programs read and people do not see"};
  size_t line = first_line;
  bool joinable = false;  // what stands before is beyond ASCII, and seen
  while (!text.empty()) {
    if (is_plain_byte(text.front())) {
      joinable = false;
      text.remove_prefix(static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_plain_byte) - text.begin()));
      continue;
    }
    const Utf8Step step = decode_utf8(text);
    const char32_t character = step.character;
    const bool unseen = is_unseen(character);
    if (is_terminal_control(character)) controls.note(character, line);
    else if (unseen && !(joinable && is_joiner(character))) invisible.note(character, line);
    joinable = character >= 0x80 && !unseen;
    line += character == '\n';
    text.remove_prefix(step.length);
  }
  controls.report(diagnostics);
  invisible.report(diagnostics);
}

}  // namespace talaria
