#include "api/shown_output.h"

#include <algorithm>

#include "os/file.h"
#include "process/output_log.h"

namespace talaria {
namespace {

Result<> keep_in_file(const ByteSource& source, const std::string& file) {
  TRY(make_directories(file.substr(0, file.find_last_of('/'))));
  const std::string whole = TRY(source.read(0, static_cast<size_t>(source.size)));
  return write_file_atomically(file, whole, 0600, Durable::no);
}

// The cut may go through a secret on both of its sides.
std::string masked_excerpt(Excerpt part, const Mask& mask) {
  const size_t gap = part.truncated ? part.text.find(gap_line(part.left_out_bytes)) : std::string::npos;
  if (gap == std::string::npos) return mask.hide(std::move(part.text));
  const size_t tail = std::min(gap + gap_line(part.left_out_bytes).size() + 1, part.text.size());
  const size_t head = gap - std::min<size_t>(gap, 1);  // without the line end before the gap
  return mask.hide_cut(mask.hide(part.text.substr(0, head)), CutEnd::back) + part.text.substr(head, tail - head) +
         mask.hide_cut(mask.hide(part.text.substr(tail)), CutEnd::front);
}

}  // namespace

std::string way_to_the_rest(const std::string& job) {
  return "The rest is in the log: process log with sessionId " + job + ", by lines (offset, limit) or with grep.";
}

Result<ShownOutput> show_part(const ByteSource& source, const Mask& mask, size_t max_characters, Collapse collapse) {
  Excerpt part = TRY(excerpt(source, max_characters, collapse));
  ShownOutput shown;
  shown.truncated = part.truncated;
  shown.text = masked_excerpt(std::move(part), mask);
  return shown;
}

Result<ShownOutput> show_output(const ByteSource& source, const Mask& mask, size_t max_characters, Collapse collapse,
                                const std::string& folder) {
  ShownOutput shown = TRY(show_part(source, mask, max_characters, collapse));
  if (!shown.truncated) return shown;
  const std::string file = folder + "/output";
  if (!exists(file) && source.lost_begin == source.lost_end) {
    Result<> written = keep_in_file(source, file);
    if (!written) shown.file_error = written.error().message();
  }
  const Result<LogFiles> files = LogFiles::find(folder);
  if (!files || files->segments.empty() || files->segments.front().offset != 0) return shown;
  shown.file = file;
  shown.file_bytes = files->segments.front().size;
  return shown;
}

}  // namespace talaria
