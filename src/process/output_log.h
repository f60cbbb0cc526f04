#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "process/lost_range.h"

namespace talaria {

// A job's output on disk, in a folder of its own: `output` holds the head, and once that is full, `output.<offset>`
// files hold the tail in segments, each named by the offset of its first byte; the oldest segment goes when a new one
// starts. So the names alone say where every byte belongs, also after a crash, and no file is ever rewritten.
//
//   max_bytes = 64 MiB:  output [0, 32 MiB)   output.50331648 (full)   output.67108864 (growing)

// The files of one log, as found in its folder.
struct LogFiles {
  struct Segment {
    uint64_t offset = 0;
    uint64_t size = 0;
    std::string path;
    bool operator==(const Segment&) const = default;
  };
  std::vector<Segment> segments;  // by offset; the head first

  static Result<LogFiles> find(const std::string& folder);
  uint64_t end() const;         // offset after the last byte
  uint64_t lost_begin() const;  // the gap between head and tail: [lost_begin, lost_end)
  uint64_t lost_end() const;
  // Every range that is not there, of a log of `end` bytes; the last one may be its end.
  std::vector<LostRange> lost(uint64_t end) const;

  // Up to `most` bytes from `offset`, or from the first kept byte after it; `offset` becomes where they really start.
  Result<std::string> read(uint64_t& offset, size_t most) const;

 private:
  enum class Look { steady, changing };
  static Result<Look> look(const std::string& folder, LogFiles& files);
};

// The writing end.
class LogWriter {
 public:
  // Makes the folder and the head file when the first byte comes.
  LogWriter(std::string folder, uint64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // Appends all of it. On error (a full disk) nothing more of `data` is kept; the caller counts it as lost. What was
  // kept before stays: an older segment goes only once the new one holds something.
  Result<> append(std::string_view data);
  uint64_t end() const { return end_; }
  // A file of it is open.
  bool holds_file() const { return static_cast<bool>(fd_); }
  // The next byte belongs at `offset` (bytes in between were lost to a full disk).
  void skip_to(uint64_t offset);
  // Removes what was written; the next byte is the first again.
  void start_over();

 private:
  Result<> open_segment();
  void drop_oldest();
  void drop_empty();

  std::string folder_;
  uint64_t max_bytes_;
  uint64_t end_ = 0;
  uint64_t segment_begin_ = 0;
  uint64_t segment_limit_ = 0;  // 0: no segment is open
  std::vector<std::string> tail_paths_;
  UniqueFd fd_;
};

}  // namespace talaria
