#include "files/search_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/utf8.h"
#include "files/rg_event.h"
#include "json/json.h"

namespace talaria {
namespace {

constexpr size_t most_line_bytes = 4 << 20;
constexpr size_t most_path_piece = 64 << 10;
constexpr size_t most_complaint_bytes = 4 << 10;

// The number in front, which is then removed.
std::optional<uint64_t> take_digits(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace

bool SearchReader::takes(std::string_view path) {
  named_files_ = true;
  return filter_.judge(path) == SearchFilter::Answer::taken;
}

void SearchReader::complain(std::string_view text) {
  if (text.empty() || complaint_.size() > most_complaint_bytes) return;
  if (!complaint_.empty()) complaint_ += '\n';
  complaint_ += text.substr(0, most_complaint_bytes);
}

RgReader::RgReader(const SearchFilter& filter, MatchPage& page, size_t most_text_bytes)
    : SearchReader(filter),
      page_(page),
      most_text_bytes_(most_text_bytes),
      lines_('\n', most_line_bytes, R"("},"line_number":)") {}

void RgReader::take(std::string_view output) {
  lines_.feed(output, [this](const OutputLines::Line& line) { take_line(line); });
}

void RgReader::take_line(const OutputLines::Line& line) {
  switch (kind_of_rg_line(line.bytes)) {
    case RgEvent::Kind::begin: {
      finish();
      const std::optional<RgEvent> event = parse_rg_line(line.bytes, 0);
      if (!event) return;
      const std::string path(plain_path(event->path));
      in_file_ = takes(path);
      if (in_file_) page_.begin_file(path);
      return;
    }
    case RgEvent::Kind::match: return take_match(line);
    case RgEvent::Kind::context: {
      if (!in_file_ || !page_.wants_lines()) return;
      const std::optional<RgEvent> event = parse_rg_line(line.bytes, most_text_bytes_);
      if (event) page_.context(event->line, event->text);
      return;
    }
    case RgEvent::Kind::end: return finish();
    case RgEvent::Kind::summary: return;
    case RgEvent::Kind::other: return complain(line.bytes);
  }
}

void RgReader::take_match(const OutputLines::Line& line) {
  if (!in_file_) return;
  if (!page_.wants_lines()) return page_.count();
  if (!line.whole) return take_cut_match(line);
  const std::optional<RgEvent> event = parse_rg_line(line.bytes, most_text_bytes_);
  if (event) page_.match(event->line, event->column, event->text);
  else page_.count();
}

// A line of many megabytes, as some programs write them: its beginning, and its number from behind it.
void RgReader::take_cut_match(const OutputLines::Line& line) {
  constexpr std::string_view start = R"("lines":{"text":")";
  std::string text;
  if (const size_t at = line.bytes.find(start); at != std::string_view::npos) {
    std::string_view part = line.bytes.substr(at + start.size());
    part = part.substr(0, cut_at_or_before(part, std::min(part.size(), most_text_bytes_)));
    // An escape that was cut through is at most six characters long.
    for (size_t less = 0; less <= 6 && less < part.size(); ++less) {
      const Result<Json> decoded = parse_json("\"" + std::string(part.substr(0, part.size() - less)) + "\"");
      if (!decoded || !decoded->is_string()) continue;
      text.assign(decoded->get_string().data(), decoded->get_string().size());
      break;
    }
  }
  std::string_view number = line.behind_mark;
  page_.match(take_digits(number).value_or(1), 1, text);
}

void RgReader::finish() {
  if (in_file_) page_.end_file();
  in_file_ = false;
}

MatchLineReader::MatchLineReader(const SearchFilter& filter, MatchPage& page, size_t most_text_bytes, std::string root,
                                 const std::optional<GrepPattern>& pattern)
    : SearchReader(filter),
      page_(page),
      most_text_bytes_(most_text_bytes),
      root_(std::move(root)),
      lines_('\n', most_line_bytes),
      columns_told_(!pattern) {
  if (columns_told_) return;
  auto regex = std::make_unique<regex_t>();
  const int flags = REG_EXTENDED | (pattern->letters == LetterCase::ignored ? REG_ICASE : 0);
  if (::regcomp(regex.get(), pattern->text.c_str(), flags) == 0) regex_.reset(regex.release());
}

void MatchLineReader::take(std::string_view output) {
  lines_.feed(output, [this](const OutputLines::Line& line) { take_line(line); });
}

void MatchLineReader::change_file(std::string_view path) {
  if (path == path_) return;
  if (in_file_) page_.end_file();
  path_ = path;
  const std::string plain(plain_path(path));
  in_file_ = takes(plain);
  if (in_file_) page_.begin_file(plain);
}

void MatchLineReader::take_line(const OutputLines::Line& line) {
  if (line.bytes == "--" && path_start_.empty()) return;
  const size_t zero = line.bytes.find('\0');
  if (zero == std::string_view::npos) return take_part_of_path(line.bytes);
  const std::string_view name = line.bytes.substr(0, zero);
  if (begins_path(name)) drop_start_of_path();
  const std::string_view rest = line.bytes.substr(zero + 1);
  if (path_start_.empty()) return take_numbered(name, rest);
  take_numbered(std::exchange(path_start_, "") + std::string(name), rest);
}

// Each path begins with the root, which may itself have a line end in it.
bool MatchLineReader::begins_path(std::string_view line) const {
  const size_t end = root_.find('\n');
  if (end != std::string::npos) return line == std::string_view(root_).substr(0, end);
  if (!line.starts_with(root_)) return false;
  return root_.ends_with('/') || line.size() == root_.size() || line[root_.size()] == '/';
}

// A line without a path is a part of one that has line ends in it, or a complaint.
void MatchLineReader::take_part_of_path(std::string_view line) {
  if (begins_path(line)) drop_start_of_path();
  else if (path_start_.empty()) return complain(line);
  if (path_start_.size() < most_path_piece) path_start_ += std::string(line) + "\n";
}

// It was a complaint after all: another path begins.
void MatchLineReader::drop_start_of_path() { complain(std::exchange(path_start_, "")); }

void MatchLineReader::take_numbered(std::string_view path, std::string_view rest) {
  const std::optional<uint64_t> number = take_digits(rest);
  if (!number || rest.empty() || (rest[0] != ':' && rest[0] != '-')) return complain(path);
  change_file(path);
  const bool is_match = rest[0] == ':';
  if (!in_file_) return;
  if (!page_.wants_lines()) {
    if (is_match) page_.count();
    return;
  }
  rest.remove_prefix(1);
  take_text(*number, is_match, rest);
}

void MatchLineReader::take_text(uint64_t line, bool is_match, std::string_view rest) {
  std::optional<uint64_t> bytes;
  if (columns_told_ && is_match) {
    bytes = take_digits(rest);
    if (!rest.empty()) rest.remove_prefix(1);  // the colon
  }
  if (columns_told_ && rest.ends_with('\r')) rest.remove_suffix(1);
  const std::string text(rest.substr(0, cut_at_or_before(rest, std::min(rest.size(), most_text_bytes_))));
  if (!is_match) return page_.context(line, text);
  if (!bytes) return page_.match(line, column_of(text), text);
  // Of a line too long to keep, the rest counts as if every character had one byte.
  const uint64_t before = std::max<uint64_t>(*bytes, 1) - 1, kept = std::min<uint64_t>(before, rest.size());
  page_.match(line, 1 + count_characters(rest.substr(0, kept)) + (before - kept), text);
}

uint64_t MatchLineReader::column_of(const std::string& text) const {
  regmatch_t found{};
  if (!regex_ || ::regexec(regex_.get(), text.c_str(), 1, &found, 0) != 0 || found.rm_so < 0) return 1;
  return 1 + count_characters(std::string_view(text).substr(0, static_cast<size_t>(found.rm_so)));
}

void MatchLineReader::finish() {
  if (in_file_) page_.end_file();
  in_file_ = false;
  drop_start_of_path();
  complain(lines_.rest());
}

PathReader::PathReader(const SearchFilter& filter, PathPage& page, SearchFormat format)
    : SearchReader(filter), page_(page), format_(format), pieces_('\0', most_path_piece) {}

void PathReader::take(std::string_view output) {
  pieces_.feed(output, [this](const OutputLines::Line& piece) {
    if (piece.whole) take_piece(piece.bytes);
  });
}

void PathReader::add(std::string_view path, uint64_t count) {
  path = plain_path(path);
  if (!path.empty() && takes(path)) page_.add(std::string(path), count);
}

// "NUMBER newline" of the path before; gives what follows.
std::string_view PathReader::take_number(std::string_view piece) {
  const std::optional<uint64_t> number = take_digits(piece);
  if (number && piece.starts_with('\n')) piece.remove_prefix(1);
  if (number && (*number > 0 || format_ == SearchFormat::listed_paths)) add(*path_, *number);
  path_.reset();
  return piece;
}

void PathReader::take_piece(std::string_view piece) {
  if (format_ == SearchFormat::paths) return add(piece, 1);
  if (path_) piece = take_number(piece);
  path_ = piece;
}

void PathReader::finish() {
  std::string_view rest = pieces_.rest();
  if (path_) rest = take_number(rest);
  while (rest.ends_with('\n')) rest.remove_suffix(1);
  complain(rest);
}

}  // namespace talaria
