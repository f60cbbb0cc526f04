#include "guard/quarantine_place.h"

#include <fcntl.h>

#include <algorithm>

#include "os/file.h"

namespace talaria {
namespace {

constexpr const char* state_names[] = {"taking", "copied", "kept"};
constexpr size_t longest_record = 1 << 20;
constexpr size_t longest_modes = 64 << 20;

}  // namespace

std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string entry_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Result<QuarantinePlace> QuarantinePlace::make(const std::string& quarantine, const std::string& id) {
  const std::string path = quarantine + "/" + id;
  if (::mkdir(path.c_str(), 0700) != 0) return Error::from_errno("make the folder " + path);
  return open(quarantine, id);
}

Result<QuarantinePlace> QuarantinePlace::open(const std::string& quarantine, const std::string& id) {
  std::string path = quarantine + "/" + id;
  UniqueFd fd = TRY(open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return QuarantinePlace(std::move(path), std::move(fd));
}

bool QuarantinePlace::has_content() const {
  struct stat info {};
  return ::fstatat(fd_.get(), content, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<> QuarantinePlace::write(const QuarantinedItem& item, State state) const {
  JsonObject record = record_of(item);
  record["state"] = state_names[static_cast<size_t>(state)];
  return write_file_atomically(path_ + "/item.json", write_json(record), 0600, Durable::no);
}

Result<QuarantinePlace::Record> QuarantinePlace::read() const {
  const JsonObject object = TRY(parse_json_object(TRY(read_file(path_ + "/item.json", longest_record))));
  Record record{TRY(item_of(object)), State::taking};
  const std::string state = text_or(object, "state");
  for (const State known : {State::taking, State::copied, State::kept}) {
    if (state == state_names[static_cast<size_t>(known)]) record.state = known;
  }
  return record;
}

void QuarantinePlace::write_first_modes(const std::vector<KeptMode>& modes) const {
  const std::string path = path_ + "/modes.json";
  if (modes.empty() || exists(path)) return;
  JsonArray rows;
  for (const KeptMode& kept : modes) rows.push_back(JsonArray{bytes_to_json(kept.path), kept.mode});
  (void)write_file_atomically(path, write_json(rows), 0600, Durable::no);
}

std::vector<KeptMode> QuarantinePlace::modes() const {
  std::vector<KeptMode> modes;
  const Result<std::string> text = read_file(path_ + "/modes.json", longest_modes);
  if (!text) return modes;
  const Result<Json> rows = parse_json(*text);
  if (!rows || !rows->is_array()) return modes;
  for (const Json& row : rows->as_array()) {
    if (!row.is_array() || row.as_array().size() != 2 || !row.as_array()[1].is_int64()) continue;
    modes.push_back({bytes_from_json(row.as_array()[0]), static_cast<mode_t>(row.as_array()[1].as_int64() & 07777)});
  }
  return modes;
}

}  // namespace talaria
