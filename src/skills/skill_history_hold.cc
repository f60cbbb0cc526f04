#include "skills/skill_history_hold.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <algorithm>

#include "base/clock.h"
#include "os/file.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_history_change.h"

namespace talaria {
namespace {

Result<UniqueFd> take_lock(int state) {
  UniqueFd lock(::openat(state, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) return Error::from_errno("open the lock of the skills");
  const Clock::time_point deadline = Clock::now() + 10s;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Error::from_errno("lock the skills");
    if (Clock::now() > deadline)
      return Error(ErrorCode::conflict, "another process has been changing skills for ten seconds; try again");
    ::poll(nullptr, 0, 5);
  }
  return lock;
}

bool is_entry_name(const std::string& name) {
  return !name.empty() && name.size() < 19 && name.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Result<HeldSkills> HeldSkills::open(const std::string& root) {
  HeldSkills held;
  TRY(make_directories(root, 0700));
  held.root_ = TRY(open_file(root, O_RDONLY | O_DIRECTORY));
  held.state_ = TRY(make_folder_below(held.root(), ".talaria", 0700));
  held.lock_ = TRY(take_lock(held.state()));
  held.staging_ = TRY(make_folder_below(held.state(), "staging", 0700));
  held.history_ = TRY(make_folder_below(held.state(), "history", 0700));
  for (const std::string& id : TRY(names_in_folder(held.staging()))) {
    Result<> settled = settle_change(held, id);
    if (!settled) return std::move(settled).error().within("clear up a change of a skill that was broken off");
  }
  return held;
}

Result<std::vector<SkillRecord>> HeldSkills::records(const std::string& directory) const {
  std::vector<SkillRecord> records;
  const Result<UniqueFd> folder = open_folder_below(history(), history_key(directory));
  if (!folder && folder.error().code() == ErrorCode::not_found) return records;
  if (!folder) return folder.error();
  for (const std::string& name : TRY(names_in_folder(folder->get()))) {
    if (!is_entry_name(name)) continue;
    const Result<std::string> text = read_file_below(folder->get(), name + "/record.json", most_record_bytes);
    const Result<JsonObject> object = text ? parse_json_object(*text) : Result<JsonObject>(text.error());
    Result<SkillRecord> record = object ? read_skill_record(*object) : Result<SkillRecord>(object.error());
    // One that someone broke does not take the others with it.
    if (record) records.push_back(*std::move(record));
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return records;
}

Result<std::vector<std::string>> HeldSkills::directories() const {
  std::vector<std::string> directories;
  for (const std::string& key : TRY(names_in_folder(history()))) directories.push_back(directory_of_key(key));
  return directories;
}

std::string history_key(const std::string& directory) {
  std::string key;
  for (const char c : directory) {
    if (c == '/') key += "%2F";
    else if (c == '%') key += "%25";
    else key += c;
  }
  return key;
}

std::string directory_of_key(const std::string& key) {
  std::string directory;
  for (size_t i = 0; i < key.size(); ++i) {
    const std::string_view rest = std::string_view(key).substr(i);
    const bool escaped = rest.starts_with("%2F") || rest.starts_with("%25");
    directory += !escaped ? key[i] : rest.starts_with("%2F") ? '/' : '%';
    if (escaped) i += 2;
  }
  return directory;
}

std::string entry_name(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

}  // namespace talaria
