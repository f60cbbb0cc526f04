#pragma once
#include <string>
#include <string_view>

namespace talaria {

// Takes a terminal's output apart: into text of whole characters and sequences in one piece, however the bytes were
// cut. What a picture cannot hold (commands to the operating system, device control strings) is left out, but for the
// title. Memory is bounded.
class OutputPieces {
 public:
  class Reader {
   public:
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    virtual ~Reader() = default;
    // Valid UTF-8, at most 1,000 bytes, with control characters of one byte. False: what is not ASCII is no longer
    // wanted, until something else comes.
    virtual bool take_text(std::string_view text) = 0;
    // ESC and what follows, complete and short.
    virtual void take_sequence(std::string_view sequence) = 0;
    virtual void take_title(std::string_view bytes) = 0;
  };

  explicit OutputPieces(Reader& reader) : reader_(reader) {}
  void feed(std::string_view bytes);
  // Text waits for what may belong to it, a sequence or many more bytes; now its reader has it. False: see take_text.
  bool flush();
  // Bytes are missing here: what was begun will never end.
  void drop_unfinished();

 private:
  enum class State { ground, escape, csi, string, string_escape };

  size_t step(std::string_view bytes);
  size_t step_ground(std::string_view bytes);
  size_t step_character(std::string_view bytes);
  size_t step_sequence(unsigned char byte);
  size_t step_string(unsigned char byte);
  void begin_sequence();
  void begin_string(char kind);
  void end_sequence();
  void end_string();
  void put(std::string_view text);

  Reader& reader_;
  State state_ = State::ground;
  std::string text_;
  std::string pending_;    // the start of a character
  std::string sequence_;   // being read: a sequence, or what a string began with
  bool after_c2_ = false;  // inside a string: the first byte of a C1 character
  size_t others_ = 0;      // characters beyond ASCII in a row
  bool wants_others_ = true;
};

}  // namespace talaria
