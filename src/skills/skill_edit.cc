#include "skills/skill_edit.h"

#include <fcntl.h>

#include <array>

#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "json/fields.h"
#include "patch/replace.h"
#include "skills/front_matter.h"
#include "skills/skill_body_text.h"
#include "skills/skill_edit_find.h"
#include "skills/skill_edit_rules.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_history_change.h"
#include "skills/skill_origins.h"

namespace talaria {
namespace {

constexpr size_t shortest_telling_text = 40;
constexpr size_t most_patched_bytes = 4 << 20;

constexpr std::array<std::string_view, 6> action_names = {"create", "edit",       "patch",
                                                          "delete", "write_file", "remove_file"};

std::string single_quoted(const std::string& text) { return "'" + shortened(shown_line(text), 200) + "'"; }

// One change of one skill, with the folder of skills held.
class Editing {
 public:
  Editing(const HeldSkills& skills, const SkillEdit& edit, const EditPlace& place)
      : skills_(skills), edit_(edit), place_(place) {}

  Result<EditedSkill> run() {
    switch (edit_.action) {
      case SkillAction::create: return create();
      case SkillAction::edit: return rewrite();
      case SkillAction::patch: return patch();
      case SkillAction::remove: return remove();
      case SkillAction::write_file: return write_file();
      case SkillAction::remove_file: return remove_file();
    }
    CHECK(false);
  }

 private:
  Result<EditedSkill> create() {
    site_ = {edit_.category.empty() ? edit_.name : edit_.category + "/" + edit_.name, "SKILL.md"};
    TRY(check_new_skill_place(skills_, edit_.name, site_.directory, place_));
    done_.diagnostics = TRY(check_skill_text(edit_.content, {edit_.name}));
    StagedChange change = TRY(StagedChange::begin(skills_, site_.directory));
    const UniqueFd folder = TRY(change.stage_new());
    TRY(write_file_below(folder.get(), site_.file, edit_.content));
    return commit(std::move(change), "", "Skill " + single_quoted(edit_.name) + " created.");
  }

  Result<EditedSkill> rewrite() {
    const std::string now = TRY(find_and_read(""));
    done_.diagnostics = TRY(check_skill_text(edit_.content, names_of(now)));
    if (edit_.content == now) return unchanged();
    return put(site_.file, edit_.content, "Skill " + single_quoted(edit_.name) + " updated (full rewrite).");
  }

  Result<EditedSkill> patch() {
    const std::string now = TRY(find_and_read(edit_.file_path));
    const std::string file = done_.file;
    auto outcome = replace_text(now, {edit_.old_string, edit_.new_string, edit_.replace_all});
    if (const auto* failure = std::get_if<ReplaceFailure>(&outcome)) return invalid(failure->message);
    const Replaced& replaced = std::get<Replaced>(outcome);
    // A short new text may be there by chance: only one of some length tells that the change was made before.
    if (replaced.no_change && edit_.old_string != edit_.new_string && edit_.new_string.size() < shortest_telling_text) {
      return Error(ErrorCode::not_found,
                   "old_string is not in " + single_quoted(file) + " of skill " + single_quoted(edit_.name));
    }
    if (replaced.no_change) return unchanged();
    if (file == site_.file) done_.diagnostics = TRY(check_skill_text(replaced.text, names_of(now)));
    else TRY(check_support_text(replaced.text));
    done_.replacements = replaced.replacements;
    done_.strategy = replaced.strategy;
    return put(file, replaced.text,
               "Patched " + file + " in skill " + single_quoted(edit_.name) + " (" +
                   std::to_string(replaced.replacements) +
                   (replaced.replacements == 1 ? " replacement)." : " replacements)."));
  }

  Result<EditedSkill> write_file() {
    const std::string file = TRY(check_support_path(edit_.file_path));
    TRY(check_support_text(edit_.file_content));
    site_ = TRY(find_skill_to_edit(skills_, edit_.name, place_));
    const Result<std::string> now = read_file_below(skills_.root(), site_.directory + "/" + file, most_support_bytes);
    if (now && *now == edit_.file_content) return unchanged();
    return put(file, edit_.file_content,
               "File " + single_quoted(file) + " written to skill " + single_quoted(edit_.name) + ".");
  }

  Result<EditedSkill> remove_file() {
    const std::string file = TRY(check_support_path(edit_.file_path));
    site_ = TRY(find_skill_to_edit(skills_, edit_.name, place_));
    const Result<struct stat> there = look_below(skills_.root(), site_.directory + "/" + file);
    if (!there) return there.error().code() == ErrorCode::not_found ? no_such_file(file) : there.error();
    if (S_ISDIR(there->st_mode))
      return invalid("file_path " + single_quoted(file) + " is a folder; remove its files one by one");
    StagedChange change = TRY(StagedChange::begin(skills_, site_.directory));
    const UniqueFd folder = TRY(change.stage_current());
    TRY(remove_with_empty_folders(folder.get(), file));
    return commit(std::move(change), file,
                  "File " + single_quoted(file) + " removed from skill " + single_quoted(edit_.name) + ".");
  }

  Result<EditedSkill> remove() {
    site_ = TRY(find_skill_to_edit(skills_, edit_.name, place_));
    const std::vector<std::string> inside = skills_inside(skills_, site_.directory);
    if (!inside.empty())
      return Error(ErrorCode::conflict, "the folder of skill " + single_quoted(edit_.name) +
                                            " holds other skills, which must go first: " + join(inside, ", "));
    StagedChange change = TRY(StagedChange::begin(skills_, site_.directory));
    return commit(std::move(change), "", "Skill " + single_quoted(edit_.name) + " deleted.");
  }

  // Finds the skill, and reads its SKILL.md or the support file of that path.
  Result<std::string> find_and_read(const std::string& file_path) {
    const bool own_file = file_path.empty() || file_path == "SKILL.md" || file_path == "skill.md";
    const std::string support = own_file ? "" : TRY(check_support_path(file_path));
    site_ = TRY(find_skill_to_edit(skills_, edit_.name, place_));
    done_.file = own_file ? site_.file : support;
    Result<std::string> text = read_file_below(skills_.root(), site_.directory + "/" + done_.file, most_patched_bytes);
    if (!text && text.error().code() == ErrorCode::not_found) return no_such_file(done_.file);
    if (text && !is_utf8(*text))
      return invalid(single_quoted(done_.file) + " is no UTF-8 text, so it is not changed here");
    return text;
  }

  Error no_such_file(const std::string& file) const {
    return {ErrorCode::not_found, "skill " + single_quoted(edit_.name) + " has no file " + single_quoted(file)};
  }

  // What the skill may be called: by its folder, by the name it was found by, and by the one it has so far.
  std::vector<std::string> names_of(const std::string& skill_text) const {
    return {leaf_name(site_.directory), edit_.name, text_or(read_front_matter(skill_text).fields, "name")};
  }

  static Result<> remove_with_empty_folders(int folder, const std::string& file) {
    for (std::string path = file; path != "."; path = parent_path(path)) {
      const UniqueFd parent = TRY(open_folder_below(folder, parent_path(path)));
      const bool is_file = path == file;
      if (::unlinkat(parent.get(), leaf_name(path).c_str(), is_file ? 0 : AT_REMOVEDIR) != 0) {
        if (is_file) return Error::from_errno("remove " + shown_line(path));
        return ok;
      }
      TRY(sync_folder(parent.get()));
    }
    return ok;
  }

  Result<EditedSkill> put(const std::string& file, const std::string& text, std::string message) {
    StagedChange change = TRY(StagedChange::begin(skills_, site_.directory));
    const UniqueFd folder = TRY(change.stage_current());
    // What begins like a script is meant to be run.
    TRY(write_file_below(folder.get(), file, text, text.starts_with("#!") ? 0755 : 0644));
    return commit(std::move(change), file, std::move(message));
  }

  Result<EditedSkill> commit(StagedChange change, std::string file, std::string message) {
    SkillRecord record;
    record.action = name_of(edit_.action);
    record.who = place_.who;
    record.name = edit_.name;
    record.changed = file;
    if (edit_.action != SkillAction::remove)
      record.origin_after = TRY(origin_after_change(skills_.state(), site_.directory, place_.who));
    record = TRY(change.commit(std::move(record)));
    done_.change = record.number;
    return finished(std::move(file), std::move(message));
  }

  EditedSkill unchanged() {
    return finished(done_.file, "Nothing to change: skill " + single_quoted(edit_.name) + " is already so.");
  }

  EditedSkill finished(std::string file, std::string message) {
    done_.directory = place_.root + "/" + site_.directory;
    done_.file = std::move(file);
    done_.message = std::move(message);
    return std::move(done_);
  }

  const HeldSkills& skills_;
  const SkillEdit& edit_;
  const EditPlace& place_;
  SkillSite site_;
  EditedSkill done_;
};

Result<SkillAction> action_called(const std::string& name) {
  for (size_t i = 0; i < action_names.size(); ++i) {
    if (action_names[i] == name) return static_cast<SkillAction>(i);
  }
  return invalid("action must be create, edit, patch, delete, write_file or remove_file, got \"" +
                 shortened(shown_line(name), 40) + "\"");
}

// What each action cannot do without.
Result<> check_complete(const SkillEdit& edit, bool has_file_content, bool has_new_string) {
  const std::string action(name_of(edit.action));
  const auto need = [&](bool given, const std::string& field) -> Result<> {
    return given ? Result<>(ok) : invalid("action " + action + " needs " + field);
  };
  switch (edit.action) {
    case SkillAction::create:
      TRY(check_new_skill_name(edit.name));
      if (!edit.category.empty()) TRY(check_category(edit.category));
      return need(!edit.content.empty(), "content: the whole SKILL.md");
    case SkillAction::edit: return need(!edit.content.empty(), "content: the whole SKILL.md");
    case SkillAction::patch:
      TRY(need(!edit.old_string.empty(), "old_string"));
      return need(has_new_string, "new_string; \"\" removes old_string");
    case SkillAction::remove: return ok;
    case SkillAction::write_file:
      TRY(need(!edit.file_path.empty(), "file_path"));
      return need(has_file_content, "file_content");
    case SkillAction::remove_file: return need(!edit.file_path.empty(), "file_path");
  }
  CHECK(false);
}

}  // namespace

std::string_view name_of(SkillAction action) { return action_names[static_cast<size_t>(action)]; }

Result<SkillEdit> read_skill_edit(const JsonObject& arguments) {
  Fields fields(arguments, "skill_manage parameter");
  SkillEdit edit;
  const auto text = [&](std::string_view name) -> Result<std::string> { return TRY(fields.text(name)).value_or(""); };
  edit.action = TRY(action_called(TRY(text("action"))));
  edit.name = TRY(text("name"));
  edit.category = TRY(text("category"));
  edit.content = TRY(text("content"));
  edit.file_path = TRY(text("file_path"));
  const std::optional<std::string> file_content = TRY(fields.text("file_content"));
  edit.file_content = file_content.value_or("");
  edit.old_string = TRY(text("old_string"));
  const std::optional<std::string> new_string = TRY(fields.text("new_string"));
  edit.new_string = new_string.value_or("");
  edit.replace_all = TRY(fields.boolean("replace_all")).value_or(false);
  TRY(fields.no_others());
  if (trim(edit.name).empty()) return invalid("name must say which skill");
  TRY(check_complete(edit, file_content.has_value(), new_string.has_value()));
  return edit;
}

Result<EditedSkill> edit_skill(const SkillEdit& edit, const EditPlace& place) {
  if (edit.action == SkillAction::create) {
    TRY(check_new_skill_name(edit.name));
    if (!edit.category.empty()) TRY(check_category(edit.category));
  }
  const HeldSkills skills = TRY(HeldSkills::open(place.root));
  return Editing(skills, edit, place).run();
}

JsonObject skill_edit_json(const std::string& name, const Result<EditedSkill>& edited) {
  if (!edited) return {{"success", false}, {"error", shown_text(edited.error().message())}};
  JsonObject answer{
      {"success", true}, {"message", edited->message}, {"name", name}, {"path", path_text(edited->directory)}};
  if (!edited->file.empty()) answer["file"] = edited->file;
  if (edited->replacements > 0) {
    answer["replacements"] = edited->replacements;
    answer["strategy"] = edited->strategy;
  }
  if (edited->change > 0) {
    answer["change"] = edited->change;
    answer["undo"] = "talaria skills undo " + shell_quote(name);
  }
  JsonArray diagnostics;
  for (const SkillDiagnostic& one : edited->diagnostics)
    diagnostics.push_back(
        JsonObject{{"severity", name_of(one.severity)}, {"line", one.line}, {"message", one.message}});
  if (!diagnostics.empty()) answer["diagnostics"] = std::move(diagnostics);
  return answer;
}

}  // namespace talaria
