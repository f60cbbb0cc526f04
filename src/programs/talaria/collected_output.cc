#include "talaria/collected_output.h"

#include <algorithm>

namespace talaria {
namespace {

constexpr size_t most_kept = 4 << 20;  // at each end: an excerpt reads less than that
constexpr size_t most_characters = 200'000;

}  // namespace

void CollectedOutput::add(std::string_view bytes) {
  size_ += bytes.size();
  const size_t for_head = std::min(bytes.size(), most_kept - head_.size());
  head_ += bytes.substr(0, for_head);
  tail_ += bytes.substr(for_head);
  // Rarely, so that moving what stays costs nothing.
  if (tail_.size() > 2 * most_kept) tail_.erase(0, tail_.size() - most_kept);
}

Excerpt CollectedOutput::shown() const {
  ByteSource source;
  source.size = size_;
  source.lost_begin = head_.size();
  source.lost_end = size_ - tail_.size();
  source.read = [this](uint64_t offset, size_t length) -> Result<std::string> {
    if (offset < head_.size()) return head_.substr(offset, length);
    const uint64_t tail_begin = size_ - tail_.size();
    return offset < tail_begin ? std::string() : tail_.substr(std::min(offset - tail_begin, tail_.size()), length);
  };
  Result<Excerpt> shown = excerpt(source, most_characters);
  return shown ? *std::move(shown) : Excerpt();
}

}  // namespace talaria
