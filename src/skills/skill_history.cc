#include "skills/skill_history.h"

#include <algorithm>

#include "base/text.h"
#include "os/file.h"
#include "skills/skill_body_text.h"
#include "skills/skill_card.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_history_change.h"
#include "skills/skill_history_hold.h"

namespace talaria {
namespace {

// How well `name` names the skill in `directory`; 0: not at all.
int fit(const std::string& name, const std::string& directory, const std::vector<SkillRecord>& records) {
  if (name == directory) return 3;
  if (name == leaf_name(directory)) return 2;
  const std::string slug = slug_of(name);
  if (!slug.empty() && slug == slug_of(leaf_name(directory))) return 1;
  return !records.empty() && records.back().name == name ? 1 : 0;
}

struct FoundHistory {
  std::string directory;
  std::vector<SkillRecord> records;  // oldest first
};

Result<FoundHistory> find_history(const HeldSkills& skills, const std::string& name) {
  std::vector<FoundHistory> best;
  int best_fit = 1;
  for (const std::string& directory : TRY(skills.directories())) {
    std::vector<SkillRecord> records = TRY(skills.records(directory));
    const int fits = fit(name, directory, records);
    if (fits < best_fit || records.empty()) continue;
    if (fits > best_fit) best.clear();
    best_fit = fits;
    best.push_back({directory, std::move(records)});
  }
  if (best.empty())
    return Error(ErrorCode::not_found, "no change of a skill called \"" + shown_line(name) + "\" is kept");
  if (best.size() == 1) return std::move(best.front());
  std::vector<std::string> names;
  for (const FoundHistory& one : best) names.push_back(shown_line(one.directory));
  return Error(ErrorCode::conflict,
               "\"" + shown_line(name) + "\" may be any of these; say which: " + join(names, ", "));
}

Result<SkillRecord> choose(const std::vector<SkillRecord>& records, std::optional<uint64_t> number) {
  if (!number) return records.back();
  for (const SkillRecord& record : records) {
    if (record.number == *number) return record;
  }
  return Error(ErrorCode::not_found, "change " + std::to_string(*number) + " is not kept; the oldest is " +
                                         std::to_string(records.front().number) + ", the newest " +
                                         std::to_string(records.back().number));
}

Json origin_json(const std::optional<JsonObject>& origin) { return origin ? Json(*origin) : Json(nullptr); }

std::optional<JsonObject> origin_in(const JsonObject& object, std::string_view name) {
  const JsonObject* origin = object_or_null(object, name);
  return origin ? std::optional<JsonObject>(*origin) : std::nullopt;
}

}  // namespace

JsonObject to_json(const SkillRecord& record) {
  JsonObject object{{"number", record.number},
                    {"action", record.action},
                    {"at_ms", record.at},
                    {"who", record.who},
                    {"name", record.name},
                    {"directory", record.directory},
                    {"changed", record.changed},
                    {"existed_before", record.existed_before},
                    {"exists_after", record.exists_after},
                    {"bytes", record.bytes},
                    {"origin_before", origin_json(record.origin_before)},
                    {"origin_after", origin_json(record.origin_after)}};
  if (record.undoes > 0) object["undoes"] = record.undoes;
  return object;
}

Result<SkillRecord> read_skill_record(const JsonObject& object) {
  SkillRecord record;
  record.number = static_cast<uint64_t>(integer_or(object, "number"));
  record.action = text_or(object, "action");
  record.at = integer_or(object, "at_ms");
  record.who = text_or(object, "who");
  record.name = text_or(object, "name");
  record.directory = text_or(object, "directory");
  record.changed = text_or(object, "changed");
  record.undoes = static_cast<uint64_t>(integer_or(object, "undoes"));
  record.existed_before = boolean_or(object, "existed_before");
  record.exists_after = boolean_or(object, "exists_after");
  record.bytes = static_cast<uint64_t>(integer_or(object, "bytes"));
  record.origin_before = origin_in(object, "origin_before");
  record.origin_after = origin_in(object, "origin_after");
  TRY(check_skill_directory(record.directory));
  if (record.number == 0) return invalid("the record of a change has no number");
  return record;
}

Result<std::vector<SkillRecord>> skill_history(const std::string& root, const std::string& name) {
  // Looking makes nothing.
  if (!exists(root + "/.talaria/history"))
    return Error(ErrorCode::not_found, "no change of a skill called \"" + shown_line(name) + "\" is kept");
  const HeldSkills skills = TRY(HeldSkills::open(root));
  FoundHistory found = TRY(find_history(skills, name));
  std::reverse(found.records.begin(), found.records.end());
  return std::move(found.records);
}

Result<SkillRecord> undo_skill(const std::string& root, const std::string& name, std::optional<uint64_t> number,
                               const std::string& who) {
  const HeldSkills skills = TRY(HeldSkills::open(root));
  const FoundHistory found = TRY(find_history(skills, name));
  const SkillRecord undone = TRY(choose(found.records, number));
  StagedChange change = TRY(StagedChange::begin(skills, found.directory));
  if (undone.existed_before) {
    const std::string kept = history_key(found.directory) + "/" + entry_name(undone.number) + "/folder";
    const UniqueFd folder = TRY(open_folder_below(skills.history(), kept));
    TRY(change.stage_copy_of(folder.get()));
  }
  SkillRecord record;
  record.action = "undo";
  record.who = who;
  record.name = undone.name;
  record.undoes = undone.number;
  record.origin_after = undone.origin_before;
  return change.commit(std::move(record));
}

}  // namespace talaria
