#include "base/json_escape.h"

namespace talaria {
namespace {

void append_unit(std::string& text, unsigned unit) {
  constexpr char digits[] = "0123456789abcdef";
  text += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(unit >> shift) & 15];
}

}  // namespace

void append_json_escape(std::string& text, char32_t character) {
  if (character < 0x10000) return append_unit(text, character);
  append_unit(text, 0xd800 + ((character - 0x10000) >> 10));
  append_unit(text, 0xdc00 + ((character - 0x10000) & 0x3ff));
}

}  // namespace talaria
