#include "sandbox/git_settings.h"

#include <algorithm>

#include "guard/git_config.h"

namespace talaria {
namespace {

constexpr std::string_view heading =
    "# The git settings of the person, without what names programs, files or addresses.\n";

// Sections of a repository, not of a person; their addresses may hold tokens.
constexpr std::string_view left_out_sections = " remote submodule lfs extensions ";

// Keys to sign with are hidden, so every commit would fail.
constexpr std::string_view signing_names = " gpgsign forcesignannotated showsignature ";

bool in_words(std::string_view words, const std::string& name) {
  return words.find(" " + name + " ") != std::string_view::npos;
}

// A new name for a git command of one's own is as harmless as that command; one of a shell's is not.
bool is_harmless_alias(const GitConfigEntry& entry) {
  if (entry.section != "alias" || !entry.value) return false;
  const size_t first = entry.value->find_first_not_of(" \t\n");
  return first == std::string::npos || (*entry.value)[first] != '!';
}

bool is_harmless_more(const GitConfigEntry& entry) {
  if (entry.subsection.empty() && entry.section == "pretty") return true;
  if (entry.subsection.empty() && entry.section == "format") return entry.name == "pretty" || entry.name == "signoff";
  if (entry.section == "diff" && !entry.subsection.empty()) return in_words(" xfuncname wordregex binary ", entry.name);
  return is_harmless_alias(entry);
}

bool has_plain_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  });
}

bool is_shown(const GitConfigEntry& entry) {
  if (in_words(left_out_sections, entry.section) || in_words(signing_names, entry.name)) return false;
  if (entry.section == "branch" && !entry.subsection.empty()) return false;
  if (!has_plain_text(entry.value.value_or("")) || !has_plain_text(entry.subsection)) return false;
  return is_harmless_more(entry) || !danger_in(entry);
}

std::string in_git_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') quoted += "\\n";
    else if (c == '\t') quoted += "\\t";
    else if (c == '"' || c == '\\') quoted += {'\\', c};
    else quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string harmless_git_settings(std::string_view text) {
  std::string shown(heading);
  const Result<std::vector<GitConfigEntry>> entries = read_git_config(text);
  if (!entries) return shown;
  for (const GitConfigEntry& entry : *entries) {
    if (!is_shown(entry)) continue;
    shown += "[" + entry.section + (entry.subsection.empty() ? "" : " " + in_git_quotes(entry.subsection)) + "]\n\t";
    shown += entry.name + (entry.value ? " = " + in_git_quotes(*entry.value) : "") + "\n";
  }
  return shown;
}

}  // namespace talaria
