#include "skills/skill_file_content.h"

#include "base/utf8.h"

namespace talaria {
namespace {

bool is_odd_control(char32_t character) {
  return character < 0x20 && character != '\t' && character != '\n' && character != '\r' && character != '\f' &&
         character != 0x1b;
}

}  // namespace

bool is_readable_text(std::string_view bytes) {
  size_t odd = 0;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const Utf8Step step = decode_utf8(rest);
    if (step.character == 0) return false;
    if (step.kind != Utf8Step::Kind::character || is_odd_control(step.character)) odd += step.length;
    rest.remove_prefix(step.length);
  }
  // A few Latin-1 letters make no binary.
  return odd * 10 <= bytes.size();
}

}  // namespace talaria
