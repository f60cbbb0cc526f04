#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// A channel between a script and us carries frames: a length of four bytes, little-endian, then so many bytes of JSON.
inline constexpr size_t longest_script_frame = 16 << 20;

// One frame that came, or the word that one was passed over.
struct ScriptFrame {
  enum class Kind {
    message,
    oversize,  // longer than a frame may be: its bytes were skipped
    refused,   // given up by refuse(): its bytes were skipped
  };
  Kind kind = Kind::message;
  std::string_view text = {};  // of a message; valid until the next call of a member of its ScriptFrames
  uint64_t bytes = 0;          // the length it announced

  bool operator==(const ScriptFrame&) const = default;
};

// Takes frames out of a stream that comes in pieces of any size.
class ScriptFrames {
 public:
  // Call next() until it gives nothing before feeding again: then never more than one frame and one piece is held.
  void feed(std::string_view bytes);
  std::optional<ScriptFrame> next();

  // Gives up the frame that is only partly there. Without one it does nothing.
  void refuse();
  // Bytes in memory.
  size_t held() const { return buffer_.size() - position_; }

 private:
  struct Skip {
    ScriptFrame::Kind kind;
    uint64_t bytes;
    uint64_t left;
  };
  std::optional<uint32_t> length() const;
  void skip(ScriptFrame::Kind kind, uint64_t bytes);
  void let_go();

  std::string buffer_;
  size_t position_ = 0;  // bytes before it are done with
  std::optional<Skip> skip_;
};

// `json` as a frame; of several parts, so that a large one need not be put together first.
std::string encode_script_frame(std::initializer_list<std::string_view> json);
inline std::string encode_script_frame(std::string_view json) { return encode_script_frame({json}); }
inline constexpr size_t script_frame_header = 4;

}  // namespace talaria
