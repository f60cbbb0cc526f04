#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "code/script_output.h"
#include "loop/loop.h"
#include "os/fd.h"

namespace talaria {

// Collects what a script writes to stderr, in little memory whatever its amount: the head and the tail of it, and how
// much there was.
class ErrorText {
 public:
  // `pipe` is the end to read from.
  ErrorText(Loop& loop, UniqueFd pipe, size_t max_bytes = 10'000);
  ErrorText(const ErrorText&) = delete;
  ErrorText& operator=(const ErrorText&) = delete;

  // Reads what is in the pipe now, without waiting for more.
  void drain();
  // All since the last reset, or its head and tail around "[stderr truncated: 12,345 bytes left out]".
  ScriptOutput take() const;
  // Begins anew for the next run; what is in the pipe belongs to the last one.
  void reset();

  uint64_t total() const { return total_; }
  // Nobody can write to it any more.
  bool closed() const { return closed_; }

 private:
  void listen();
  size_t read_once();
  void add(std::string_view bytes);

  Loop& loop_;
  size_t head_max_;
  size_t tail_max_;
  UniqueFd pipe_;
  std::string head_;
  std::string tail_;
  uint64_t total_ = 0;
  bool closed_ = false;
  Loop::Timer retry_;  // the kernel did not let us watch the pipe
  Loop::Watch readable_;
};

}  // namespace talaria
