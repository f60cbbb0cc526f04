#include "files/line_scan.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace talaria {
namespace {

constexpr size_t block_bytes = 256 << 10;

// Eight bytes at a time, each counted in a byte of its own, which holds up to 255.
uint64_t count_line_ends(std::string_view bytes) {
  constexpr uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
  constexpr uint64_t even_bytes = 0x00ff00ff00ff00ff;
  uint64_t count = 0;
  size_t i = 0;
  while (i + 8 <= bytes.size()) {
    const size_t words = std::min<size_t>((bytes.size() - i) / 8, 255);
    uint64_t counters = 0;
    for (size_t word = 0; word < words; ++word, i += 8) {
      uint64_t different;  // a byte of it is zero where there is a line end
      std::memcpy(&different, bytes.data() + i, 8);
      different ^= 0x0a0a0a0a0a0a0a0a;
      counters += ~(((different & low_bits) + low_bits) | different | low_bits) >> 7;
    }
    const uint64_t pairs = (counters & even_bytes) + (counters >> 8 & even_bytes);
    count += pairs * 0x0001000100010001 >> 48;
  }
  for (; i < bytes.size(); ++i) count += bytes[i] == '\n' ? 1 : 0;
  return count;
}

// Behind the `wanted`th line end.
size_t behind_line_end(std::string_view bytes, uint64_t wanted) {
  size_t at = 0;
  for (uint64_t i = 0; i < wanted; ++i) at = bytes.find('\n', at) + 1;
  return at;
}

Error was_cancelled() { return {ErrorCode::cancelled, "cancelled"}; }

bool is_set(const std::atomic<bool>* flag) { return flag && flag->load(std::memory_order_relaxed); }

}  // namespace

Result<LineSpan> find_lines(PlacedBytes& source, uint64_t first, uint64_t count, const std::atomic<bool>* cancelled) {
  const uint64_t ends_before = first - 1;
  const uint64_t ends_with = ends_before + std::min(count, UINT64_MAX - ends_before);
  std::string block(block_bytes, '\0');
  LineSpan span;
  uint64_t ends = 0;  // line ends seen
  uint64_t offset = 0;
  bool begun = ends_before == 0;
  bool finished = false;
  char last = '\n';
  while (true) {
    if (is_set(cancelled)) return was_cancelled();
    if (const uint64_t data = source.behind_hole(offset); data > offset) {
      offset = data;
      last = '\0';
    }
    const std::string_view bytes(block.data(), TRY(source.read(offset, block.data(), block.size())));
    const uint64_t here = count_line_ends(bytes);
    if (!begun && ends + here >= ends_before) {
      begun = true;
      span.begin = offset + behind_line_end(bytes, ends_before - ends);
    }
    if (begun && !finished && ends + here >= ends_with) {
      finished = true;
      span.end = offset + behind_line_end(bytes, ends_with - ends);
    }
    ends += here;
    offset += bytes.size();
    if (!bytes.empty()) last = bytes.back();
    if (bytes.size() < block.size()) break;
  }
  span.total_lines = ends + (last == '\n' ? 0 : 1);
  if (!begun) span.begin = offset;
  if (!finished) span.end = offset;
  span.lines = span.total_lines <= ends_before ? 0 : std::min(count, span.total_lines - ends_before);
  return span;
}

Result<std::vector<RawLine>> read_lines(PlacedBytes& source, const LineSpan& span, size_t most_line_bytes,
                                        size_t most_bytes, const std::atomic<bool>* cancelled) {
  std::vector<RawLine> lines;
  std::string block(block_bytes, '\0');
  RawLine line;
  size_t total = 0;
  for (uint64_t offset = span.begin; offset < span.end && total < most_bytes;) {
    if (is_set(cancelled)) return was_cancelled();
    const size_t wanted = std::min<uint64_t>(block.size(), span.end - offset);
    std::string_view bytes(block.data(), TRY(source.read(offset, block.data(), wanted)));
    if (bytes.empty()) break;  // it was cut meanwhile
    offset += bytes.size();
    while (!bytes.empty() && total < most_bytes) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      const std::string_view part = bytes.substr(0, std::min(end, most_line_bytes - line.bytes.size()));
      line.bytes += part;
      line.cut = line.cut || part.size() < end;
      bytes.remove_prefix(end);
      if (bytes.empty()) break;
      bytes.remove_prefix(1);
      total += line.bytes.size() + 1;
      lines.push_back(std::exchange(line, {}));
    }
  }
  if (lines.size() < span.lines && total < most_bytes) lines.push_back(std::move(line));
  return lines;
}

}  // namespace talaria
