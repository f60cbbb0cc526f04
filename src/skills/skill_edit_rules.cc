#include "skills/skill_edit_rules.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "skills/front_matter.h"
#include "skills/skill_body_text.h"
#include "skills/skill_card.h"
#include "skills/skill_file_open.h"
#include "skills/slug.h"

namespace talaria {
namespace {

constexpr size_t most_name = 64;
constexpr size_t most_category_parts = 5;
constexpr size_t most_support_parts = 8;
constexpr std::array<std::string_view, 4> support_folders = {"references", "templates", "scripts", "assets"};
// Folders that nobody looks into for skills, and the name of a skill's own file.
constexpr std::array<std::string_view, 4> reserved_names = {"node_modules", "venv", "site-packages", "skill.md"};

bool is_name(std::string_view name) {
  const auto is_alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto fits = [&](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= most_name && is_alphanumeric(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

Result<> check_name(std::string_view what, std::string_view name) {
  if (!is_name(name))
    return invalid(std::string(what) + " " + quoted_line(name) + " must be 1 to " + std::to_string(most_name) +
                   " lower-case letters, digits, '.', '_' or '-', and begin with a letter or digit");
  if (std::ranges::count(reserved_names, name) > 0)
    return invalid(std::string(what) + " " + quoted_line(name) + " means something else; choose another");
  return ok;
}

Result<> check_text(std::string_view text) {
  if (!is_utf8(text)) return invalid("it is not valid UTF-8");
  if (text.find('\0') != std::string_view::npos) return invalid("it has a NUL character in it");
  return ok;
}

std::string field_text(const FrontMatter& matter, std::string_view name) {
  return std::string(trim(text_or(matter.fields, name)));
}

Result<> check_front_matter(const FrontMatter& matter, const std::vector<std::string>& names) {
  if (!matter.present)
    return invalid("it must begin with front matter: a line ---, then name: and description:, then a line ---");
  for (const SkillDiagnostic& one : matter.diagnostics) {
    if (one.severity == Severity::error) return invalid("line " + std::to_string(one.line) + ": " + one.message);
  }
  const std::string name = field_text(matter, "name");
  if (name.empty()) return invalid("its front matter has no name");
  const std::string description = field_text(matter, "description");
  if (description.empty()) return invalid("its front matter has no description");
  if (const size_t length = count_characters(description); length > longest_skill_description)
    return invalid("its description has " + with_commas(length) + " characters; at most " +
                   with_commas(longest_skill_description) + " are allowed");
  if (trim(matter.body).empty()) return invalid("it has no body: instructions must follow the front matter");
  const std::string slug = slug_of(name);
  const auto is_this = [&](const std::string& allowed) {
    return allowed == name || (!slug.empty() && slug_of(allowed) == slug);
  };
  if (std::none_of(names.begin(), names.end(), is_this))
    return invalid("its front matter says name: " + quoted_line(name) + ", but the skill is " +
                   quoted_line(names.front()) + "; write the same name in both places");
  return ok;
}

}  // namespace

Result<> check_new_skill_name(std::string_view name) {
  if (!is_skill_name(name)) {
    const std::string slug = slug_of(name);
    return invalid("name " + quoted_line(name) + " must be 1 to " + std::to_string(most_name) +
                   " lower-case letters, digits and single hyphens between them" +
                   (slug.empty() ? "" : "; try " + slug));
  }
  return check_name("name", name);
}

Result<> check_category(std::string_view category) {
  const std::vector<std::string> parts = split(category, '/');
  if (parts.size() > most_category_parts)
    return invalid("category " + quoted_line(category) + " has more than " + std::to_string(most_category_parts) +
                   " parts");
  for (const std::string& part : parts) TRY(check_name("category", part));
  return ok;
}

Result<std::string> check_support_path(std::string_view path) {
  Result<std::string> inner = check_inner_path(path);
  if (!inner) return std::move(inner).error().within("file_path");
  const std::vector<std::string> parts = split(*inner, '/');
  if (std::ranges::count(support_folders, parts.front()) == 0 || parts.size() < 2)
    return invalid("file_path " + quoted_line(path) +
                   " must be a file below references/, templates/, scripts/ or assets/");
  if (parts.size() > most_support_parts)
    return invalid("file_path " + quoted_line(path) + " has more than " + std::to_string(most_support_parts) +
                   " parts");
  for (const std::string& part : parts) {
    if (part.size() > 255) return invalid("file_path " + quoted_line(path) + " has a part of more than 255 bytes");
    if (shown_line(part) != part || trim(part) != part)
      return invalid("file_path " + quoted_line(path) +
                     " has blanks at an end of a name, or characters that nobody sees");
  }
  if (lower(parts.back()) == "skill.md")
    return invalid("file_path " + quoted_line(path) +
                   ": a skill has one SKILL.md, at its top; change it with edit or patch");
  return inner;
}

Result<> check_support_text(std::string_view text) {
  Result<> sane = check_text(text);
  if (!sane) return std::move(sane).error().within("file_content");
  if (text.size() > most_support_bytes)
    return invalid("file_content has " + with_commas(text.size()) + " bytes; at most " +
                   with_commas(most_support_bytes) + " are allowed");
  return ok;
}

Result<std::vector<SkillDiagnostic>> check_skill_text(std::string_view text, const std::vector<std::string>& names) {
  Result<> sane = check_text(text);
  if (!sane) return std::move(sane).error().within("SKILL.md");
  if (const size_t length = count_characters(text); length > most_skill_characters)
    return invalid("SKILL.md has " + with_commas(length) + " characters; at most " +
                   with_commas(most_skill_characters) +
                   " are allowed. Put details into files below references/ and name them in the text");
  FrontMatter matter = read_front_matter(text);
  sane = check_front_matter(matter, names);
  if (!sane) return std::move(sane).error().within("SKILL.md");
  return std::move(matter.diagnostics);
}

}  // namespace talaria
