#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

enum class Charset { utf8, utf16le, utf16be, latin1 };

// How a text file's bytes are to be read.
struct TextEncoding {
  Charset charset = Charset::utf8;
  bool byte_order_mark = false;  // in front, and no part of the text
  bool operator==(const TextEncoding&) const = default;
};

// As programs meet it: "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "latin-1".
std::string_view encoding_name(const TextEncoding& encoding);

enum class Extent { whole, beginning };  // whether the bytes are all of a file, or may end inside a character

// nullopt: these bytes are no text.
std::optional<TextEncoding> detect_encoding(std::string_view bytes, Extent extent);

// Whether there is nothing in these bytes that UTF-8 does not know.
bool is_sound_utf8(std::string_view bytes, Extent extent);

std::string_view byte_order_mark(const TextEncoding& encoding);  // its bytes, or none

// The text as UTF-8, without the mark; what is broken becomes U+FFFD.
std::string decode_text(std::string_view bytes, const TextEncoding& encoding);
// The bytes, with the mark; nullopt if a character cannot be written so.
std::optional<std::string> encode_text(std::string_view text, const TextEncoding& encoding);

// The same, with each broken part as U+FFFD: JSON takes only valid UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace talaria
