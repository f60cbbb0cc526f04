#include "rpc/line_reader.h"

namespace talaria {

void LineReader::append(std::string_view bytes) {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  buffer_ += bytes;
}

std::optional<LineReader::Line> LineReader::next() {
  while (true) {
    const size_t end = buffer_.find('\n', scanned_);
    if (end == std::string::npos) break;
    const std::string_view text(buffer_.data() + begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    if (skipping_) {
      skipping_ = false;
      continue;
    }
    if (text.size() > longest_) return Line{{}, true};
    return Line{text, false};
  }
  scanned_ = buffer_.size();
  if (!skipping_ && buffer_.size() - begin_ <= longest_) return std::nullopt;
  begin_ = scanned_;  // the start of a line nobody will read
  const bool first_notice = !skipping_;
  skipping_ = true;
  if (first_notice) return Line{{}, true};
  return std::nullopt;
}

}  // namespace talaria
