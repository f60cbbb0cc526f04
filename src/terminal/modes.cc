#include "terminal/modes.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace talaria {
namespace {

constexpr unsigned char escape = 0x1b, cancel = 0x18, substitute = 0x1a;
// No sequence we look for is near this long; what is longer is read to its end and forgotten.
constexpr size_t most_parameters = 128;

struct InputMode {
  int number;
  std::string_view name;
};
constexpr std::array<InputMode, 9> input_mode_names = {{{1, "1"},
                                                        {1000, "1000"},
                                                        {1002, "1002"},
                                                        {1003, "1003"},
                                                        {1004, "1004"},
                                                        {1005, "1005"},
                                                        {1006, "1006"},
                                                        {1015, "1015"},
                                                        {2004, "2004"}}};

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
    const auto known = std::ranges::find(input_mode_names, mode, &InputMode::name);
    if (known == input_mode_names.end()) continue;
    if (on) input_modes_.insert(known->number);
    else input_modes_.erase(known->number);
  }
}

void ModeTracker::reset() {
  bracketed_paste_ = application_cursor_ = false;
  input_modes_.clear();
}

}  // namespace talaria
