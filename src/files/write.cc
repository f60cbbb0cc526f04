#include "files/write.h"

#include <cerrno>

#include "files/failure.h"
#include "files/loaded_file.h"
#include "files/sha256.h"
#include "files/staged_file.h"
#include "files/text_encoding.h"
#include "files/write_target.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t looked_at_bytes = 1 << 20;

struct Manner {
  TextEncoding encoding;
  bool crlf = false;
};

// How the existing file is written, by its beginning; one that cannot be read has no manner.
Manner manner_of(FileSystem& files, const std::string& real_path) {
  const Result<OpenedFile> file = files.open(real_path, {.read = true, .no_follow = true});
  if (!file) return {};
  const Result<std::string> bytes = read_at(file->fd.get(), 0, looked_at_bytes);
  if (!bytes) return {};
  const std::optional<TextEncoding> encoding = encoding_of(*bytes);
  if (!encoding) return {};
  const std::string text = decode_text(*bytes, *encoding);
  size_t crlf = 0;
  size_t bare = 0;
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    ++(at > 0 && text[at - 1] == '\r' ? crlf : bare);
  return {*encoding, crlf > bare};
}

std::string with_crlf(std::string_view text) {
  std::string changed;
  changed.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '\n') changed += '\r';
    changed += c;
  }
  return changed;
}

// The content as the existing file would have it.
std::string in_manner(std::string_view content, Manner& manner) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (manner.encoding.byte_order_mark && content.starts_with(mark)) content.remove_prefix(mark.size());
  const bool convert = manner.crlf && content.find("\r\n") == std::string_view::npos;
  const std::string text = convert ? with_crlf(content) : std::string(content);
  if (std::optional<std::string> bytes = encode_text(text, manner.encoding)) return *std::move(bytes);
  manner.encoding = {};  // it has characters that the old charset has not
  return text;
}

Result<FileStat> put(FileSystem& files, const WriteTarget& target, std::string_view bytes, CheckVersion check,
                     std::string& note) {
  StagedFile staged = TRY(StagedFile::write(files, {target.real_path, target.existing}, bytes));
  note = staged.note();
  if (check == CheckVersion::yes) TRY(check_unchanged(files, target));
  const bool must_be_new = check == CheckVersion::yes && !target.existing;
  return staged.commit(must_be_new ? FileSystem::Existing::kept : FileSystem::Existing::replaced);
}

JsonObject stale(const std::string& path) {
  JsonObject object =
      failure("write " + path + ": the file changed since it was read; read it again, or write with force=true", path);
  object["stale"] = true;
  return object;
}

}  // namespace

JsonObject write_file(FileSystem& files, FileGate& gate, VersionBook& book, PathLocks& locks,
                      const WriteRequest& request) {
  const std::string& path = request.shown_path;
  const auto failed = [&](const Error& error) { return failure("write " + path + ": " + error.message(), path); };
  const Result<std::string> real_path = files.real_path(request.path);
  if (!real_path) return failed(real_path.error());
  if (const auto permit = gate.permit(FileUse::write, request.path, *real_path); !permit)
    return failure(permit.error(), path);
  const Result<PathLocks::Hold> hold = locks.hold({*real_path});
  if (!hold) return failed(hold.error());
  const Result<WriteTarget> target = look_at_target(files, *real_path);
  if (!target) return failed(target.error());
  // Only one who read the file has an idea of it that could be wrong.
  const bool cares = request.overwrite == Overwrite::unless_changed && book.find(*real_path).has_value();
  if (cares && target->existing) {
    const Result<bool> changed = is_stale(files, book, *real_path, *target->existing);
    if (!changed) return failed(changed.error());
    if (*changed) return stale(path);
  }
  Manner manner = target->existing ? manner_of(files, *real_path) : Manner();
  const std::string bytes = in_manner(request.content, manner);
  std::string note;
  const Result<FileStat> written = put(files, *target, bytes, cares ? CheckVersion::yes : CheckVersion::no, note);
  if (!written && (written.error().code() == ErrorCode::conflict || written.error().number() == EEXIST))
    return stale(path);
  if (!written)
    return failed(Error(written.error().code(),
                        written.error().message() + (target->existing ? "; the old file is unchanged" : "")));
  const std::string digest = sha256(bytes);
  book.saw(*real_path, version_of(*written), bytes.size() <= VersionBook::most_hashed_bytes ? digest : "");
  remove_leftovers(files, *real_path);
  JsonObject object{{"path", valid_utf8(path)},
                    {"bytes_written", bytes.size()},
                    {"created", !target->existing.has_value()},
                    {"sha256", digest}};
  if (manner.encoding != TextEncoding()) object["encoding"] = encoding_name(manner.encoding);
  if (!note.empty()) object["note"] = note;
  return object;
}

}  // namespace talaria
