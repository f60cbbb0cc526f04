#include "guard/quarantine.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <thread>

#include "base/id.h"
#include "base/unseen.h"
#include "guard/quarantine_place.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr auto lock_patience = 10s;
constexpr auto lock_interval = 5ms;

std::string harmless_name(const std::string& id) { return ".talaria-taken-" + id; }

Error in_words(int number, const std::string& path) {
  switch (number) {
    case ENOENT: return Error::with_number(ErrorCode::not_found, number, shown_line(path) + " is gone already");
    case EBUSY:
      return Error::with_number(
          ErrorCode::conflict, number,
          shown_line(path) + " is a mount point or in use by the kernel, and cannot be moved: unmount it");
    default: return Error::from_number(number, "move " + path + " to quarantine");
  }
}

// A folder moves only if its owner may write it, and out of another only if its owner may write that: somebody who may
// change both can forbid it, so we allow it, for the moment.
class Allowed {
 public:
  Allowed(int directory, const std::string& name) {
    UniqueFd parent(::fcntl(directory, F_DUPFD_CLOEXEC, 0));
    if (parent) allow(parent_, std::move(parent));
    Result<UniqueFd> entry = handle_of(directory, name);
    if (entry && S_ISDIR(facts_of(*entry).st_mode)) allow(entry_, *std::move(entry));
  }
  ~Allowed() {
    for (const Changed* changed : {&entry_, &parent_}) {
      if (changed->handle) (void)change_mode(changed->handle, changed->mode);
    }
  }
  Allowed(const Allowed&) = delete;
  Allowed& operator=(const Allowed&) = delete;

 private:
  struct Changed {
    UniqueFd handle;
    mode_t mode = 0;
  };
  static void allow(Changed& changed, UniqueFd handle) {
    const mode_t mode = facts_of(handle).st_mode & 07777;
    if ((mode & 0300) == 0300 || change_mode(handle, mode | 0300) != 0) return;
    changed = {std::move(handle), mode};
  }

  Changed parent_, entry_;
};

// 0, or the errno. The new name is one that nobody could have guessed.
int move_entry(int directory, const std::string& name, int to, const std::string& new_name) {
  if (::renameat(directory, name.c_str(), to, new_name.c_str()) == 0) return 0;
  if (errno != EACCES && errno != EPERM) return errno;
  const Allowed allowed(directory, name);
  return ::renameat(directory, name.c_str(), to, new_name.c_str()) == 0 ? 0 : errno;
}

// What stays in the workspace is closed; gives the mode it had.
std::optional<mode_t> close_entry(int directory, const std::string& name) {
  const Result<UniqueFd> handle = handle_of(directory, name);
  if (!handle) return std::nullopt;
  const struct stat info = facts_of(*handle);
  if (S_ISLNK(info.st_mode) || (!S_ISDIR(info.st_mode) && info.st_nlink > 1)) return std::nullopt;
  if (change_mode(*handle, 0) != 0) return std::nullopt;
  return info.st_mode & 07777;
}

QuarantinedItem new_item(const Quarantine::About& about) {
  QuarantinedItem item;
  item.id = id_from(random_u64());
  item.path = about.path;
  item.rule = about.rule;
  item.why = about.why;
  item.workspace = about.workspace;
  item.session = about.session;
  item.origin = about.origin;
  item.taken_ms = item.last_ms = epoch_ms();
  return item;
}

void describe(QuarantinedItem& item, const ContentFacts& facts) {
  item.kind = facts.kind;
  item.bytes = facts.bytes;
  item.entries = facts.entries;
  item.hash = facts.hash;
}

// Where nothing can be written, out of the way is all there is.
Result<QuarantinedItem> put_aside(int directory, const std::string& name, QuarantinedItem item, const Error& why) {
  const std::string new_name = harmless_name(item.id);
  if (const int number = move_entry(directory, name, directory, new_name)) return in_words(number, item.path);
  if (const Result<ContentFacts> facts = look_at_content(directory, new_name, {}, Reading::only)) {
    describe(item, *facts);
  }
  const std::optional<mode_t> mode = close_entry(directory, new_name);
  item.beside = folder_of(item.path) + "/" + new_name;
  item.note =
      "It could not be kept in quarantine (" + why.message() + "), and no list shows it: it is now " + item.beside;
  if (mode) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "%04o", *mode);
    item.note += std::string(", and its mode was ") + octal;
  }
  return item;
}

}  // namespace

Result<FileLock> Quarantine::lock() const {
  const Clock::time_point deadline = Clock::now() + lock_patience;
  while (true) {
    FileLock lock = TRY(FileLock::try_take(folder_ + "/lock"));
    if (lock.held()) return lock;
    if (Clock::now() > deadline) {
      return Error(ErrorCode::timed_out, "another process keeps " + folder_ + "/lock; end it, or try again later");
    }
    std::this_thread::sleep_for(lock_interval);
  }
}

Result<QuarantinedItem> Quarantine::take(int directory, const std::string& name, const About& about) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    return invalid("'" + shown_line(name) + "' is no name in a folder");
  }
  const Result<> made = make_directories(folder_, 0700);
  Result<FileLock> held = made ? lock() : Result<FileLock>(made.error());
  if (held) return take_locked(directory, name, about);
  return put_aside(directory, name, new_item(about), held.error());
}

Result<QuarantinedItem> Quarantine::take_locked(int directory, const std::string& name, const About& about,
                                                const std::string& spared) {
  QuarantinedItem item = new_item(about);
  const Result<QuarantinePlace> place = QuarantinePlace::make(folder_, item.id);
  const Result<> written = place ? place->write(item, QuarantinePlace::State::taking) : Result<>(place.error());
  if (!written) {
    remove_place(item.id);
    return put_aside(directory, name, std::move(item), written.error());
  }
  const Result<> brought = bring(directory, name, *place, item);
  if (!brought) {
    remove_place(item.id);
    return brought.error();
  }
  refresh();
  if (QuarantinedItem* before = same_as(item)) {
    ++before->times;
    before->last_ms = item.taken_ms;
    const Result<QuarantinePlace> its = QuarantinePlace::open(folder_, before->id);
    if (its && its->has_content() && its->write(*before, QuarantinePlace::State::kept)) {
      remove_place(item.id);
      known_.erase(item.id);
      item.id = before->id;
      item.times = before->times;
      return item;
    }
  }
  known_[item.id] = item;
  make_room(item.id, spared);
  return item;
}

Result<> Quarantine::bring(int directory, const std::string& name, const QuarantinePlace& place,
                           QuarantinedItem& item) const {
  int number = move_entry(directory, name, place.fd(), QuarantinePlace::content);
  if (number == 0) {
    settle(place, item);
    return ok;
  }
  // Another file system, or no room for one more name in ours.
  if (number != EXDEV && number != ENOSPC && number != EDQUOT && number != EROFS) return in_words(number, item.path);
  number = move_entry(directory, name, directory, harmless_name(item.id));
  if (number != 0) return in_words(number, item.path);
  fetch(directory, place, item);
  return ok;
}

// The content is here: makes it harmless, and tells of it.
void Quarantine::settle(const QuarantinePlace& place, QuarantinedItem& item) const {
  const ContentBounds bounds{limits_.most_copied_bytes, limits_.most_copied_entries};
  const Result<ContentFacts> facts = look_at_content(place.fd(), QuarantinePlace::content, bounds, Reading::private_);
  if (facts) {
    describe(item, *facts);
    place.write_first_modes(facts->modes);
    set_modes(place.fd(), QuarantinePlace::content, facts->modes, Bits::stripped);
    if (!facts->whole) item.note = "It is too large to be looked at whole; its size here is what was seen.";
  } else {
    item.note = "It could not be looked at whole: " + facts.error().message();
  }
  // Without room for this the first record stays, and the next who lists finishes what we began.
  (void)place.write(item, QuarantinePlace::State::kept);
}

// It has its harmless name in `directory`: brings a copy here and removes it there, or closes it where it is.
void Quarantine::fetch(int directory, const QuarantinePlace& place, QuarantinedItem& item) const {
  const std::string name = harmless_name(item.id);
  const ContentBounds bounds{limits_.most_copied_bytes, limits_.most_copied_entries};
  const Result<> copied = copy_content(directory, name, place.fd(), QuarantinePlace::content, bounds);
  const Result<> written = copied ? place.write(item, QuarantinePlace::State::copied) : copied;
  if (written) {
    if (const Result<> gone = discard_content(directory, name); !gone) {
      (void)close_entry(directory, name);
      item.note = "A rest of it is still " + folder_of(item.path) + "/" + name + ": " + gone.error().message();
    }
    settle(place, item);
    return;
  }
  (void)discard_content(place.fd(), QuarantinePlace::content);
  if (const Result<ContentFacts> facts = look_at_content(directory, name, bounds, Reading::only)) {
    describe(item, *facts);
  }
  item.hash.clear();
  if (const Result<UniqueFd> handle = handle_of(directory, name)) {
    place.write_first_modes({{"", facts_of(*handle).st_mode & 07777}});
  }
  (void)close_entry(directory, name);
  item.beside = folder_of(item.path) + "/" + name;
  const std::string why = written.error().number() == E2BIG
                              ? "it is too large to be copied from another file system"
                              : "it could not be copied to the quarantine (" + written.error().message() + ")";
  item.note = "It is still in its folder as " + name + ", which nothing runs, because " + why;
  (void)place.write(item, QuarantinePlace::State::kept);
}

void Quarantine::recover(const std::string& id) const {
  const Result<QuarantinePlace> place = QuarantinePlace::open(folder_, id);
  if (!place) return;
  Result<QuarantinePlace::Record> record = place->read();
  if (!record) {
    if (!place->has_content()) return remove_place(id);
    QuarantinedItem item = new_item({});
    item.id = id;
    item.path = "/";
    item.why = "Its record was lost, so where it was is not known; restore it with --to.";
    return settle(*place, item);
  }
  QuarantinedItem& item = record->item;
  if (record->state == QuarantinePlace::State::kept) {
    if (item.beside.empty() && !place->has_content()) remove_place(id);
    return;
  }
  const Result<UniqueFd> folder = open_folder(folder_of(item.path));
  struct stat info {};
  const bool beside = folder && ::fstatat(folder->get(), harmless_name(id).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (record->state == QuarantinePlace::State::copied) {
    if (beside) (void)discard_content(folder->get(), harmless_name(id));
    return settle(*place, item);
  }
  if (beside) {
    // What is here of it is a copy that was not finished.
    (void)discard_content(place->fd(), QuarantinePlace::content);
    return fetch(folder->get(), *place, item);
  }
  if (place->has_content()) return settle(*place, item);
  remove_place(id);
}

}  // namespace talaria
