#include "code/frame.h"

#include <algorithm>

namespace talaria {
namespace {

// A buffer that grew for one large frame is not kept for small ones.
constexpr size_t worth_keeping = 256 << 10;

}  // namespace

std::optional<uint32_t> ScriptFrames::length() const {
  if (held() < script_frame_header) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = script_frame_header; i > 0; --i) {
    length = length << 8 | static_cast<unsigned char>(buffer_[position_ + i - 1]);
  }
  return length;
}

void ScriptFrames::feed(std::string_view bytes) {
  let_go();
  if (skip_ && held() == 0) {
    const size_t count = static_cast<size_t>(std::min<uint64_t>(skip_->left, bytes.size()));
    skip_->left -= count;
    bytes.remove_prefix(count);
  }
  buffer_ += bytes;
}

std::optional<ScriptFrame> ScriptFrames::next() {
  let_go();
  if (!skip_) {
    const std::optional<uint32_t> bytes = length();
    if (!bytes) return std::nullopt;
    if (*bytes <= longest_script_frame) {
      if (held() - script_frame_header < *bytes) return std::nullopt;
      const std::string_view text = std::string_view(buffer_).substr(position_ + script_frame_header, *bytes);
      position_ += script_frame_header + *bytes;
      return ScriptFrame{ScriptFrame::Kind::message, text, *bytes};
    }
    skip(ScriptFrame::Kind::oversize, *bytes);
  }
  const size_t count = static_cast<size_t>(std::min<uint64_t>(skip_->left, held()));
  position_ += count;
  skip_->left -= count;
  if (skip_->left > 0) return std::nullopt;
  const ScriptFrame passed_over{skip_->kind, {}, skip_->bytes};
  skip_.reset();
  return passed_over;
}

void ScriptFrames::refuse() {
  const std::optional<uint32_t> bytes = length();
  if (skip_ || !bytes || held() - script_frame_header >= *bytes) return;
  skip(ScriptFrame::Kind::refused, *bytes);
  const size_t count = held();
  position_ += count;
  skip_->left -= count;
  let_go();
}

void ScriptFrames::skip(ScriptFrame::Kind kind, uint64_t bytes) {
  position_ += script_frame_header;
  skip_ = Skip{kind, bytes, bytes};
}

void ScriptFrames::let_go() {
  if (position_ == buffer_.size()) {
    buffer_.clear();
    if (buffer_.capacity() > worth_keeping) buffer_.shrink_to_fit();
    position_ = 0;
  } else if (position_ > worth_keeping) {
    buffer_.erase(0, position_);
    position_ = 0;
  }
}

std::string encode_script_frame(std::initializer_list<std::string_view> json) {
  size_t length = 0;
  for (const std::string_view part : json) length += part.size();
  std::string frame;
  frame.reserve(script_frame_header + length);
  for (size_t i = 0; i < script_frame_header; ++i) frame += static_cast<char>(length >> (8 * i) & 0xFF);
  for (const std::string_view part : json) frame += part;
  return frame;
}

}  // namespace talaria
