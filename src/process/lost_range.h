#pragma once
#include <cstdint>
#include <string>

namespace talaria {

// Bytes [begin, end) of a job's output that are no longer there.
struct LostRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool operator==(const LostRange&) const = default;
};

// The sentence for so many of them, without brackets: "23,358 bytes of output were lost: the disk was full". Without a
// reason it was the log's limit: "… are no longer kept".
std::string loss_sentence(uint64_t bytes, const std::string& because);

}  // namespace talaria
