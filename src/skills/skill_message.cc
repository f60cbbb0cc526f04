#include "skills/skill_message.h"

#include "base/text.h"
#include "skills/skill_body_text.h"

namespace talaria {
namespace {

constexpr size_t most_listed = 200;  // a message is read whole; skill_view has them all

std::string directory_line(const LoadedSkill& loaded) {
  return "[Skill directory: " + shown_line(loaded.skill.directory) + "]";
}

// A name is the skill's own; it stays inside its quotation marks.
std::string quoted_name(const LoadedSkill& loaded) {
  std::string name = shown_line(loaded.skill.card.name);
  for (char& c : name) {
    if (c == '"') c = '\'';
  }
  return "\"" + name + "\"";
}

std::string opening(const LoadedSkill& loaded, SkillCall call) {
  if (call == SkillCall::viewed) return "";
  if (call == SkillCall::preloaded)
    return "[IMPORTANT: The user launched this session with the " + quoted_name(loaded) +
           " skill preloaded. Treat its instructions as active guidance for the duration of this session unless the "
           "user overrides them.]";
  return "[IMPORTANT: The user has invoked the " + quoted_name(loaded) +
         " skill, indicating they want you to follow its instructions. The full skill content is loaded below.]";
}

std::string supporting_files(const LoadedSkill& loaded) {
  const std::vector<LinkedFile>& files = loaded.linked.files;
  if (files.empty()) return "";
  std::string block = "[This skill has supporting files:]\n";
  for (size_t i = 0; i < files.size() && i < most_listed; ++i) {
    const std::string path = shown_line(files[i].path);
    block += "- " + path + " (" + human_bytes(files[i].size) + ")  ->  " + shown_line(loaded.skill.directory) + "/" +
             path + "\n";
  }
  const size_t more = (files.size() > most_listed ? files.size() - most_listed : 0) + loaded.linked.left_out;
  if (more > 0) block += "- and " + with_commas(more) + " more\n";
  return block + "\nLoad any of these with skill_view(name=\"" + loaded.skill.card.slug +
         "\", file_path=\"<path>\"), or run scripts directly by absolute path.";
}

// What is to be known about this load: why lists do not show it, whom it shadows, what it was not given.
std::string load_notes(const LoadedSkill& loaded) {
  std::vector<std::string> notes;
  if (!loaded.hidden_because.empty()) notes.push_back("Lists do not show this skill: " + loaded.hidden_because);
  for (const std::string& other : loaded.shadows) notes.push_back("Another skill of this name is not used: " + other);
  for (const SkillDiagnostic& problem : loaded.problems) notes.push_back(problem.message);
  if (const std::string files = linked_files_note(loaded.linked); !files.empty()) notes.push_back(files);
  for (std::string& note : notes) note = "[Skill note: " + shown_line(note) + "]";
  return join(notes, "\n");
}

}  // namespace

std::string loaded_content(const LoadedSkill& loaded) {
  std::string content(without_outer_blank_lines(loaded.body));
  if (!content.empty()) content += "\n\n";
  content += directory_line(loaded);
  if (!loaded.config_block.empty()) content += "\n\n" + loaded.config_block;
  return content;
}

std::string skill_message(const LoadedSkill& loaded, SkillCall call, const std::string& instruction) {
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  add(opening(loaded, call));
  add(std::string(without_outer_blank_lines(loaded.body)));
  add(directory_line(loaded) +
      "\nResolve any relative paths in this skill (e.g. `scripts/foo.js`, `templates/config.yaml`) against that "
      "directory, then run them with the terminal tool using the absolute path.");
  add(loaded.config_block);
  if (const std::string note = setup_note(loaded.requirements); !note.empty())
    add("[Skill setup note: " + note + (loaded.setup_hint.empty() ? "" : " " + loaded.setup_hint) + "]");
  add(load_notes(loaded));
  add(supporting_files(loaded));
  if (!trim(instruction).empty())
    add("The user has provided the following instruction alongside the skill invocation: " +
        std::string(trim(instruction)));
  return join(parts, "\n\n");
}

}  // namespace talaria
