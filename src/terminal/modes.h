#pragma once
#include <set>
#include <string>
#include <string_view>

namespace talaria {

// Watches a terminal's output for the modes that decide how input must be sent. Sequences may be split anywhere.
class ModeTracker {
 public:
  void feed(std::string_view bytes);

  bool bracketed_paste() const { return bracketed_paste_; }
  bool application_cursor() const { return application_cursor_; }
  // The private modes that are on of those that decide what a terminal sends: 1, 2004, the mouse's, …
  const std::set<int>& input_modes() const { return input_modes_; }

 private:
  enum class State { ground, escape, after_c2, csi };

  void step(unsigned char byte);
  void finish_csi(char final);
  void set_private_modes(bool on);
  void reset();

  State state_ = State::ground;
  std::string parameters_;  // of the control sequence being read
  bool bracketed_paste_ = false;
  bool application_cursor_ = false;
  std::set<int> input_modes_;
};

}  // namespace talaria
