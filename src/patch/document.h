#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// A text as the search sees it: without its byte order mark and with "\n" at the end of every line. It knows what
// stood there before, so that a change can be carried over to the original bytes. A text without any "\n" but with
// "\r" has its lines end in "\r".
class Document {
 public:
  // `original` must outlive the document.
  explicit Document(std::string_view original);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  std::string_view original() const { return original_; }
  std::string_view text() const { return text_; }

  // Where an offset of text() lies in the original.
  size_t original_offset(size_t offset) const;

  // What ends the line in the original whose "\n" is at this offset of text().
  std::string_view line_end(size_t newline) const;

  // `words` of a caller, with line ends as text() has them.
  std::string in_its_terms(std::string_view words) const;

  // `replacement`, made for text() from `begin` to `end`, with the line ends it should have in the original: those of
  // the lines it stands for, or of their neighbours.
  std::string with_line_ends(std::string_view replacement, size_t begin, size_t end) const;

 private:
  enum class LineEnds { line_feed, carriage_return, both_in_one, mixed };

  void find_line_ends();
  std::string_view line_end_near(size_t at) const;

  std::string_view original_;
  size_t mark_ = 0;    // the bytes of the byte order mark
  std::string owned_;  // what text_ shows when that is not a part of the original
  std::string_view text_;
  std::vector<size_t> returns_before_;  // offsets of the "\n" in text_ that had a "\r" before it, rising
  std::vector<size_t> newlines_;        // all of them, when they are mixed
  LineEnds line_ends_ = LineEnds::line_feed;
};

// The lines of a text without their ends. A final "\n" begins no further line.
std::vector<std::string_view> lines_of(std::string_view text);

// What stands between the "\n" of a text: always one piece more than there are of them.
std::vector<std::string_view> pieces_of(std::string_view text);

}  // namespace talaria
