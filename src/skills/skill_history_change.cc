#include "skills/skill_history_change.h"

#include <fcntl.h>
#include <stdio.h>

#include <algorithm>

#include "base/id.h"
#include "base/text.h"
#include "base/utf8.h"
#include "os/random.h"
#include "skills/skill_body_text.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_history_quota.h"
#include "skills/skill_origins.h"

namespace talaria {
namespace {

constexpr const char* record_file = "record.json";
constexpr const char* change_folder = "folder";
constexpr size_t most_directory_bytes = 200;  // so that its key fits into a file's name

// What stands in record.json while a change is under way, and stays there.
struct Journal {
  SkillRecord record;
  uint64_t staged_inode = 0;  // of the folder that is to be put in place; 0: none, the skill is removed
};

Result<Journal> read_journal(int entry) {
  const std::string text = TRY(read_file_below(entry, record_file, most_record_bytes));
  const JsonObject object = TRY(parse_json_object(text));
  return Journal{TRY(read_skill_record(object)), static_cast<uint64_t>(integer_or(object, "staged_inode"))};
}

// Whether the single step has been made. Before it the staged folder is in staging, after it the old one, or none.
bool is_in_place(int entry, const Journal& journal) {
  const Result<struct stat> there = look_below(entry, change_folder);
  if (journal.staged_inode == 0) return static_cast<bool>(there);
  return !there || static_cast<uint64_t>(there->st_ino) != journal.staged_inode;
}

// Folders that hold nothing any more, up to the folder of skills. One that holds something stays.
void remove_empty_parents(const HeldSkills& skills, const std::string& directory) {
  for (std::string path = parent_path(directory); path != "."; path = parent_path(path)) {
    const Result<UniqueFd> parent = open_folder_below(skills.root(), parent_path(path));
    if (!parent || ::unlinkat(parent->get(), leaf_name(path).c_str(), AT_REMOVEDIR) != 0) return;
  }
}

Result<> finish(const HeldSkills& skills, const std::string& id, const SkillRecord& record) {
  TRY(set_origin(skills.state(), record.directory, record.origin_after));
  if (!record.exists_after) remove_empty_parents(skills, record.directory);
  const UniqueFd entries = TRY(make_folder_below(skills.history(), history_key(record.directory), 0700));
  if (::renameat(skills.staging(), id.c_str(), entries.get(), entry_name(record.number).c_str()) != 0)
    return Error::from_errno("put a change into the history");
  TRY(sync_folder(entries.get()));
  TRY(sync_folder(skills.staging()));
  return drop_old_entries(skills, record.directory);
}

Result<> take_back(const HeldSkills& skills, const std::string& id, const SkillRecord& record) {
  TRY(set_origin(skills.state(), record.directory, record.origin_before));
  TRY(remove_below(skills.staging(), id));
  if (!record.existed_before) remove_empty_parents(skills, record.directory);
  return ok;
}

Result<uint64_t> next_number(const HeldSkills& skills, const std::string& directory) {
  uint64_t last = 0;
  const Result<UniqueFd> entries = open_folder_below(skills.history(), history_key(directory));
  if (!entries && entries.error().code() == ErrorCode::not_found) return 1;
  if (!entries) return entries.error();
  for (const std::string& name : TRY(names_in_folder(entries->get()))) {
    uint64_t number = 0;
    for (const char c : name) number = c >= '0' && c <= '9' && number < 1'000'000'000 ? number * 10 + (c - '0') : 0;
    last = std::max(last, number);
  }
  return last + 1;
}

}  // namespace

Result<> settle_change(const HeldSkills& skills, const std::string& id) {
  const Result<UniqueFd> entry = open_folder_below(skills.staging(), id);
  const Result<Journal> journal = entry ? read_journal(entry->get()) : Result<Journal>(entry.error());
  // A change without its record has not begun, and a dropped entry has been renamed to what is none.
  if (!journal || id.starts_with(dropped_prefix)) return remove_below(skills.staging(), id);
  if (is_in_place(entry->get(), *journal)) return finish(skills, id, journal->record);
  return take_back(skills, id, journal->record);
}

Result<> check_skill_directory(const std::string& directory) {
  const std::string shown = "the folder " + shortened(shown_line(directory), 100);
  if (directory.empty() || directory == "." || directory.front() == '/')
    return invalid(shown + " is no folder of a skill");
  if (directory.size() > most_directory_bytes || history_key(directory).size() > 255)
    return invalid(shown + " has too long a path; at most " + std::to_string(most_directory_bytes) + " bytes");
  if (!is_utf8(directory)) return invalid(shown + " has a name that is no text");
  for (const std::string& part : split(directory, '/')) {
    if (part.empty() || part.front() == '.') return invalid(shown + " has a part that is hidden or empty");
  }
  return ok;
}

Result<StagedChange> StagedChange::begin(const HeldSkills& skills, const std::string& directory) {
  TRY(check_skill_directory(directory));
  StagedChange change(skills, directory);
  change.id_ = id_from(random_u64());
  TRY(make_folder_below(skills.staging(), change.id_, 0700));
  return change;
}

StagedChange::StagedChange(StagedChange&& other) noexcept
    : skills_(other.skills_),
      directory_(std::move(other.directory_)),
      id_(std::exchange(other.id_, "")),
      staged_(std::move(other.staged_)) {}

StagedChange::~StagedChange() {
  // What fails here, the next one to hold the skills settles.
  if (!id_.empty()) (void)settle_change(*skills_, id_);
}

Result<UniqueFd> StagedChange::stage_new() {
  staged_ = TRY(make_folder_below(skills_->staging(), id_ + "/" + change_folder, 0755));
  return open_folder_below(staged_.get(), ".");
}

Result<UniqueFd> StagedChange::stage_copy_of(int folder) {
  UniqueFd staged = TRY(stage_new());
  TRY(copy_tree(folder, staged.get()));
  return staged;
}

Result<UniqueFd> StagedChange::stage_current() {
  const UniqueFd current = TRY(open_folder_below(skills_->root(), directory_));
  return stage_copy_of(current.get());
}

Result<> StagedChange::describe(SkillRecord& record) {
  record.number = TRY(next_number(*skills_, directory_));
  record.at = epoch_ms();
  record.directory = directory_;
  record.exists_after = static_cast<bool>(staged_);
  record.origin_before = TRY(origin_of(skills_->state(), directory_));
  const Result<UniqueFd> current = open_folder_below(skills_->root(), directory_);
  if (!current && current.error().code() != ErrorCode::not_found) return current.error();
  record.existed_before = static_cast<bool>(current);
  if (current) record.bytes = tree_size(current->get()).bytes;
  if (!record.existed_before && !record.exists_after)
    return Error(ErrorCode::not_found, "there is no skill in " + shown_line(directory_));
  return ok;
}

Result<> StagedChange::put_in_place(const SkillRecord& record) {
  const UniqueFd entry = TRY(open_folder_below(skills_->staging(), id_));
  const UniqueFd parent = TRY(make_folder_below(skills_->root(), parent_path(directory_)));
  const std::string leaf = leaf_name(directory_);
  const bool both = record.existed_before && record.exists_after;
  const int moved = record.exists_after
                        ? ::renameat2(entry.get(), change_folder, parent.get(), leaf.c_str(),
                                      both ? RENAME_EXCHANGE : RENAME_NOREPLACE)
                        : ::renameat2(parent.get(), leaf.c_str(), entry.get(), change_folder, RENAME_NOREPLACE);
  if (moved != 0) return Error::from_errno("put the changed skill into the place of " + shown_line(directory_));
  TRY(sync_folder(parent.get()));
  return sync_folder(entry.get());
}

Result<SkillRecord> StagedChange::commit(SkillRecord record) {
  TRY(describe(record));
  JsonObject journal = to_json(record);
  if (staged_) {
    struct stat info {};
    if (::fstat(staged_.get(), &info) != 0) return Error::from_errno("look at the changed skill");
    journal["staged_inode"] = static_cast<uint64_t>(info.st_ino);
    TRY(sync_folder(staged_.get()));
  }
  const std::string text = write_json_pretty(journal);
  if (text.size() > most_record_bytes) return invalid("the change's record is too large");
  TRY(write_file_below(skills_->staging(), id_ + "/" + record_file, text, 0600));
  // Less trust comes before the content that it is about, more of it after: nobody may ever read what an agent wrote as
  // if a person had.
  if (lends_less(record.origin_after, record.origin_before))
    TRY(set_origin(skills_->state(), directory_, record.origin_after));
  TRY(put_in_place(record));
  // From here on the change is made. What is left to do is done by whoever holds the skills next, if not by us.
  if (finish(*skills_, id_, record)) id_.clear();
  return record;
}

}  // namespace talaria
