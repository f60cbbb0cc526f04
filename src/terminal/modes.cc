#include "terminal/modes.h"

#include "base/text.h"

namespace talaria {
namespace {

constexpr unsigned char escape = 0x1b, cancel = 0x18, substitute = 0x1a;
// No sequence we look for is near this long; what is longer is read to its end and forgotten.
constexpr size_t most_parameters = 128;

}  // namespace

void ModeTracker::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::ground) {
      const size_t start = bytes.find_first_of("\x1b\xC2");
      if (start == std::string_view::npos) return;
      bytes.remove_prefix(start);
    }
    step(static_cast<unsigned char>(bytes.front()));
    bytes.remove_prefix(1);
  }
}

void ModeTracker::step(unsigned char byte) {
  const bool starts_csi = (state_ == State::escape && byte == '[') || (state_ == State::after_c2 && byte == 0x9B);
  if (starts_csi) {
    parameters_.clear();
    state_ = State::csi;
  } else if (byte == escape) {
    state_ = State::escape;
  } else if (state_ == State::csi && byte >= 0x20 && byte <= 0x3F) {
    if (parameters_.size() <= most_parameters) parameters_ += static_cast<char>(byte);
  } else if (state_ == State::csi && byte < 0x20 && byte != cancel && byte != substitute) {
    // Terminals obey a control character inside a sequence and read on.
  } else {
    if (state_ == State::csi && byte <= 0x7E) finish_csi(static_cast<char>(byte));
    if (state_ == State::escape && byte == 'c') reset();
    state_ = byte == 0xC2 ? State::after_c2 : State::ground;
  }
}

void ModeTracker::finish_csi(char final) {
  if (parameters_.size() > most_parameters) return;
  if (final == 'p' && parameters_ == "!") reset();
  if ((final == 'h' || final == 'l') && parameters_.starts_with('?')) set_private_modes(final == 'h');
}

void ModeTracker::set_private_modes(bool on) {
  for (const std::string& mode : split(std::string_view(parameters_).substr(1), ';')) {
    if (mode == "1") application_cursor_ = on;
    if (mode == "2004") bracketed_paste_ = on;
  }
}

void ModeTracker::reset() { bracketed_paste_ = application_cursor_ = false; }

}  // namespace talaria
