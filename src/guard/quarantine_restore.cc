#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>

#include "base/unseen.h"
#include "base/utf8.h"
#include "guard/quarantine.h"
#include "guard/quarantine_place.h"

namespace talaria {
namespace {

constexpr size_t most_restored = 1000;

Result<JsonArray> read_restored(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text && text.error().number() == ENOENT) return JsonArray();
  const Json rows = TRY(parse_json(TRY(text)));
  if (!rows.is_array()) return invalid(path + " is no list");
  return rows.as_array();
}

bool is_row(const Json& row, const std::string& path, const std::string& hash) {
  const JsonObject* object = row.if_object();
  if (!object || text_or(*object, "hash") != hash) return false;
  const Json* written = object->if_contains("path");
  return written && bytes_from_json(*written) == path;
}

// 0, or the errno; EEXIST when there is something of the new name.
int move_to_free_name(int from, const std::string& name, int to, const std::string& new_name) {
  if (::syscall(SYS_renameat2, from, name.c_str(), to, new_name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL) return errno;
  // Some file systems cannot refuse by themselves.
  struct stat info {};
  if (::fstatat(to, new_name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return ::renameat(from, name.c_str(), to, new_name.c_str()) == 0 ? 0 : errno;
}

Error cannot_open(const Error& error, const std::string& folder) {
  if (error.number() == ELOOP) {
    return {ErrorCode::denied, "a link is on the way to " + shown_line(folder) +
                                   ", and none is followed; give the folder it leads "
                                   "to, with --to"};
  }
  if (error.number() == ENOENT) {
    return {ErrorCode::not_found,
            "the folder " + shown_line(folder) + " is not there; make it, or name another place with --to"};
  }
  return error;
}

Error taken_place(const std::string& where) {
  return {ErrorCode::conflict, shown_line(where) +
                                   " is there already; give another place with --to, or --force, which takes what "
                                   "is there to quarantine"};
}

// Where the content of an item lies.
struct Source {
  UniqueFd beside;  // its folder, when it is not in its place
  int folder = -1;
  std::string name;
};

Result<Source> source_of(const QuarantinePlace& place, const QuarantinedItem& item) {
  Source source{UniqueFd(), place.fd(), QuarantinePlace::content};
  if (item.beside.empty()) return source;
  source.beside = TRY(open_folder(folder_of(item.beside)));
  source.folder = source.beside.get();
  source.name = entry_of(item.beside);
  return source;
}

}  // namespace

Result<std::string> Quarantine::hash_of(int directory, const std::string& name) {
  return TRY(look_at_content(directory, name, {}, Reading::only)).hash;
}

bool Quarantine::wanted(const std::string& path, const std::string& hash) const {
  if (hash.empty()) return false;
  const Result<JsonArray> rows = read_restored(folder_ + "/restored.json");
  return rows && std::any_of(rows->begin(), rows->end(), [&](const Json& row) { return is_row(row, path, hash); });
}

Result<> Quarantine::remember(const std::string& path, const std::string& hash) const {
  if (hash.empty()) return ok;
  const std::string file = folder_ + "/restored.json";
  const Result<JsonArray> rows = read_restored(file);
  JsonArray kept;
  for (const Json& row : rows ? *rows : JsonArray()) {
    if (!is_row(row, path, hash)) kept.push_back(row);
  }
  while (kept.size() >= most_restored) kept.erase(kept.begin());
  kept.push_back(JsonObject{{"path", bytes_to_json(path)}, {"hash", hash}});
  return write_file_atomically(file, write_json(kept), 0600, Durable::no);
}

Result<> Quarantine::restore(const QuarantinedItem& item, const std::string& where, Overwrite overwrite) {
  if (!where.starts_with('/') || entry_of(where).empty() || entry_of(where) == "." || entry_of(where) == "..") {
    return invalid("'" + shown_line(where) + "' is no place to put " + item.id + "; name one with --to");
  }
  const FileLock held = TRY(lock());
  return restore_locked(item, where, overwrite);
}

Result<> Quarantine::restore_locked(const QuarantinedItem& asked, const std::string& where, Overwrite overwrite) {
  const std::optional<QuarantinedItem> item = look_up(asked.id);
  if (!item) return Error(ErrorCode::not_found, asked.id + " is not in quarantine any more");
  const QuarantinePlace place = TRY(QuarantinePlace::open(folder_, item->id));
  const Result<UniqueFd> folder = open_folder(folder_of(where));
  if (!folder) return cannot_open(folder.error(), folder_of(where));
  const std::string name = entry_of(where);

  const Source source = TRY(source_of(place, *item));
  if (!item->hash.empty() && overwrite == Overwrite::no) {
    const ContentBounds bounds{limits_.most_copied_bytes, limits_.most_copied_entries};
    const Result<ContentFacts> facts = look_at_content(source.folder, source.name, bounds, Reading::only);
    if (!facts || facts->hash != item->hash) {
      return Error(ErrorCode::conflict, "the content of " + item->id +
                                            " changed since it was taken: something still had it open. Look at it with "
                                            "show; --force puts it back as it is now");
    }
  }
  struct stat info {};
  if (::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    if (overwrite == Overwrite::no) return taken_place(where);
    const About about{where,           "restore",     "It was in the place of " + item->id + ", which was put back.",
                      item->workspace, item->session, QuarantinedItem::Origin::overwritten};
    TRY(take_locked(folder->get(), name, about, item->id));
  }
  // Before it is there, so that who watches the folder knows it at once.
  TRY(remember(where, item->hash));
  TRY(put(place, *item, folder->get(), name));
  remove_place(item->id);
  known_.erase(item->id);
  return ok;
}

Result<> Quarantine::put(const QuarantinePlace& place, const QuarantinedItem& item, int folder,
                         const std::string& name) const {
  const Source source = TRY(source_of(place, item));
  const UniqueFd handle = TRY(handle_of(source.folder, source.name));
  std::vector<KeptMode> below = place.modes();
  std::optional<mode_t> own;
  if (!below.empty() && below.front().path.empty()) {
    own = below.front().mode;
    below.erase(below.begin());
  }
  // A folder that its owner may not write does not move, so its own mode comes last.
  const bool is_folder = S_ISDIR(facts_of(handle).st_mode);
  if (is_folder && own) (void)change_mode(handle, *own | 0700);
  set_modes(source.folder, source.name, below, Bits::whole);
  const bool has_mode = own && !S_ISLNK(facts_of(handle).st_mode);
  if (has_mode && !is_folder) (void)change_mode(handle, *own);

  int number = move_to_free_name(source.folder, source.name, folder, name);
  if (number == 0 && has_mode && is_folder) (void)change_mode(handle, *own);
  if (number == EXDEV) {
    if (has_mode) (void)change_mode(handle, *own);
    const std::string half = ".talaria-restoring-" + item.id;
    const ContentBounds all{UINT64_MAX, UINT64_MAX - 1};
    const Result<> copied = copy_content(source.folder, source.name, folder, half, all);
    number = copied ? move_to_free_name(folder, half, folder, name) : copied.error().number();
    if (number != 0) (void)discard_content(folder, half);
  }
  if (number == 0) return ok;
  set_modes(source.folder, source.name, place.modes(), Bits::stripped);
  if (number == EEXIST) return taken_place(name);
  return Error::from_number(number, "put " + item.id + " back as " + name);
}

}  // namespace talaria
