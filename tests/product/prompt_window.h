#pragma once
#include <termios.h>

#include <string>
#include <vector>

#include "os/fd.h"
#include "product/house.h"

namespace talaria {

// A person's terminal in a house, with a program in it that asks questions.
class PromptWindow {
 public:
  PromptWindow(House& house, const std::string& program, std::vector<std::string> arguments,
               unsigned short columns = 200);
  ~PromptWindow();
  PromptWindow(const PromptWindow&) = delete;
  PromptWindow& operator=(const PromptWindow&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& bytes);
  // Reads until it has shown `text` that many times; fails the test when it never does.
  void await_output(const std::string& text, int times = 1);
  // Of the terminal, also after the program has ended.
  termios settings() const;
  // As it was before the program started.
  const termios& first_settings() const { return first_settings_; }
  bool echoes() const { return (settings().c_lflag & ECHO) != 0; }
  // Its exit code, or 128 + the signal it died of, when it has ended.
  int finish();
  const std::string& shown() const { return shown_; }

 private:
  bool read_some(int timeout_ms);

  pid_t pid_ = 0;
  UniqueFd master_, side_;
  termios first_settings_{};
  std::string shown_;
};

}  // namespace talaria
