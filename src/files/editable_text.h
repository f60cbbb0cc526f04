#pragma once
#include <string>
#include <string_view>

#include "files/file_system.h"
#include "files/loaded_file.h"
#include "files/text_encoding.h"

namespace talaria {

inline constexpr uint64_t most_patched_bytes = 64 << 20;

// A file's text, to be changed and written back the way it was: UTF-8 byte for byte, others in their own charset.
struct EditableText {
  std::string text;
  TextEncoding encoding;

  // Errors say why these bytes cannot be edited: they are no text, or would not come back as they were.
  static Result<EditableText> of(std::string_view bytes);
  // The bytes of a changed text in the same encoding.
  Result<std::string> encode(std::string_view changed) const;
};

}  // namespace talaria
