#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace talaria {

// Bytes that can be read at any place: of an open file, which may be large, or of a text in memory.
class PlacedBytes {
 public:
  virtual ~PlacedBytes() = default;
  // Fills `into` as far as there are bytes; less only at the end.
  virtual Result<size_t> read(uint64_t offset, char* into, size_t most) = 0;
  // The first place at or behind `offset` that is not in a hole of zeros, which need not be read.
  virtual uint64_t behind_hole(uint64_t offset) { return offset; }
};

class OpenFileSource : public PlacedBytes {
 public:
  explicit OpenFileSource(int fd) : fd_(fd) {}  // owned by the caller

  Result<size_t> read(uint64_t offset, char* into, size_t most) override {
    size_t done = 0;
    while (done < most) {
      const ssize_t count = ::pread(fd_, into + done, most - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Error::from_errno("read");
      if (count == 0) break;
      done += static_cast<size_t>(count);
    }
    return done;
  }

  uint64_t behind_hole(uint64_t offset) override {
    off_t data = ::lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO) data = ::lseek(fd_, 0, SEEK_END);
    return std::max<uint64_t>(offset, static_cast<uint64_t>(std::max<off_t>(data, 0)));
  }

 private:
  int fd_;
};

class TextSource : public PlacedBytes {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}  // owned by the caller

  Result<size_t> read(uint64_t offset, char* into, size_t most) override {
    if (offset >= text_.size()) return size_t{0};
    return text_.copy(into, most, offset);
  }

 private:
  std::string_view text_;
};

}  // namespace talaria
