#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "os/fd.h"

namespace talaria {

// One message between gateway and keeper: a JSON header for what may grow, raw bytes for what is long (output, argv,
// environment), and passed fds. On the wire: two 32-bit little-endian lengths (header, payload), header, payload; the
// fds travel with the first byte.
struct Frame {
  JsonObject header;
  std::string payload;
  std::vector<UniqueFd> fds;
};

inline constexpr size_t max_frame_header = 1 << 20;
inline constexpr size_t max_frame_payload = 16 << 20;

std::string encode_frame(const JsonObject& header, std::string_view payload = {});

// Puts frames together from a stream that arrives in any pieces.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole frame, nothing when more bytes are needed, an error when this can never become a frame.
  Result<std::optional<Frame>> next();
  // At least so many bytes are missing to the next frame: who reads no more than that reads into no other frame.
  size_t missing() const;
  // Bytes that were fed and are in no frame yet.
  size_t left() const { return buffer_.size() - used_; }

 private:
  std::string buffer_;
  size_t used_ = 0;
};

// Strings in a payload, each ended by a NUL.
std::string pack_strings(const std::vector<std::string>& strings);
// Exactly `count` of them from the front of `payload`, which moves on.
Result<std::vector<std::string>> unpack_strings(std::string_view& payload, size_t count);

}  // namespace talaria
