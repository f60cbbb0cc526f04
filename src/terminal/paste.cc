#include "terminal/paste.h"

namespace talaria {
namespace {

constexpr std::string_view begin_of_paste = "\x1b[200~";
constexpr std::string_view end_of_paste = "\x1b[201~";

// The last two write CSI as the single character U+009B.
constexpr std::string_view removed[] = {begin_of_paste, end_of_paste,
                                        "\xC2\x9B"
                                        "200~",
                                        "\xC2\x9B"
                                        "201~"};

}  // namespace

std::string paste_bytes(std::string_view text, Bracketed bracketed) {
  std::string body;
  body.reserve(text.size() + begin_of_paste.size() + end_of_paste.size());
  char previous = '\0';
  for (char c : text) {
    const bool second_half_of_crlf = c == '\n' && previous == '\r';
    previous = c;
    if (second_half_of_crlf) continue;
    body += c == '\n' ? '\r' : c;
    if (c != '~') continue;
    // Checked where a sequence ends, on what is left so far: one that re-forms is met again at its own '~'.
    for (std::string_view sequence : removed) {
      if (body.ends_with(sequence)) body.resize(body.size() - sequence.size());
    }
  }
  if (bracketed == Bracketed::no) return body;
  body.insert(0, begin_of_paste);
  return body.append(end_of_paste);
}

}  // namespace talaria
