// The tools that show, load and change skills.
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

constexpr int64_t longest_name = 256;
constexpr int64_t longest_skill_text = 2 << 20;

JsonObject text(int64_t longest, std::string_view description) {
  JsonObject schema = typed("string", description);
  schema["maxLength"] = longest;
  return schema;
}

JsonObject required_text(int64_t longest, std::string_view description) {
  JsonObject schema = text(longest, description);
  schema["minLength"] = 1;
  return schema;
}

}  // namespace

ToolSpec skills_list_spec() {
  ToolSpec spec;
  spec.name = "skills_list";
  spec.toolset = Toolset::skills;
  spec.description =
      "List the skills there are: instructions for particular work. Load one that fits with skill_view before you "
      "begin.";
  spec.parameters = {{"category", text(longest_path_parameter, "Only this category, such as research")}};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true};
  return spec;
}

ToolSpec skill_view_spec() {
  ToolSpec spec;
  spec.name = "skill_view";
  spec.toolset = Toolset::skills;
  spec.description =
      "Load a skill: its instructions, directory, settings and a list of its files. From then on commands and scripts "
      "can read its directory and have the variables it declares. With file_path: one of its files instead.";
  spec.parameters = {{"name", required_text(longest_name, "The skill's name")},
                     {"file_path", text(longest_path_parameter, "A file of the skill, such as references/api.md")}};
  spec.required = {"name"};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true};
  return spec;
}

ToolSpec skill_manage_spec() {
  ToolSpec spec;
  spec.name = "skill_manage";
  spec.toolset = Toolset::skills;
  spec.description =
      "Keep what you learned as a skill, or change one. A SKILL.md has name and description in its front matter; other "
      "files are below references/, templates/, scripts/ or assets/. A person can undo every change.";
  spec.parameters = {
      {"action", one_of({"create", "edit", "patch", "delete", "write_file", "remove_file"}, "What to do")},
      {"name", required_text(longest_name, "Lower-case letters, digits and hyphens")},
      {"content", text(longest_skill_text, "create, edit: the whole SKILL.md")},
      {"category", text(longest_path_parameter, "create: where to put it, such as devops")},
      {"file_path",
       text(longest_path_parameter, "patch, write_file, remove_file: a file of the skill (patch: default SKILL.md)")},
      {"file_content", text(longest_skill_text, "write_file: the whole text")},
      {"old_string", text(longest_skill_text, "patch: text to replace")},
      {"new_string", text(longest_skill_text, "patch: the new text")},
      {"replace_all", typed("boolean", "patch: every occurrence")}};
  spec.required = {"action", "name"};
  return spec;
}

}  // namespace talaria
