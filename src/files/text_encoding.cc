#include "files/text_encoding.h"

#include <algorithm>
#include <cstdint>

#include "base/magic.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::string_view utf16le_mark = "\xff\xfe";
constexpr std::string_view utf16be_mark = "\xfe\xff";

// Western text has a zero in every second byte of UTF-16, always on the same side.
std::optional<Charset> guess_utf16(std::string_view bytes, Extent extent) {
  if (bytes.size() < 4 || (extent == Extent::whole && bytes.size() % 2 != 0)) return std::nullopt;
  size_t zeros[2] = {0, 0};
  for (size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0' ? 1 : 0;
  const size_t pairs = bytes.size() / 2;
  if (zeros[1] * 10 >= pairs * 7 && zeros[0] * 50 <= pairs) return Charset::utf16le;
  if (zeros[0] * 10 >= pairs * 7 && zeros[1] * 50 <= pairs) return Charset::utf16be;
  return std::nullopt;
}

bool looks_like_latin1(std::string_view bytes) {
  size_t controls = 0;
  size_t high = 0;
  size_t high_controls = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x80) ++high;
    if (byte >= 0x80 && byte < 0xa0) ++high_controls;
    if ((byte < 0x20 && std::string_view("\t\n\r\f\b\x1b").find(c) == std::string_view::npos) || byte == 0x7f)
      ++controls;
  }
  return controls * 100 <= bytes.size() && high_controls * 10 <= bytes.size() && high * 4 <= bytes.size() * 3;
}

char16_t unit_at(std::string_view bytes, size_t i, Charset charset) {
  const auto first = static_cast<uint8_t>(bytes[i]);
  const auto second = static_cast<uint8_t>(bytes[i + 1]);
  return static_cast<char16_t>(charset == Charset::utf16le ? first | second << 8 : first << 8 | second);
}

std::string from_utf16(std::string_view bytes, Charset charset) {
  std::string text;
  text.reserve(bytes.size());
  size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    const char16_t unit = unit_at(bytes, i, charset);
    if (unit < 0xd800 || unit > 0xdfff) {
      append_utf8(text, unit);
      continue;
    }
    const char16_t next = unit < 0xdc00 && i + 3 < bytes.size() ? unit_at(bytes, i + 2, charset) : char16_t{0};
    if (next >= 0xdc00 && next <= 0xdfff) {
      append_utf8(text, 0x10000 + ((char32_t{unit} - 0xd800) << 10) + (char32_t{next} - 0xdc00));
      i += 2;
    } else {
      append_utf8(text, 0xfffd);
    }
  }
  if (i < bytes.size()) append_utf8(text, 0xfffd);
  return text;
}

std::string to_utf16(std::string_view text, Charset charset) {
  std::string bytes;
  bytes.reserve(text.size() * 2);
  const auto put = [&](char32_t unit) {
    const char low = static_cast<char>(unit);
    const char high = static_cast<char>(unit >> 8);
    bytes += charset == Charset::utf16le ? low : high;
    bytes += charset == Charset::utf16le ? high : low;
  };
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    text.remove_prefix(step.length);
    if (step.character < 0x10000) {
      put(step.character);
      continue;
    }
    put(0xd800 + ((step.character - 0x10000) >> 10));
    put(0xdc00 + ((step.character - 0x10000) & 0x3ff));
  }
  return bytes;
}

std::optional<std::string> to_latin1(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    if (step.character > 0xff) return std::nullopt;
    bytes += static_cast<char>(step.character);
    text.remove_prefix(step.length);
  }
  return bytes;
}

}  // namespace

std::string_view encoding_name(const TextEncoding& encoding) {
  switch (encoding.charset) {
    case Charset::utf8: return encoding.byte_order_mark ? "utf-8-bom" : "utf-8";
    case Charset::utf16le: return "utf-16le";
    case Charset::utf16be: return "utf-16be";
    case Charset::latin1: return "latin-1";
  }
  return "utf-8";
}

bool is_sound_utf8(std::string_view bytes, Extent extent) {
  if (extent == Extent::beginning) {
    // What the end cut off may be whole in the file.
    for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
      const std::string_view tail = bytes.substr(bytes.size() - back);
      if ((static_cast<uint8_t>(tail[0]) & 0xc0) == 0x80) continue;
      if (decode_utf8(tail).kind == Utf8Step::Kind::incomplete) bytes.remove_suffix(back);
      break;
    }
  }
  return is_utf8(bytes);
}

std::optional<TextEncoding> detect_encoding(std::string_view bytes, Extent extent) {
  if (bytes.starts_with(utf16le_mark) && !bytes.starts_with(std::string_view("\xff\xfe\0\0", 4)))
    return TextEncoding{Charset::utf16le, true};
  if (bytes.starts_with(utf16be_mark)) return TextEncoding{Charset::utf16be, true};
  if (bytes.find('\0') != std::string_view::npos) {
    const std::optional<Charset> guess = mime_of(bytes) == unknown_mime ? guess_utf16(bytes, extent) : std::nullopt;
    return guess ? std::optional(TextEncoding{*guess, false}) : std::nullopt;
  }
  if (is_sound_utf8(bytes, extent)) return TextEncoding{Charset::utf8, bytes.starts_with(utf8_mark)};
  if (mime_of(bytes) == unknown_mime && looks_like_latin1(bytes)) return TextEncoding{Charset::latin1, false};
  return std::nullopt;
}

std::string_view byte_order_mark(const TextEncoding& encoding) {
  if (!encoding.byte_order_mark) return {};
  switch (encoding.charset) {
    case Charset::utf8: return utf8_mark;
    case Charset::utf16le: return utf16le_mark;
    case Charset::utf16be: return utf16be_mark;
    case Charset::latin1: break;
  }
  return {};
}

std::string decode_text(std::string_view bytes, const TextEncoding& encoding) {
  const std::string_view mark = byte_order_mark(encoding);
  if (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
  if (encoding.charset == Charset::utf8) return valid_utf8(bytes);
  if (encoding.charset != Charset::latin1) return from_utf16(bytes, encoding.charset);
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) append_utf8(text, static_cast<uint8_t>(c));
  return text;
}

std::optional<std::string> encode_text(std::string_view text, const TextEncoding& encoding) {
  const std::string mark(byte_order_mark(encoding));
  if (encoding.charset == Charset::utf8) return mark + std::string(text);
  if (encoding.charset == Charset::latin1) return to_latin1(text);
  return mark + to_utf16(text, encoding.charset);
}

std::string valid_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string valid;
  valid.reserve(text.size() + 16);
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    if (step.kind == Utf8Step::Kind::character) valid += text.substr(0, step.length);
    else append_utf8(valid, 0xfffd);
    text.remove_prefix(step.length);
  }
  return valid;
}

}  // namespace talaria
