#include "files/loaded_file.h"

#include "base/text.h"
#include "files/sha256.h"
#include "os/file.h"

namespace talaria {

Result<LoadedFile> load_file(FileSystem& files, const std::string& real_path, uint64_t most) {
  const OpenedFile file = TRY(files.open(real_path, {.read = true, .no_follow = true}));
  // A folder on the way may have become a link to where nobody was asked about.
  if (file.real_path != real_path) return Error(ErrorCode::conflict, "it leads to another file now; try again");
  if (file.stat.size > most)
    return invalid("it has " + human_bytes(file.stat.size) + "; the most is " + human_bytes(most));
  Result<std::string> bytes = read_at(file.fd.get(), 0, file.stat.size + 1);  // one more, to see that it grew
  if (!bytes) return std::move(bytes).error();
  if (bytes->size() != file.stat.size)
    return Error(ErrorCode::conflict, "it changes while it is read; try again when it is still");
  return LoadedFile{*std::move(bytes), file.stat};
}

std::optional<TextEncoding> encoding_of(std::string_view bytes, Extent extent) {
  const bool all = extent == Extent::whole && bytes.size() <= most_encoding_bytes;
  return detect_encoding(bytes.substr(0, most_encoding_bytes), all ? Extent::whole : Extent::beginning);
}

Result<bool> is_stale(FileSystem& files, const VersionBook& book, const std::string& real_path, const FileStat& now) {
  const std::optional<SeenFile> seen = book.find(real_path);
  if (!seen) return false;
  const bool same = seen->version == version_of(now);
  if (same && (seen->sha256.empty() || !is_doubtful(*seen))) return false;
  // A file that was touched, or copied back, is still the one that was seen.
  if (seen->sha256.empty() || now.size != seen->version.size) return true;
  const Result<LoadedFile> loaded = load_file(files, real_path, VersionBook::most_hashed_bytes);
  if (!loaded) return !same;  // it may be written, but not read
  return sha256(loaded->bytes) != seen->sha256;
}

}  // namespace talaria
