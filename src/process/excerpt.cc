#include "process/excerpt.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

// How many raw bytes we are ready to read for one character of text.
constexpr size_t bytes_for_character = 8;
// A cut moves at most this far to fall on a line end.
constexpr size_t nearby = 1024;
// Longer terminal sequences are rare, and cutting one only leaves a few odd characters.
constexpr size_t longest_sequence = 64;

size_t window_for(size_t characters) {
  constexpr size_t slack = 4096;
  const size_t most = (SIZE_MAX / 2 - slack) / bytes_for_character;
  return std::min(characters, most) * bytes_for_character + slack;
}

// What is there of [begin, end).
Result<std::string> read_range(const ByteSource& source, uint64_t begin, uint64_t end) {
  std::string bytes;
  while (begin + bytes.size() < end) {
    const std::string part = TRY(source.read(begin + bytes.size(), static_cast<size_t>(end - begin - bytes.size())));
    if (part.empty()) break;
    bytes += part;
  }
  return bytes;
}

// The control sequence (begin, end) that a cut at `at` would split.
std::optional<std::pair<size_t, size_t>> sequence_around(std::string_view bytes, size_t at) {
  const size_t from = at - std::min(at, longest_sequence);
  const size_t start = bytes.substr(from, at - from).rfind('\x1b');
  if (start == std::string_view::npos) return std::nullopt;
  size_t end = from + start + 1;
  if (end < bytes.size() && bytes[end] == '[') {
    ++end;
    while (end < bytes.size() && bytes[end] >= 0x20 && bytes[end] <= 0x3f) ++end;
  }
  end = std::min(end + 1, bytes.size());  // the final byte
  if (end <= at) return std::nullopt;
  return std::pair(from + start, end);
}

// The best place at or before `at` to end a head.
size_t head_cut(std::string_view bytes, size_t at) {
  const size_t line_end = at == 0 ? std::string_view::npos : bytes.rfind('\n', at - 1);
  if (line_end != std::string_view::npos && at - (line_end + 1) <= std::min(nearby, at / 4)) return line_end + 1;
  if (const auto sequence = sequence_around(bytes, at)) return sequence->first;
  return cut_at_or_before(bytes, at);
}

// The best place at or after `at` to begin a tail.
size_t tail_cut(std::string_view bytes, size_t at) {
  if (at == 0) return 0;
  const size_t line_end = bytes.find('\n', at - 1);
  const size_t most = std::min(nearby, (bytes.size() - at) / 4);
  if (line_end != std::string_view::npos && line_end + 1 - at <= most) return line_end + 1;
  if (const auto sequence = sequence_around(bytes, at)) return sequence->second;
  // The bytes may begin inside a character that we cannot see whole.
  size_t start = cut_at_or_after(bytes, at);
  for (size_t skipped = 0; skipped < 3 && start < bytes.size() && (bytes[start] & 0xC0) == 0x80; ++skipped) ++start;
  return start;
}

// Raw bytes kept, and what they read as.
struct Part {
  size_t kept = 0;
  std::string text;
  size_t characters = 0;
};

enum class End { head, tail };

// As much of `bytes`, from its head or its tail, as reads in `most` characters. `all` is false when `bytes` itself is
// only a window, so that its inner edge needs a good cut, too.
Part fit(std::string_view bytes, End end, size_t most, Collapse collapse, bool all) {
  if (bytes.empty()) return {};
  size_t wanted = bytes.size();
  while (true) {
    Part part;
    const bool cut = wanted < bytes.size() || !all;
    if (end == End::head) {
      part.kept = cut ? head_cut(bytes, wanted) : wanted;
      part.text = clean(bytes.substr(0, part.kept), collapse);
    } else {
      // At 0 there is no byte before to look at, so a window gives up its first one.
      const size_t start = bytes.size() - wanted;
      part.kept = bytes.size() - (cut ? tail_cut(bytes, std::clamp<size_t>(start, 1, bytes.size())) : start);
      part.text = clean(bytes.substr(bytes.size() - part.kept), collapse);
    }
    part.characters = count_characters(part.text);
    if (part.characters <= most || part.kept == 0) return part;
    // Near the right size at once if the text is even, and always smaller.
    const double ratio = static_cast<double>(most) / static_cast<double>(part.characters);
    wanted = std::min(static_cast<size_t>(static_cast<double>(part.kept) * ratio), part.kept - 1);
  }
}

Excerpt join_parts(const Part& head, const Part& tail, uint64_t left_out, size_t max_characters) {
  Excerpt result{head.text, left_out > 0, left_out};
  if (left_out > 0) {
    if (!result.text.empty() && result.text.back() != '\n') result.text += '\n';
    result.text += gap_line(left_out);
    if (!tail.text.empty()) result.text += '\n';
  }
  result.text += tail.text;
  result.text.resize(first_characters(result.text, max_characters).size());
  return result;
}

// The two stretches that are there: [0, head_end) and [tail_begin, size).
struct Extent {
  uint64_t head_end, tail_begin, size;
};

Extent extent_of(const ByteSource& source) {
  const uint64_t end = std::min(source.lost_end, source.size);
  if (source.lost_begin >= end) return {source.size, source.size, source.size};
  return {source.lost_begin, end, source.size};
}

}  // namespace

std::string gap_line(uint64_t bytes) {
  return "[… " + with_commas(bytes) + (bytes == 1 ? " byte" : " bytes") + " left out …]";
}

Result<Excerpt> excerpt(const ByteSource& source, size_t max_characters, Collapse collapse) {
  Extent extent = extent_of(source);
  const bool lost = extent.head_end < extent.tail_begin;
  const size_t window = window_for(max_characters);
  if (!lost && extent.size <= window) {
    const std::string bytes = TRY(read_range(source, 0, extent.size));
    std::string text = clean(bytes, collapse);
    if (bytes.size() == extent.size && count_characters(text) <= max_characters) return Excerpt{std::move(text)};
  }
  const size_t gap = count_characters(gap_line(source.size)) + 2;  // with a line end before and after
  const size_t room = max_characters - std::min(max_characters, gap);

  // The end says how it went, so it gets the larger share; what it does not need goes to the head, and back.
  const size_t tail_share = room - room * 2 / 5;
  const uint64_t tail_from =
      std::max<uint64_t>(lost ? extent.tail_begin : 0, extent.size - std::min<uint64_t>(window, extent.size));
  const std::string tail_bytes = TRY(read_range(source, tail_from, extent.size));
  const bool tail_whole = tail_from == (lost ? extent.tail_begin : 0);
  Part tail = fit(tail_bytes, End::tail, tail_share, collapse, tail_whole);

  const uint64_t head_to =
      std::min(lost ? extent.head_end : tail_from + tail_bytes.size() - tail.kept, static_cast<uint64_t>(window));
  const std::string head_bytes = TRY(read_range(source, 0, head_to));
  const Part head = fit(head_bytes, End::head, room - tail.characters, collapse, lost && head_to == extent.head_end);
  const bool spare = lost && head.kept == extent.head_end && tail.kept < tail_bytes.size();
  if (spare) tail = fit(tail_bytes, End::tail, room - head.characters, collapse, tail_whole);

  return join_parts(head, tail, source.size - head.kept - tail.kept, max_characters);
}

Result<std::string> tail_text(const ByteSource& source, size_t max_characters, Collapse collapse) {
  const Extent extent = extent_of(source);
  const uint64_t first = extent.tail_begin < extent.size ? extent.tail_begin : 0;
  const uint64_t end = extent.tail_begin < extent.size ? extent.size : extent.head_end;
  const uint64_t from = std::max<uint64_t>(first, end - std::min<uint64_t>(end, window_for(max_characters)));
  const std::string bytes = TRY(read_range(source, from, end));
  const size_t start = from > first && !bytes.empty() ? tail_cut(bytes, 1) : 0;
  const std::string text = clean(std::string_view(bytes).substr(start), collapse);
  return std::string(last_characters(text, max_characters));
}

}  // namespace talaria
