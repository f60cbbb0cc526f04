#include "files/read.h"

#include <algorithm>
#include <cerrno>

#include "base/magic.h"
#include "base/text.h"
#include "base/unseen.h"
#include "files/failure.h"
#include "files/loaded_file.h"
#include "files/page.h"
#include "files/sha256.h"
#include "files/similar_files.h"
#include "os/file.h"

namespace talaria {
namespace {

JsonObject why_not_opened(FileSystem& files, const FileGate& gate, const ReadRequest& request, const Error& error) {
  const std::string& path = request.shown_path;
  if (error.number() == EISDIR)
    return failure(
        "read " + shown_line(path) + ": it is a directory; search_files with target=\"files\" lists what is in it",
        path);
  if (error.number() != ENOENT)
    return failure("read " + shown_line(path) + ": " + reason_of(error, {request.path}) +
                       (error.number() == ENOTDIR ? where_looked_for(path, request.path) : ""),
                   path);
  JsonObject object =
      failure("read " + shown_line(path) + ": no such file" + where_looked_for(path, request.path), path);
  JsonArray similar;
  for (const std::string& name : similar_files(files, gate, request.path, path))
    similar.push_back(Json(valid_utf8(name)));
  object["similar_files"] = std::move(similar);
  return object;
}

JsonObject is_binary(const ReadRequest& request, std::string_view head, uint64_t size) {
  const std::string_view mime = mime_of(head);
  JsonObject object = failure("read " + shown_line(request.shown_path) + ": it is a binary file (" + std::string(mime) +
                                  ", " + human_bytes(size) + "), not text",
                              request.shown_path);
  object["is_binary"] = true;
  object["mime"] = mime;
  object["file_size"] = size;
  return object;
}

// The file's bytes as lines are to be found in them.
struct Text {
  TextEncoding encoding;
  Charset charset = Charset::utf8;  // of the bytes: the encoding's, unless they were decoded already
  uint64_t mark = 0;                // bytes in front that are no text
};

Result<LinePage> page_of(PlacedBytes& source, LineSpan span, const Text& text, const ReadRequest& request) {
  if (span.begin == 0 && span.lines > 0) span.begin = text.mark;
  if (request.audience == Audience::agent) {
    const std::vector<RawLine> lines =
        TRY(read_lines(source, span, most_agent_line_bytes, most_agent_bytes, request.cancelled));
    LinePage page = agent_page(lines, request.offset, text.charset);
    page.too_large = page.lines < span.lines;
    return page;
  }
  const uint64_t wanted = span.end - span.begin;
  std::string bytes(std::min<uint64_t>(wanted, most_program_bytes + 1), '\0');
  bytes.resize(TRY(source.read(span.begin, bytes.data(), bytes.size())));
  return program_page(bytes, text.charset, bytes.size() < wanted ? Extent::beginning : Extent::whole);
}

std::string hint_of(const LineSpan& span, const LinePage& page, const ReadRequest& request) {
  std::vector<std::string> hints;
  if (span.total_lines == 0) {
    hints.emplace_back("The file is empty.");
  } else if (span.lines == 0) {
    hints.push_back("The file has " + std::to_string(span.total_lines) + (span.total_lines == 1 ? " line" : " lines") +
                    "; offset " + std::to_string(request.offset) + " is beyond its end.");
  } else if (page.line_cut) {
    hints.push_back("Line " + std::to_string(request.offset) + " is too long to be shown whole: it has " +
                    human_bytes(page.line_bytes) + ", and only its first " + human_bytes(page.content.size()) +
                    " are here.");
  }
  if (page.broken)
    hints.emplace_back("The content has bytes that are not UTF-8, shown as U+FFFD; writing it back would change them.");
  return join(hints, " ");
}

JsonObject describe(const ReadRequest& request, uint64_t file_size, const LineSpan& span, const Text& text,
                    LinePage page) {
  JsonObject object{{"path", valid_utf8(request.shown_path)},
                    {"total_lines", span.total_lines},
                    {"file_size", file_size},
                    {"offset", request.offset},
                    {"lines_returned", page.lines}};
  const uint64_t next = request.offset + page.lines;
  const bool more = page.lines > 0 && next <= span.total_lines;
  object["truncated"] = more || page.line_cut;
  if (more) object["next_offset"] = next;
  if (more || page.line_cut) object["truncated_by"] = page.too_large ? "bytes" : "lines";
  object["encoding"] = encoding_name(text.encoding);
  if (const std::string hint = hint_of(span, page, request); !hint.empty()) object["hint"] = hint;
  object["content"] = page.content;
  return object;
}

Result<JsonObject> read_text(PlacedBytes& source, uint64_t file_size, Text text, const ReadRequest& request) {
  LineSpan span = TRY(find_lines(source, request.offset, request.limit, request.cancelled));
  if (text.mark > 0 && span.total_lines == 1 && file_size == text.mark) span = {};  // a mark alone is an empty file
  LinePage page = TRY(page_of(source, span, text, request));
  if (page.line_cut) {
    const LineSpan line = TRY(find_lines(source, request.offset, 1, request.cancelled));
    page.line_bytes = line.end - line.begin;
  }
  return describe(request, file_size, span, text, std::move(page));
}

// The beginning of a file, or all of a small one, so that it is read only once.
struct Head {
  std::string bytes;
  Extent extent = Extent::beginning;
  uint64_t file_size = 0;
};

Result<Head> read_head(const OpenedFile& file) {
  const bool small = file.stat.size <= VersionBook::most_hashed_bytes;
  const size_t wanted = most_encoding_bytes + (small ? file.stat.size : 0);
  Head head{TRY(read_at(file.fd.get(), 0, wanted))};
  if (head.bytes.size() < wanted) head.extent = Extent::whole;
  // What is made as it is read, as in /proc, has no size before.
  head.file_size = head.extent == Extent::whole ? head.bytes.size() : file.stat.size;
  return head;
}

Result<JsonObject> read_utf16(const OpenedFile& file, const Head& head, const TextEncoding& encoding,
                              const ReadRequest& request) {
  if (head.file_size > most_utf16_bytes)
    return invalid("a UTF-16 file is read up to " + human_bytes(most_utf16_bytes) + ", and it has " +
                   human_bytes(head.file_size));
  const bool whole = head.extent == Extent::whole;
  const std::string decoded =
      decode_text(whole ? head.bytes : TRY(read_at(file.fd.get(), 0, most_utf16_bytes)), encoding);
  TextSource source(decoded);
  return read_text(source, head.file_size, {encoding}, request);
}

Result<JsonObject> read_opened(const OpenedFile& file, const Head& head, const TextEncoding& encoding,
                               const ReadRequest& request) {
  if (encoding.charset == Charset::utf16le || encoding.charset == Charset::utf16be)
    return read_utf16(file, head, encoding, request);
  OpenFileSource large(file.fd.get());
  TextSource small(head.bytes);
  PlacedBytes& source = head.extent == Extent::whole ? static_cast<PlacedBytes&>(small) : large;
  return read_text(source, head.file_size, {encoding, encoding.charset, byte_order_mark(encoding).size()}, request);
}

}  // namespace

JsonObject read_file(FileSystem& files, FileGate& gate, VersionBook& book, const ReadRequest& asked) {
  ReadRequest request = asked;
  request.offset = std::max<uint64_t>(request.offset, 1);
  request.limit = std::max<uint64_t>(request.limit, 1);
  const Result<OpenedFile> file = files.open(request.path, {.read = true});
  if (!file) return why_not_opened(files, gate, request, file.error());
  const auto failed = [&](const Error& error) {
    return failure("read " + shown_line(request.shown_path) + ": " + reason_of(error, {request.path, file->real_path}),
                   request.shown_path);
  };
  if (const auto permit = gate.permit(FileUse::read, request.path, file->real_path); !permit)
    return failed(permit.error());
  const Result<Head> head = read_head(*file);
  if (!head) return failed(head.error());
  const std::optional<TextEncoding> encoding = encoding_of(head->bytes, head->extent);
  if (!encoding) return is_binary(request, head->bytes, head->file_size);
  Result<JsonObject> result = read_opened(*file, *head, *encoding, request);
  if (!result) return failed(result.error());
  book.saw(file->real_path, version_of(file->stat), head->extent == Extent::whole ? sha256(head->bytes) : "");
  return *std::move(result);
}

}  // namespace talaria
