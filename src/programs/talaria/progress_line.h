#pragma once
#include "json/json.h"
#include "talaria/print.h"

namespace talaria {

// What a program says of its progress, on stderr: one line that the next one overwrites on a terminal, lines of their
// own elsewhere.
class ProgressLine {
 public:
  // {message, fraction?}
  void show(const JsonObject& news);
  void clear();

 private:
  bool terminal_ = is_terminal(2);
  bool shown_ = false;
};

}  // namespace talaria
