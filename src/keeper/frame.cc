#include "keeper/frame.h"

#include <cstring>

namespace talaria {
namespace {

constexpr size_t prefix_size = 8;

void put_u32(std::string& out, size_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}

size_t get_u32(const char* bytes) {
  size_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::string encode_frame(const JsonObject& header, std::string_view payload) {
  const std::string text = write_json(header);
  std::string frame;
  frame.reserve(prefix_size + text.size() + payload.size());
  put_u32(frame, text.size());
  put_u32(frame, payload.size());
  frame += text;
  frame += payload;
  return frame;
}

Result<std::optional<Frame>> FrameReader::next() {
  const size_t have = buffer_.size() - used_;
  if (have < prefix_size) return std::optional<Frame>();
  const char* at = buffer_.data() + used_;
  const size_t header = get_u32(at), payload = get_u32(at + 4);
  if (header > max_frame_header || payload > max_frame_payload) {
    return invalid("a frame of " + std::to_string(header) + " + " + std::to_string(payload) + " bytes is too large");
  }
  if (have < prefix_size + header + payload) return std::optional<Frame>();
  Frame frame;
  frame.header = TRY(parse_json_object(std::string_view(at + prefix_size, header)));
  frame.payload.assign(at + prefix_size + header, payload);
  used_ += prefix_size + header + payload;
  if (used_ == buffer_.size() || used_ > (64 << 10)) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  if (buffer_.empty() && buffer_.capacity() > (256 << 10)) buffer_.shrink_to_fit();
  return std::optional(std::move(frame));
}

size_t FrameReader::missing() const {
  const size_t have = buffer_.size() - used_;
  if (have < prefix_size) return prefix_size - have;
  const char* at = buffer_.data() + used_;
  const size_t whole = prefix_size + get_u32(at) + get_u32(at + 4);
  return whole > have ? whole - have : 0;
}

std::string pack_strings(const std::vector<std::string>& strings) {
  std::string packed;
  for (const std::string& string : strings) packed.append(string.c_str(), string.size() + 1);
  return packed;
}

Result<std::vector<std::string>> unpack_strings(std::string_view& payload, size_t count) {
  std::vector<std::string> strings;
  while (strings.size() < count) {
    const size_t end = payload.find('\0');
    if (end == std::string_view::npos) return invalid("a payload ends in the middle of its strings");
    strings.emplace_back(payload.substr(0, end));
    payload.remove_prefix(end + 1);
  }
  return strings;
}

}  // namespace talaria
