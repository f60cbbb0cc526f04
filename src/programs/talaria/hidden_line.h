#pragma once
#include <string>

namespace talaria {

// The keys of a terminal that change what was typed; 0 for a key that it has not.
struct EditingKeys {
  char erase = 0x7f;
  char erase_word = 0x17;
  char erase_line = 0x15;
  char end = 0x04;
};

// A line that a person types and does not see: each byte is taken as it comes, since a terminal's own editing ends at
// 4095 bytes and drops the rest. Arrows, other keys of several bytes and the marks around a paste are left out, because
// nobody would see that they are in the value.
class HiddenLine {
 public:
  enum class State { typing, entered, ended };  // ended: with Ctrl-D

  static constexpr size_t longest = 128 << 10;

  explicit HiddenLine(const EditingKeys& keys);
  ~HiddenLine();
  HiddenLine(const HiddenLine&) = delete;
  HiddenLine& operator=(const HiddenLine&) = delete;

  State take(char byte);
  // More was typed than `longest` bytes; the line ends there.
  bool too_long() const { return text_.size() > longest; }
  const std::string& text() const { return text_; }
  void forget();

 private:
  enum class Sequence { none, escape, control, single };

  bool takes_part_of_key(char byte);
  void erase_character();

  EditingKeys keys_;
  Sequence sequence_ = Sequence::none;
  std::string text_;
};

}  // namespace talaria
