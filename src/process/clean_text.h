#pragma once
#include <string>
#include <string_view>

namespace talaria {

// What a carriage return inside a line does.
enum class Collapse {
  no,   // starts a new line: nothing is lost, which is what old Mac files and logs need
  yes,  // the text after it replaces the line so far: a progress bar leaves only its last state
};

// Turns what a program printed into text that is safe to read, store and send: always valid UTF-8.
//
// Complete terminal sequences vanish (colours, titles, charset choices, images; also in their C1 forms). What is no
// complete sequence is shown: ESC as \x1b, other control characters as \x01, invisible and direction-changing
// characters as \u{202e}, broken UTF-8 as U+FFFD. Tabs and line feeds stay; CR LF, also CR CR LF, is one line feed.
// A sequence longer than 4,096 bytes is taken for a broken one and shown.
//
// Streaming: the output does not depend on how the input was cut into pieces. Memory is bounded.
class TextCleaner {
 public:
  explicit TextCleaner(Collapse collapse = Collapse::no) : collapse_(collapse) {}

  std::string feed(std::string_view bytes);
  // What was held back, because more could have followed. Afterwards the cleaner is as new.
  std::string finish();

 private:
  enum class State {
    ground,
    escape,       // ESC
    charset,      // ESC and bytes from space to '/'
    csi,          // ESC [
    text,         // ESC ] P X ^ _ : a string up to ST, or BEL for ESC ]
    text_escape,  // ESC inside such a string
  };

  size_t step(std::string_view bytes);
  size_t step_ground(std::string_view bytes);
  size_t step_pending(char byte);
  size_t step_escape(unsigned char byte);
  size_t step_csi(unsigned char byte);
  size_t step_text(unsigned char byte);
  size_t hold(unsigned char byte, State next);
  size_t drop_sequence();
  void show_held();
  void show_plain(std::string_view bytes);

  void put_character(char32_t character, std::string_view bytes);
  void put_control(unsigned char byte);
  void put(std::string_view unit);
  void put_run(std::string_view ascii);
  void put_line_feed();
  void put_carriage_return();
  void settle_carriage_return();
  void hold_line(std::string_view text);
  void spill_line();

  Collapse collapse_;
  State state_ = State::ground;
  bool bel_ends_ = false;         // the string is an OSC
  std::string held_;              // the sequence being read
  std::string pending_;           // the start of a character
  bool carriage_return_ = false;  // seen, and not yet known what it means
  bool line_empty_ = true;        // nothing since the last line end
  std::string line_;              // Collapse::yes only: the line so far
  bool line_spilled_ = false;     // part of it is out already, because it grew too long
  std::string out_;
};

std::string clean(std::string_view bytes, Collapse collapse = Collapse::no);

}  // namespace talaria
