#include "web/html_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "base/check.h"

namespace talaria {
namespace {

constexpr size_t piece_size = 1 << 20;
constexpr size_t page_size = 4096;
constexpr unsigned look_at_clock_every = 32;

// Exact to eight bytes up to 512, where nearly all blocks are; then powers of two with one step between: 768, 1024 …
constexpr size_t exact_up_to = 512;
constexpr size_t exact_classes = exact_up_to / 8;
constexpr size_t exact_bits = 9;
// From here on each block has a mapping of its own.
constexpr size_t large_from = 128 << 10;
constexpr size_t large_class = SIZE_MAX;

size_t class_of(size_t size) {
  if (size <= exact_up_to) return (size + 7) / 8 - 1;
  const size_t bits = std::bit_width(size - 1);
  const bool fits_middle = size <= (size_t{3} << (bits - 2));
  return exact_classes + (bits - exact_bits) * 2 - (fits_middle ? 2 : 1);
}

size_t size_of(size_t size_class) {
  if (size_class < exact_classes) return (size_class + 1) * 8;
  const size_t step = size_class - exact_classes;
  const size_t bits = exact_bits + 1 + step / 2;
  return step % 2 == 0 ? size_t{3} << (bits - 2) : size_t{1} << bits;
}

}  // namespace

void MemoryMeter::add(size_t bytes) {
  const size_t sum = now_ += bytes;
  size_t most = most_;
  while (most < sum && !most_.compare_exchange_weak(most, sum)) {
  }
}

HtmlArena::~HtmlArena() {
  while (mappings_ != nullptr) unmap(mappings_);
}

void HtmlArena::leave(End why) {
  end_ = why;
  std::longjmp(escape_, 1);
}

void* HtmlArena::take(size_t size) {
  if (++since_look_ >= look_at_clock_every) {
    since_look_ = 0;
    if (Clock::now() >= deadline_) leave(End::time);
  }
  void* memory = find(size);
  if (memory == nullptr) leave(End::memory);
  return memory;
}

void* HtmlArena::do_allocate(size_t bytes, size_t alignment) {
  CHECK(alignment <= sizeof(Header));
  void* memory = find(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* HtmlArena::find(size_t size) {
  if (size >= large_from) return large(size);
  const size_t size_class = class_of(std::max<size_t>(size, sizeof(Free)));
  if (Free* found = free_[size_class]) {
    free_[size_class] = found->next;
    return found;
  }
  auto* header = static_cast<Header*>(fresh(sizeof(Header) + size_of(size_class)));
  if (header == nullptr) return nullptr;
  header->size_class = size_class;
  return header + 1;
}

void* HtmlArena::fresh(size_t size) {
  if (size > left_) {
    Mapping* piece = map(std::max(size + sizeof(Mapping), piece_size));
    if (piece == nullptr) return nullptr;
    next_ = reinterpret_cast<std::byte*>(piece + 1);
    left_ = piece->length - sizeof(Mapping);
  }
  void* memory = next_;
  next_ += size;
  left_ -= size;
  return memory;
}

void* HtmlArena::large(size_t size) {
  if (size > most_bytes_) return nullptr;
  Mapping* block = map(size + sizeof(Mapping));
  if (block == nullptr) return nullptr;
  block->header.size_class = large_class;
  return block + 1;
}

HtmlArena::Mapping* HtmlArena::map(size_t size) {
  const size_t length = (size + page_size - 1) / page_size * page_size;
  if (length > most_bytes_ - mapped_) return nullptr;
  void* memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mapped_ += length;
  if (meter_ != nullptr) meter_->add(length);
  auto* mapping = new (memory) Mapping{mappings_, nullptr, length, {0}};
  if (mappings_ != nullptr) mappings_->previous = mapping;
  mappings_ = mapping;
  return mapping;
}

void HtmlArena::unmap(Mapping* mapping) {
  if (mapping->next != nullptr) mapping->next->previous = mapping->previous;
  (mapping->previous != nullptr ? mapping->previous->next : mappings_) = mapping->next;
  const size_t length = mapping->length;
  ::munmap(mapping, length);
  mapped_ -= length;
  if (meter_ != nullptr) meter_->remove(length);
}

void HtmlArena::give_back(void* memory) {
  if (memory == nullptr) return;
  const size_t size_class = (static_cast<Header*>(memory) - 1)->size_class;
  if (size_class == large_class) return unmap(static_cast<Mapping*>(memory) - 1);
  auto* freed = static_cast<Free*>(memory);
  freed->next = free_[size_class];
  free_[size_class] = freed;
}

}  // namespace talaria
