#pragma once
#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <memory_resource>

#include "base/clock.h"

namespace talaria {

// Counts bytes that are taken and given back, by any number of arenas and threads.
class MemoryMeter {
 public:
  void add(size_t bytes);
  void remove(size_t bytes) { now_ -= bytes; }
  size_t now() const { return now_; }
  size_t most() const { return most_; }
  // Forgets what was more than now.
  void begin_again() { most_ = now_.load(); }

 private:
  std::atomic<size_t> now_{0};
  std::atomic<size_t> most_{0};
};

// All memory of one page: mapped from the system, reused by size, given back to it all at once. It never has more than
// `most_bytes` mapped. A parser written in C that asks here for memory cannot be stopped by an exception; when the
// bytes or the time are used up, it is left by longjmp. What is C++ takes its memory as from any memory_resource, and
// gets a bad_alloc.
class HtmlArena : public std::pmr::memory_resource {
 public:
  enum class End { none, memory, time };

  HtmlArena(size_t most_bytes, Clock::time_point deadline, MemoryMeter* meter = nullptr)
      : most_bytes_(most_bytes), deadline_(deadline), meter_(meter) {}
  ~HtmlArena() override;
  HtmlArena(const HtmlArena&) = delete;
  HtmlArena& operator=(const HtmlArena&) = delete;

  // Where take() jumps to when it cannot go on. No frame between the two may hold an object with a destructor.
  std::jmp_buf& escape() { return escape_; }
  End end() const { return end_; }

  void* take(size_t size);
  void give_back(void* memory);

  size_t mapped() const { return mapped_; }

 private:
  static constexpr size_t class_count = 80;
  struct Header {
    size_t size_class;
  };
  struct Free {
    Free* next;
  };
  // At the start of each mapping. Those of many small blocks stay until the end, those of one large block go with it.
  struct Mapping {
    Mapping* next;
    Mapping* previous;
    size_t length;
    Header header;  // of the large block
  };

  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* memory, size_t, size_t) override { give_back(memory); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  // These give nothing when the bytes are used up.
  void* find(size_t size);
  void* fresh(size_t size);
  void* large(size_t size);
  Mapping* map(size_t size);
  void unmap(Mapping* mapping);
  [[noreturn]] void leave(End why);

  size_t most_bytes_;
  Clock::time_point deadline_;
  MemoryMeter* meter_;
  std::jmp_buf escape_{};
  End end_ = End::none;
  Mapping* mappings_ = nullptr;
  size_t mapped_ = 0;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
  unsigned since_look_ = 0;
  Free* free_[class_count] = {};
};

}  // namespace talaria
