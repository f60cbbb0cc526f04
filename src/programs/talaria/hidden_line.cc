#include "talaria/hidden_line.h"

#include "config/wipe.h"

namespace talaria {

HiddenLine::HiddenLine(const EditingKeys& keys) : keys_(keys) { text_.reserve(longest + 1); }

HiddenLine::~HiddenLine() { wipe(text_); }

void HiddenLine::forget() {
  wipe(text_);
  sequence_ = Sequence::none;
}

// ESC [ … letter, ESC O letter, ESC letter.
bool HiddenLine::takes_part_of_key(char byte) {
  switch (sequence_) {
    case Sequence::none:
      if (byte != 0x1b) return false;
      sequence_ = Sequence::escape;
      return true;
    case Sequence::escape:
      sequence_ = byte == '[' ? Sequence::control : byte == 'O' ? Sequence::single : Sequence::none;
      // Escape, and then Enter.
      return byte != '\n' && byte != '\r';
    case Sequence::control:
      if (byte >= 0x40 && byte <= 0x7e) sequence_ = Sequence::none;
      return true;
    case Sequence::single: sequence_ = Sequence::none; return true;
  }
  return false;
}

void HiddenLine::erase_character() {
  while (!text_.empty()) {
    const bool continues = (text_.back() & 0xC0) == 0x80;
    text_.back() = 0;
    text_.pop_back();
    if (!continues) return;
  }
}

HiddenLine::State HiddenLine::take(char byte) {
  if (takes_part_of_key(byte)) return State::typing;
  if (byte == '\n' || byte == '\r') return State::entered;
  if (byte == 0) return State::typing;
  if (byte == keys_.end) return State::ended;
  if (byte == keys_.erase || byte == 0x7f || byte == 0x08) erase_character();
  else if (byte == keys_.erase_line || byte == keys_.erase_word) forget();
  else if (static_cast<unsigned char>(byte) >= 0x20 || byte == '\t') text_ += byte;
  return too_long() ? State::entered : State::typing;
}

}  // namespace talaria
