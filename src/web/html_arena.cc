#include "web/html_arena.h"

#include <algorithm>
#include <bit>
#include <new>

namespace talaria {
namespace {

constexpr size_t piece_size = 1 << 20;
constexpr unsigned look_at_clock_every = 32;
constexpr size_t smallest_class = 4;  // 16 bytes

// Powers of two with one step between: 16, 24, 32, 48, 64 …
size_t class_of(size_t size) {
  const size_t bits = std::max<size_t>(std::bit_width(size - 1), smallest_class);
  const bool fits_middle = bits > smallest_class && size <= (size_t{3} << (bits - 2));
  return (bits - smallest_class) * 2 - (fits_middle ? 1 : 0);
}

size_t size_of(size_t size_class) {
  const size_t bits = smallest_class + (size_class + 1) / 2;
  return size_class % 2 == 0 ? size_t{1} << bits : size_t{3} << (bits - 2);
}

}  // namespace

void HtmlArena::leave(End why) {
  end_ = why;
  std::longjmp(escape_, 1);
}

void* HtmlArena::take(size_t size) {
  if (++since_look_ >= look_at_clock_every) {
    since_look_ = 0;
    if (Clock::now() >= deadline_) leave(End::time);
  }
  const size_t size_class = class_of(std::max<size_t>(size, 16));
  if (size_class >= class_count) leave(End::memory);
  if (Free* found = free_[size_class]) {
    free_[size_class] = found->next;
    return found;
  }
  auto* header = static_cast<Header*>(fresh(sizeof(Header) + size_of(size_class)));
  header->size_class = size_class;
  return header + 1;
}

void* HtmlArena::fresh(size_t size) {
  if (size > left_) {
    const size_t wanted = std::max(size, piece_size);
    used_ += wanted;
    if (used_ > most_bytes_) leave(End::memory);
    std::byte* piece = new (std::nothrow) std::byte[wanted];
    if (piece == nullptr) leave(End::memory);
    pieces_.emplace_back(piece);
    next_ = piece;
    left_ = wanted;
  }
  void* memory = next_;
  next_ += size;
  left_ -= size;
  return memory;
}

void HtmlArena::give_back(void* memory) {
  if (memory == nullptr) return;
  const size_t size_class = (static_cast<Header*>(memory) - 1)->size_class;
  auto* freed = static_cast<Free*>(memory);
  freed->next = free_[size_class];
  free_[size_class] = freed;
}

}  // namespace talaria
