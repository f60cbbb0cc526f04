#include "files/write.h"

#include <cerrno>
#include <vector>

#include "base/text.h"
#include "base/unseen.h"
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
constexpr uint64_t most_checked_bytes = 64 << 20;

struct Manner {
  TextEncoding encoding;
  bool crlf = false;
  std::vector<std::string> notes;  // what is not kept of it
};

// Whether a file that begins as UTF-8 goes on so, as far as it is worth to look.
bool stays_utf8(int fd) {
  std::string bytes;
  for (uint64_t at = 0; at < most_checked_bytes; at += looked_at_bytes) {
    const Result<std::string> block = read_at(fd, at, looked_at_bytes);
    if (!block) return true;
    bytes += *block;
    const bool last = block->size() < looked_at_bytes;
    if (!is_sound_utf8(bytes, last ? Extent::whole : Extent::beginning)) return false;
    if (last) return true;
    // The last character may go on in the next block. All is sound so far, so it begins where no byte continues one.
    size_t begin = bytes.size() - 1;
    while (begin > 0 && (static_cast<uint8_t>(bytes[begin]) & 0xc0) == 0x80) --begin;
    bytes.erase(0, begin);
  }
  return true;
}

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
  Manner manner{*encoding, crlf > bare, {}};
  if (encoding->charset == Charset::utf8 && !stays_utf8(file->fd.get()))
    manner.notes.emplace_back("the old content had bytes that were not UTF-8, and they are gone");
  return manner;
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
  std::string text = convert ? with_crlf(content) : std::string(content);
  if (std::optional<std::string> bytes = encode_text(text, manner.encoding)) return *std::move(bytes);
  manner.notes.push_back("the file was " + std::string(encoding_name(manner.encoding)) +
                         " and is utf-8 now: the new content has characters that " +
                         std::string(encoding_name(manner.encoding)) + " does not have");
  manner.encoding = {};
  return text;
}

Result<FileStat> put(FileSystem& files, const WriteTarget& target, std::string_view bytes, CheckVersion check,
                     std::vector<std::string>& notes) {
  StagedFile staged = TRY(StagedFile::write(files, {target.real_path, target.existing}, bytes));
  if (!staged.note().empty()) notes.push_back(staged.note());
  if (check == CheckVersion::yes) TRY(check_unchanged(files, target));
  const bool must_be_new = check == CheckVersion::yes && !target.existing;
  return staged.commit(must_be_new ? FileSystem::Existing::kept : FileSystem::Existing::replaced);
}

JsonObject stale(const std::string& path) {
  JsonObject object = failure(
      "write " + shown_line(path) + ": the file changed since it was read; read it again, or write with force=true",
      path);
  object["stale"] = true;
  return object;
}

}  // namespace

JsonObject write_file(FileSystem& files, FileGate& gate, VersionBook& book, PathLocks& locks,
                      const WriteRequest& request) {
  const std::string& path = request.shown_path;
  std::string_view outcome = "";
  const Result<std::string> real_path = files.real_path(request.path);
  const auto failed = [&](const Error& error) {
    std::string reason = reason_of(error, {request.path, real_path ? *real_path : ""});
    if (error.number() == ENOTDIR || error.code() == ErrorCode::not_found) {
      reason += where_looked_for(path, request.path);
    }
    return failure("write " + shown_line(path) + ": " + reason + std::string(outcome), path);
  };
  if (path.ends_with('/') || request.path.ends_with('/'))
    return failed(invalid("a path that ends with / names a directory; give the path of a file in it"));
  if (!real_path) return failed(why_no_place(real_path.error()));
  if (const auto permit = gate.permit(FileUse::write, request.path, *real_path); !permit) return failed(permit.error());
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
  const CheckVersion check = cares ? CheckVersion::yes : CheckVersion::no;
  const Result<FileStat> written = put(files, *target, bytes, check, manner.notes);
  if (!written && (written.error().code() == ErrorCode::conflict || written.error().number() == EEXIST))
    return stale(path);
  if (target->existing) outcome = "; the old file is unchanged";
  if (!written) return failed(written.error());
  const std::string digest = sha256(bytes);
  book.saw(*real_path, version_of(*written), bytes.size() <= VersionBook::most_hashed_bytes ? digest : "");
  remove_leftovers(files, *real_path);
  JsonObject object{{"path", valid_utf8(path)},
                    {"bytes_written", bytes.size()},
                    {"created", !target->existing.has_value()},
                    {"sha256", digest}};
  if (manner.encoding != TextEncoding()) object["encoding"] = encoding_name(manner.encoding);
  if (!manner.notes.empty()) object["note"] = valid_utf8(join(manner.notes, "; "));
  return object;
}

}  // namespace talaria
