#pragma once
#include <csetjmp>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/clock.h"

namespace talaria {

// The memory of one parse: taken in large pieces, reused by size, dropped all at once. A parser written in C that asks
// here for memory cannot be stopped by an exception; when the bytes or the time are used up, it is left by longjmp.
class HtmlArena {
 public:
  enum class End { none, memory, time };

  HtmlArena(size_t most_bytes, Clock::time_point deadline) : most_bytes_(most_bytes), deadline_(deadline) {}
  HtmlArena(const HtmlArena&) = delete;
  HtmlArena& operator=(const HtmlArena&) = delete;

  // Where take() jumps to when it cannot go on. No frame between the two may hold an object with a destructor.
  std::jmp_buf& escape() { return escape_; }
  End end() const { return end_; }

  void* take(size_t size);
  void give_back(void* memory);

 private:
  static constexpr size_t class_count = 40;
  struct Header {
    size_t size_class;
  };
  struct Free {
    Free* next;
  };

  void* fresh(size_t size);
  [[noreturn]] void leave(End why);

  size_t most_bytes_;
  Clock::time_point deadline_;
  std::jmp_buf escape_{};
  End end_ = End::none;
  std::vector<std::unique_ptr<std::byte[]>> pieces_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
  size_t used_ = 0;
  unsigned since_look_ = 0;
  Free* free_[class_count] = {};
};

}  // namespace talaria
