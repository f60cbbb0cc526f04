#include "terminal/output_pieces.h"

#include <algorithm>

#include "base/utf8.h"

namespace talaria {
namespace {

constexpr unsigned char esc = 0x1B, can = 0x18, sub = 0x1A, bel = 0x07, del = 0x7F;
constexpr size_t most_text = 1000;
// No sequence that means anything is as long, nor has as many parameters: libvterm has room for sixteen.
constexpr size_t most_sequence = 128;
constexpr long most_separators = 15;
constexpr size_t most_string = 1024;
constexpr size_t look_after = 64;

bool is_separator(char c) { return c == ';' || c == ':'; }

}  // namespace

void OutputPieces::feed(std::string_view bytes) {
  while (!bytes.empty()) bytes.remove_prefix(step(bytes));
}

void OutputPieces::drop_unfinished() {
  flush();
  pending_.clear();
  state_ = State::ground;
}

size_t OutputPieces::step(std::string_view bytes) {
  const auto byte = static_cast<unsigned char>(bytes.front());
  switch (state_) {
    case State::ground: return step_ground(bytes);
    case State::escape:
    case State::csi: return step_sequence(byte);
    case State::string:
    case State::string_escape: return step_string(byte);
  }
  return 1;
}

size_t OutputPieces::step_ground(std::string_view bytes) {
  if (!pending_.empty() || static_cast<unsigned char>(bytes.front()) >= 0x80) return step_character(bytes);
  const auto end = std::find_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || static_cast<unsigned char>(c) == esc;
  });
  const auto length = static_cast<size_t>(end - bytes.begin());
  if (length == 0) {
    begin_sequence();
    return 1;
  }
  wants_others_ = true;
  others_ = 0;
  put(bytes.substr(0, length));
  return length;
}

// One that may have begun in an earlier piece.
size_t OutputPieces::step_character(std::string_view bytes) {
  constexpr size_t longest = 4;
  const size_t held = pending_.size();
  pending_ += bytes.substr(0, longest - std::min(held, longest));
  const Utf8Step step = decode_utf8(pending_);
  if (step.kind == Utf8Step::Kind::incomplete) return pending_.size() - held;
  const std::string character = step.kind == Utf8Step::Kind::character ? pending_.substr(0, step.length) : "\uFFFD";
  pending_.clear();
  if (step.character >= 0x80 && step.character < 0xA0) {
    begin_sequence();
    step_sequence(static_cast<unsigned char>(step.character - 0x40));  // a C1 control stands for ESC and this
  } else if (wants_others_) {
    put(character);
    // Asked at places that do not depend on how the bytes were cut.
    if (++others_ % look_after == 0) wants_others_ = flush();
  }
  // What was held before was the beginning of this step, so the step is at least as long.
  return step.length - held;
}

void OutputPieces::put(std::string_view text) {
  while (!text.empty()) {
    size_t length = std::min(text.size(), most_text - text_.size());
    if (length < text.size()) length = cut_at_or_before(text, length);
    if (length == 0) flush();
    text_ += text.substr(0, length);
    text.remove_prefix(length);
  }
}

bool OutputPieces::flush() {
  if (text_.empty()) return true;
  const bool wants_more = reader_.take_text(text_);
  text_.clear();
  return wants_more;
}

void OutputPieces::begin_sequence() {
  sequence_ = static_cast<char>(esc);
  state_ = State::escape;
}

size_t OutputPieces::step_sequence(unsigned char byte) {
  if (byte == esc) return begin_sequence(), 1;
  if (byte >= 0x80) return state_ = State::ground, 0;  // no part of a sequence; what was read of it is nothing
  if (byte == can || byte == sub) return state_ = State::ground, 1;
  if (byte == del) return 1;
  if (byte < 0x20) {  // terminals obey a control character inside a sequence and read on
    const char control = static_cast<char>(byte);
    put(std::string_view(&control, 1));
    return 1;
  }
  if (sequence_.size() < most_sequence) sequence_ += static_cast<char>(byte);
  if (state_ == State::csi) {
    if (byte >= 0x40) end_sequence();
  } else if (byte == '[' && sequence_.size() == 2) {
    state_ = State::csi;
  } else if (sequence_.size() == 2 && std::string_view("]PX^_").find(static_cast<char>(byte)) != std::string::npos) {
    begin_string(static_cast<char>(byte));
  } else if (byte >= 0x30) {
    end_sequence();
  }
  return 1;
}

void OutputPieces::end_sequence() {
  state_ = State::ground;
  const bool too_long = sequence_.size() >= most_sequence;
  if (too_long || std::count_if(sequence_.begin(), sequence_.end(), is_separator) > most_separators) return;
  flush();
  reader_.take_sequence(sequence_);
}

void OutputPieces::begin_string(char kind) {
  sequence_ = kind;
  after_c2_ = false;
  state_ = State::string;
}

size_t OutputPieces::step_string(unsigned char byte) {
  if (state_ == State::string_escape) {
    if (byte == '\\') return end_string(), 1;
    begin_sequence();  // the string was broken off
    return 0;
  }
  if (byte == esc) return state_ = State::string_escape, 1;
  if (byte == can || byte == sub) return state_ = State::ground, 1;
  if (byte == bel && sequence_.front() == ']') return end_string(), 1;
  if (after_c2_ && byte == 0x9C) {
    if (sequence_.back() == '\xC2') sequence_.pop_back();
    return end_string(), 1;
  }
  after_c2_ = byte == 0xC2;
  if (sequence_.size() < most_string) sequence_ += static_cast<char>(byte);
  return 1;
}

void OutputPieces::end_string() {
  state_ = State::ground;
  const std::string_view string = sequence_;
  if (string.starts_with("]0;") || string.starts_with("]2;")) reader_.take_title(string.substr(3));
}

}  // namespace talaria
