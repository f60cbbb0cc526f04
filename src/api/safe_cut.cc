#include "api/safe_cut.h"

#include <algorithm>

#include "base/utf8.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t longest_sequence = 4096;
constexpr char escape_byte = '\x1b';

bool is_final(unsigned char byte) { return byte >= 0x40 && byte <= 0x7e; }

// Whether the sequence that starts with the ESC at the front is over before the end.
bool sequence_is_whole(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  if (bytes[1] == '[') {
    const auto final = std::find_if(bytes.begin() + 2, bytes.end(), [](char c) {
      return is_final(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) < 0x20;
    });
    return final != bytes.end();
  }
  if (std::string_view("]PX^_").find(bytes[1]) != std::string_view::npos) {
    return bytes.find('\a') != std::string_view::npos || bytes.find("\x1b\\", 2) != std::string_view::npos;
  }
  if (bytes[1] >= 0x20 && bytes[1] <= 0x2f) return bytes.size() > 2;
  return true;
}

}  // namespace

size_t whole_part(std::string_view bytes) {
  const size_t from = bytes.size() - std::min(bytes.size(), longest_sequence);
  for (size_t at = bytes.find(escape_byte, from); at != std::string_view::npos; at = bytes.find(escape_byte, at + 1)) {
    if (!sequence_is_whole(bytes.substr(at))) return at;
  }
  size_t end = bytes.size();
  if (end > 0 && bytes[end - 1] == '\r') return end - 1;
  for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
    const Utf8Step step = decode_utf8(bytes.substr(bytes.size() - back));
    if (step.kind == Utf8Step::Kind::incomplete) end = bytes.size() - back;
  }
  return end;
}

size_t part_that_fits(std::string_view bytes, size_t most_characters) {
  size_t length = bytes.size();
  while (length > 1) {
    const size_t characters = count_characters(clean(bytes.substr(0, length)));
    if (characters <= most_characters) break;
    const double ratio = static_cast<double>(most_characters) / static_cast<double>(characters);
    length = std::clamp<size_t>(static_cast<size_t>(static_cast<double>(length) * ratio), 1, length - 1);
  }
  if (length == bytes.size()) return length;
  const size_t line = bytes.substr(0, length).rfind('\n');
  if (line != std::string_view::npos && line + 1 > length / 2) return line + 1;
  return std::max<size_t>(whole_part(bytes.substr(0, length)), std::min<size_t>(1, bytes.size()));
}

}  // namespace talaria
