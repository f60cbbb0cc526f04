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
      "List the skills there are: instructions for particular work, with names, one-line descriptions and categories. "
      "Load the one that fits with skill_view before you begin.";
  spec.parameters = {{"category", text(longest_path_parameter, "Only those of this category, such as research")}};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true};
  return spec;
}

ToolSpec skill_view_spec() {
  ToolSpec spec;
  spec.name = "skill_view";
  spec.toolset = Toolset::skills;
  spec.description =
      "Load a skill: its instructions, its directory, its settings and a list of the files that belong to it. From "
      "then "
      "on commands and programs of this session can read the skill's directory and get the variables it declares. With "
      "file_path, one of its files instead (references, templates, scripts).";
  spec.parameters = {{"name", required_text(longest_name, "The skill's name, as skills_list shows it")},
                     {"file_path", text(longest_path_parameter, "A file of the skill, relative to its directory")}};
  spec.required = {"name"};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true};
  return spec;
}

ToolSpec skill_manage_spec() {
  ToolSpec spec;
  spec.name = "skill_manage";
  spec.toolset = Toolset::skills;
  spec.description =
      "Keep what you learned as a skill, or mend one: create (content: a whole SKILL.md with name and description in "
      "its "
      "front matter), edit (content: the whole new SKILL.md), patch (old_string, new_string; in SKILL.md or in "
      "file_path), write_file and remove_file (file_path below references/, templates/, scripts/ or assets/), delete. "
      "The version before is kept; a person can undo every change.";
  spec.parameters = {{"action", one_of({"create", "edit", "patch", "delete", "write_file", "remove_file"},
                                       "What to do with the skill")},
                     {"name", required_text(longest_name, "The skill: lower-case letters, digits and hyphens")},
                     {"content", text(longest_skill_text, "create, edit: the whole SKILL.md")},
                     {"category", text(longest_path_parameter, "create: the folder to put it in, such as devops")},
                     {"file_path", text(longest_path_parameter,
                                        "patch, write_file, remove_file: a file of the skill, relative to it")},
                     {"file_content", text(longest_skill_text, "write_file: all that the file is to hold")},
                     {"old_string", text(longest_skill_text, "patch: the passage to replace")},
                     {"new_string", text(longest_skill_text, "patch: what to put there")},
                     {"replace_all", typed("boolean", "patch: replace every such passage, not only a single one")}};
  spec.required = {"action", "name"};
  return spec;
}

}  // namespace talaria
