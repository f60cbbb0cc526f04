#include "skills/skill_card.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "skills/platform.h"
#include "skills/skill_body_text.h"
#include "skills/skill_card_fields.h"
#include "skills/skill_card_needs.h"
#include "skills/skill_card_text.h"
#include "skills/slug.h"

namespace talaria {

namespace {

constexpr size_t longest_name = 64;

std::string look_up_as(const std::string& slug) { return "look it up as \"" + slug + "\""; }

void read_name(const FrontMatter& matter, std::string_view folder, CardFields& fields, SkillCard& card) {
  const std::string written = fields.text(matter.fields, "name");
  const std::string folder_name = one_line(folder);
  card.name = first_characters(written.empty() ? folder_name : written, longest_name);
  card.slug = slug_for(written, folder);
  // Without front matter there is nothing to complain about once more.
  if (written.empty()) {
    if (matter.present) fields.warn("name", "there is none; the folder's stands in for it");
    return;
  }
  if (!is_skill_name(written)) {
    fields.note("name", "should be 1 to 64 lower-case letters, digits and single hyphens; " + look_up_as(card.slug));
  } else if (!folder_name.empty() && written != folder_name) {
    fields.note("name", "is not the name of its folder, \"" + folder_name + "\"");
  }
}

void read_description(const FrontMatter& matter, CardFields& fields, SkillCard& card) {
  card.description = fields.text(matter.fields, "description");
  if (card.description.empty()) {
    card.description = first_paragraph(matter.body);
    if (matter.present) {
      fields.warn("description",
                  card.description.empty() ? "there is none" : "there is none; the first paragraph stands in for it");
    }
  }
  std::string cut = first_words(card.description, longest_skill_description);
  if (cut == card.description) return;
  card.description = std::move(cut);
  fields.warn("description", "is longer than 1,024 characters; cut");
}

void read_platforms(const FrontMatter& matter, CardFields& fields, SkillCard& card) {
  for (const std::string& written : fields.names(matter.fields, "platforms", CardFields::Split::at_blanks)) {
    std::string name = platform_name(written);
    if (name == "all" || name == "any" || name == "*") {
      card.platforms.clear();
      return;
    }
    if (!is_operating_system(name)) {
      fields.note("platforms", "\"" + name + "\" is no operating system and does not count");
    }
    const bool known = std::find(card.platforms.begin(), card.platforms.end(), name) != card.platforms.end();
    if (!known) card.platforms.push_back(std::move(name));
  }
}

// The first of these maps that has any.
std::vector<std::string> names_of_first(CardFields& fields, std::initializer_list<const JsonObject*> maps,
                                        std::string_view key) {
  for (const JsonObject* map : maps) {
    if (std::vector<std::string> names = fields.names(*map, key); !names.empty()) return names;
  }
  return {};
}

// A comment that is none in YAML becomes part of the key behind it, which then says nothing.
void report_odd_keys(CardFields& fields, std::string_view place, const JsonObject& map, std::string_view odd) {
  for (const auto& field : map) {
    const std::string_view key = field.key();
    if (key.find_first_of(odd) == std::string_view::npos) continue;
    return fields.warn(place, "\"" + shortened(std::string(key), 60) +
                                  "\" is no key that is known here; if a comment got into it, write that with #");
  }
}

}  // namespace

void give_slug(SkillCard& card, const std::string& slug) {
  const std::string before = look_up_as(card.slug);
  for (SkillDiagnostic& one : card.diagnostics) {
    if (one.message.ends_with(before))
      one.message.replace(one.message.size() - before.size(), before.size(), look_up_as(slug));
  }
  card.slug = slug;
}

SkillCard read_card(const FrontMatter& matter, std::string_view folder) {
  SkillCard card;
  card.diagnostics = matter.diagnostics;
  CardFields fields(matter, card.diagnostics);
  const JsonObject& top = matter.fields;
  const JsonObject& metadata = fields.map(top, "metadata");
  const JsonObject& hermes = fields.map(metadata, "hermes");
  report_odd_keys(fields, "metadata", metadata, "\"");
  report_odd_keys(fields, "hermes", hermes, "\" ");

  read_name(matter, folder, fields, card);
  read_description(matter, fields, card);
  card.version = fields.text(top, "version");
  if (card.version.empty()) card.version = fields.text(metadata, "version");
  card.author = fields.text(top, "author");
  if (card.author.empty()) card.author = fields.text(metadata, "author");
  card.license = fields.text(top, "license");
  card.compatibility = fields.text(top, "compatibility");
  read_platforms(matter, fields, card);
  card.tags = names_of_first(fields, {&hermes, &top, &metadata}, "tags");
  card.related_skills = names_of_first(fields, {&hermes, &top}, "related_skills");
  card.allowed_tools = fields.names(top, "allowed-tools", CardFields::Split::at_blanks);

  card.conditions.requires_tools = fields.tool_names(hermes, "requires_tools");
  card.conditions.requires_toolsets = fields.tool_names(hermes, "requires_toolsets");
  card.conditions.fallback_for_tools = fields.tool_names(hermes, "fallback_for_tools");
  card.conditions.fallback_for_toolsets = fields.tool_names(hermes, "fallback_for_toolsets");
  read_needs(matter, metadata, hermes, fields, card);
  card.model_invocable = !fields.flag(top, "disable-model-invocation", false);
  card.user_invocable = fields.flag(top, "user-invocable", true);
  return card;
}

}  // namespace talaria
