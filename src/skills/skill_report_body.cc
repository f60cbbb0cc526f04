#include "skills/skill_report_body.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "base/utf8.h"
#include "os/file.h"
#include "skills/front_matter_lines.h"

namespace talaria {

namespace {

constexpr size_t most_lines = 500;
constexpr size_t most_tokens = 5000;
constexpr size_t characters_per_token = 4;
constexpr std::string_view directory_token = "${HERMES_SKILL_DIR}/";

bool is_path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/' || c == '@' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                        std::isxdigit(static_cast<unsigned char>(text[i + 2]));
    if (!escape) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
    i += 2;
  }
  return decoded;
}

// The file that a Markdown link means; empty when it is none of the skill's.
std::string linked_file(std::string_view target) {
  target = trim(target);
  target = target.substr(0, target.find(' '));
  if (target.size() > 2 && target.starts_with('<') && target.ends_with('>'))
    target = target.substr(1, target.size() - 2);
  const size_t colon = target.find(':');
  const bool address = colon < target.find('/') || target.starts_with('/') || target.starts_with('#');
  // Placeholders are for a reader to fill in.
  if (address || target.find_first_of("{}<>$*|") != std::string_view::npos) return {};
  return percent_decoded(target.substr(0, target.find_first_of("#?")));
}

class BodyCheck {
 public:
  BodyCheck(const std::string& folder, std::vector<SkillDiagnostic>& diagnostics)
      : folder_(folder), diagnostics_(diagnostics) {}

  void check_line(std::string_view line, size_t number) {
    const std::string_view content = trim(line);
    const bool fence = content.starts_with("```") || content.starts_with("~~~");
    if (fence && mark_.empty()) mark_ = content.substr(0, 3);
    else if (fence && content.starts_with(mark_)) mark_ = {};
    check_token_paths(line, number);
    if (fence || !mark_.empty()) return;
    check_links(line, number);
    check_inline_shell(line, number);
  }

 private:
  void check_token_paths(std::string_view line, size_t number) {
    for (size_t at = line.find(directory_token); at != std::string_view::npos;
         at = line.find(directory_token, at + 1)) {
      const std::string_view rest = line.substr(at + directory_token.size());
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_path_character);
      std::string_view path = rest.substr(0, static_cast<size_t>(end - rest.begin()));
      // "…/scripts/<name>" and "…/scripts/*.py" name no file.
      if (end != rest.end() && std::string_view("*<{$?[").find(*end) != std::string_view::npos) continue;
      while (path.ends_with('.')) path.remove_suffix(1);
      check_file(std::string(path), number);
    }
  }

  void check_links(std::string_view line, size_t number) {
    size_t counted = 0;  // marks of code are counted up to here
    bool in_code = false;
    for (size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 2)) {
      const size_t end = line.find(')', at);
      if (end == std::string_view::npos) return;
      for (; counted < at; ++counted) in_code ^= line[counted] == '`';
      if (in_code) continue;
      check_file(linked_file(line.substr(at + 2, end - at - 2)), number);
    }
  }

  void check_file(const std::string& path, size_t number) {
    if (path.empty() || !named_.insert(path).second) return;
    const std::vector<std::string> parts = split(path, '/');
    if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
      diagnostics_.push_back({Severity::warning, number, path + " leads out of the skill's folder"});
    } else if (!exists(folder_ + "/" + path)) {
      diagnostics_.push_back({Severity::warning, number, path + " is not in the skill's folder"});
    }
  }

  void check_inline_shell(std::string_view line, size_t number) {
    const size_t at = line.find("!`");
    if (said_shell_ || at == std::string_view::npos || line.find('`', at + 2) == std::string_view::npos) return;
    if (line[at + 2] == '`') return;
    said_shell_ = true;
    diagnostics_.push_back(
        {Severity::note, number, "inline shell: runs only where skills.inline_shell is true and the skill is trusted"});
  }

  const std::string& folder_;
  std::vector<SkillDiagnostic>& diagnostics_;
  std::string_view mark_;  // of the code block we are in
  std::set<std::string> named_;
  bool said_shell_ = false;
};

}  // namespace

void check_skill_body(std::string_view body, size_t first_line, const std::string& folder,
                      std::vector<SkillDiagnostic>& diagnostics) {
  if (trim(body).empty()) {
    diagnostics.push_back({Severity::warning, first_line, "there are no instructions"});
    return;
  }
  MatterLineReader lines(body, first_line);
  BodyCheck check(folder, diagnostics);
  while (!lines.at_end()) {
    const size_t number = lines.number();
    check.check_line(lines.next(), number);
  }
  const size_t count = lines.number() - first_line;
  const size_t tokens = count_characters(body) / characters_per_token;
  const std::string advice = "; move what is rarely needed into files beside it";
  if (count >= most_lines) {
    diagnostics.push_back(
        {Severity::note, first_line, "the instructions have " + with_commas(count) + " lines, 500 or more" + advice});
  }
  if (tokens >= most_tokens) {
    diagnostics.push_back({Severity::note, first_line,
                           "the instructions have about " + with_commas(tokens) + " tokens, 5,000 or more" + advice});
  }
}

}  // namespace talaria
