#include "code/script_output.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

Result<std::string> read_whole(const ByteSource& source, uint64_t begin, uint64_t end) {
  std::string bytes;
  while (begin + bytes.size() < end) {
    const std::string part = TRY(source.read(begin + bytes.size(), static_cast<size_t>(end - begin - bytes.size())));
    if (part.empty()) break;
    bytes += part;
  }
  return bytes;
}

std::string_view without_split_end(std::string_view bytes) {
  for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
    const Utf8Step step = decode_utf8(bytes.substr(bytes.size() - back));
    if (step.kind == Utf8Step::Kind::incomplete) return bytes.substr(0, bytes.size() - back);
  }
  return bytes;
}

std::string_view without_split_start(std::string_view bytes) {
  for (size_t dropped = 0; dropped < 3 && !bytes.empty() && (bytes[0] & 0xC0) == 0x80; ++dropped) {
    bytes.remove_prefix(1);
  }
  return bytes;
}

std::string limit_text(size_t max_bytes) {
  return max_bytes < 1000 ? std::to_string(max_bytes) + " bytes" : std::to_string(max_bytes / 1000) + "KB";
}

std::string count_text(uint64_t bytes) { return with_commas(bytes) + (bytes == 1 ? " byte" : " bytes"); }

// The stretches that are there and wanted: [0, head_end) and [tail_begin, size).
struct Stretches {
  uint64_t head_end = 0;
  uint64_t tail_begin = 0;
  uint64_t lost = 0;  // of what is between them, what nobody has any more
};

Stretches choose(const ByteSource& source, size_t max_bytes) {
  const uint64_t lost_end = std::min(source.lost_end, source.size);
  const bool lost = source.lost_begin < lost_end;
  const uint64_t head_there = lost ? source.lost_begin : source.size;
  const uint64_t tail_there = lost ? source.size - lost_end : source.size;
  // What one side does not need, the other may have.
  const uint64_t tail_share = max_bytes - head_share(max_bytes);
  const uint64_t head = std::min(head_there, max_bytes - std::min(tail_there, tail_share));
  const uint64_t tail = std::min(tail_there, max_bytes - head);
  return {head, source.size - tail, lost ? lost_end - source.lost_begin : 0};
}

}  // namespace

ScriptOutput join_around_gap(std::string_view head, std::string_view tail, uint64_t total_bytes, const GapLine& line) {
  head = without_split_end(head);
  tail = without_split_start(tail);
  ScriptOutput output{.text = clean(head, Collapse::yes), .truncated = true, .total_bytes = total_bytes};
  output.left_out_bytes = total_bytes - head.size() - tail.size();
  output.gap_begin = output.text.size();
  if (!output.text.empty() && output.text.back() != '\n') output.text += '\n';
  output.text += line(output.left_out_bytes) + '\n';
  output.gap_end = output.text.size();
  output.text += clean(tail, Collapse::yes);
  return output;
}

Result<ScriptOutput> script_output(const ByteSource& source, size_t max_bytes) {
  const Stretches stretches = choose(source, max_bytes);
  if (stretches.head_end >= stretches.tail_begin && stretches.lost == 0) {
    const std::string bytes = TRY(read_whole(source, 0, source.size));
    if (bytes.size() == source.size)
      return ScriptOutput{.text = clean(bytes, Collapse::yes), .total_bytes = source.size};
    return join_around_gap(bytes, {}, source.size,
                           [](uint64_t lost) { return "[output lost] " + count_text(lost) + " not readable"; });
  }
  const std::string head = TRY(read_whole(source, 0, stretches.head_end));
  const std::string tail = TRY(read_whole(source, stretches.tail_begin, source.size));
  const bool whole = source.size - stretches.lost <= max_bytes;
  return join_around_gap(head, tail, source.size, [&](uint64_t left_out) {
    // Only what was lost is missing, so it is not the limit that was met.
    if (whole) return "[output lost] " + count_text(left_out) + " not kept";
    std::string line = "[output truncated at " + limit_text(max_bytes) + "] " + count_text(left_out) + " left out";
    if (stretches.lost > 0) line += ", " + count_text(stretches.lost) + " of them not kept";
    return line;
  });
}

}  // namespace talaria
