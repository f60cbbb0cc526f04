#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>

#include "base/id.h"
#include "base/text.h"
#include "base/unseen.h"
#include "guard/quarantine.h"
#include "guard/quarantine_place.h"

namespace talaria {
namespace {

constexpr std::string_view removed_prefix = "removed-";

void list_paths(const UniqueFd& folder, const std::string& path, int level, size_t most, Quarantine::Shown& shown) {
  for (const std::string& name : names_in(folder, most)) {
    if (shown.bytes.size() >= most || level > 64) {
      shown.whole = false;
      return;
    }
    const Result<UniqueFd> handle = handle_of(folder.get(), name);
    if (!handle) continue;
    const struct stat info = facts_of(*handle);
    shown.bytes += path + name + (S_ISDIR(info.st_mode) ? "/\n" : "\n");
    if (!S_ISDIR(info.st_mode)) continue;
    const UniqueFd child = reopen(*handle, info, Reading::only);
    if (child) list_paths(child, path + name + "/", level + 1, most, shown);
  }
}

bool newer(const QuarantinedItem& one, const QuarantinedItem& other) {
  return one.last_ms != other.last_ms ? one.last_ms > other.last_ms : one.id > other.id;
}

}  // namespace

std::vector<std::string> Quarantine::ids() const {
  std::vector<std::string> ids;
  const Result<std::vector<std::string>> names = list_directory(folder_);
  if (!names) return ids;
  for (const std::string& name : *names) {
    if (name.size() == id_length && looks_like_id(name)) ids.push_back(name);
  }
  return ids;
}

std::optional<QuarantinedItem> Quarantine::look_up(const std::string& id) const {
  const Result<QuarantinePlace> place = QuarantinePlace::open(folder_, id);
  if (!place) return std::nullopt;
  Result<QuarantinePlace::Record> record = place->read();
  if (!record || record->state != QuarantinePlace::State::kept) return std::nullopt;
  if (record->item.beside.empty() && !place->has_content()) return std::nullopt;
  record->item.id = id;
  return std::move(record->item);
}

Result<std::vector<QuarantinedItem>> Quarantine::list() {
  std::vector<QuarantinedItem> items;
  struct stat info {};
  if (::stat(folder_.c_str(), &info) != 0) {
    if (errno == ENOENT) return items;
    return Error::from_errno("look at " + folder_);
  }
  const Result<FileLock> held = lock();
  if (!held && held.error().code() == ErrorCode::timed_out) return held.error();
  if (held) finish_removals();
  for (const std::string& id : ids()) {
    std::optional<QuarantinedItem> item = look_up(id);
    if (!item && held) {
      recover(id);
      item = look_up(id);
    }
    if (item) items.push_back(*std::move(item));
  }
  std::sort(items.begin(), items.end(), newer);
  return items;
}

Result<QuarantinedItem> Quarantine::find(const std::string& id) {
  const std::vector<QuarantinedItem> items = TRY(list());
  std::vector<std::string> matches, all;
  const QuarantinedItem* found = nullptr;
  for (const QuarantinedItem& item : items) {
    all.push_back(item.id);
    if (id.empty() || !item.id.starts_with(id)) continue;
    matches.push_back(item.id);
    found = &item;
  }
  if (matches.size() == 1) return *found;
  if (matches.size() > 1) {
    matches.resize(std::min<size_t>(matches.size(), 5));
    return invalid("more than one item in quarantine begins with " + shown_line(id) + ": " + join(matches, ", ") +
                   "; give more of the id");
  }
  std::string message = "nothing in quarantine has the id " + shown_line(id);
  if (items.empty()) return Error(ErrorCode::not_found, message + "; it is empty");
  const std::vector<std::string> near = nearest(id, all);
  if (!near.empty()) message += "; did you mean " + join(near, ", ") + "?";
  return Error(ErrorCode::not_found, message + (near.empty() ? "; list shows what there is" : ""));
}

Result<Quarantine::Shown> Quarantine::read(const QuarantinedItem& item, size_t most) {
  UniqueFd folder;
  std::string name = QuarantinePlace::content;
  if (item.beside.empty()) {
    folder = TRY(open_folder(real_or_given_path(folder_ + "/" + item.id)));
  } else {
    folder = TRY(open_folder(folder_of(item.beside)));
    name = entry_of(item.beside);
  }
  const UniqueFd handle = TRY(handle_of(folder.get(), name));
  const struct stat info = facts_of(handle);
  Shown shown;
  if (S_ISLNK(info.st_mode)) {
    shown.bytes.resize(PATH_MAX);
    const ssize_t length = ::readlinkat(handle.get(), "", shown.bytes.data(), shown.bytes.size());
    if (length < 0) return Error::from_errno("read the link");
    shown.bytes.resize(static_cast<size_t>(length));
  } else if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) {
    const UniqueFd opened = reopen(handle, info, Reading::only);
    if (!opened) return Error::from_errno("read the content of " + item.id);
    if (S_ISDIR(info.st_mode)) {
      list_paths(opened, "", 0, most, shown);
    } else {
      shown.bytes = TRY(read_at(opened.get(), 0, most));
      shown.whole = static_cast<uint64_t>(info.st_size) <= shown.bytes.size();
    }
  }
  return shown;
}

void Quarantine::refresh() {
  std::map<std::string, QuarantinedItem> now;
  for (const std::string& id : ids()) {
    const auto known = known_.find(id);
    if (known != known_.end()) {
      now.insert(known_.extract(known));
    } else if (std::optional<QuarantinedItem> item = look_up(id)) {
      now[id] = *std::move(item);
    }
  }
  known_ = std::move(now);
}

// A command that plants the same thing again and again fills neither the disk nor the list. The same thing in another
// place is an item of its own: an item has one path, and is put back there.
QuarantinedItem* Quarantine::same_as(const QuarantinedItem& item) {
  if (item.hash.empty() || !item.beside.empty()) return nullptr;
  for (auto& [id, known] : known_) {
    if (id != item.id && known.hash == item.hash && known.session == item.session && known.rule == item.rule &&
        known.path == item.path && known.beside.empty()) {
      return &known;
    }
  }
  return nullptr;
}

void Quarantine::make_room(const std::string& newest, const std::string& spared) {
  uint64_t bytes = 0;
  std::vector<QuarantinedItem> oldest;
  for (const auto& [id, item] : known_) {
    bytes += item.beside.empty() ? item.bytes : 0;
    if (id != newest && id != spared) oldest.push_back(item);
  }
  std::sort(oldest.rbegin(), oldest.rend(), newer);
  for (const QuarantinedItem& item : oldest) {
    if (bytes <= limits_.most_bytes && known_.size() <= limits_.most_items) return;
    if (!remove_locked(item)) continue;
    bytes -= item.beside.empty() ? item.bytes : 0;
    known_.erase(item.id);
  }
}

Result<> Quarantine::remove(const QuarantinedItem& item) {
  const FileLock held = TRY(lock());
  return remove_locked(item);
}

Result<> Quarantine::remove_locked(const QuarantinedItem& item) {
  if (!item.beside.empty()) {
    const Result<UniqueFd> folder = open_folder(folder_of(item.beside));
    // With its folder, what was beside is gone too.
    if (folder) TRY(discard_content(folder->get(), entry_of(item.beside)));
    if (!folder && folder.error().number() != ENOENT) return folder.error();
  }
  remove_place(item.id);
  return ok;
}

void Quarantine::finish_removals() const {
  const Result<std::vector<std::string>> names = list_directory(folder_);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.starts_with(removed_prefix)) remove_place(name.substr(removed_prefix.size()));
  }
}

// First by its name, so that nobody is shown half of it.
void Quarantine::remove_place(const std::string& id) const {
  const Result<UniqueFd> folder = open_folder(real_or_given_path(folder_));
  if (!folder) return;
  const std::string removed = std::string(removed_prefix) + id;
  (void)::renameat(folder->get(), id.c_str(), folder->get(), removed.c_str());
  (void)discard_content(folder->get(), removed);
}

}  // namespace talaria
