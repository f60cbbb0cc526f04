#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "process/output_log.h"

namespace talaria {

// A job's output in the keeper: in memory while it is short and the job is young, from then on every byte goes to disk
// as it is read, and memory holds nothing.
class JobOutput {
 public:
  static constexpr size_t memory_limit = 64 << 10;

  enum class Place {
    disk,
    memory,  // never on disk: it may hold secrets; the first max_bytes are kept
  };

  JobOutput(std::string folder, uint64_t max_bytes, Place place)
      : folder_(folder), max_bytes_(max_bytes), place_(place), writer_(std::move(folder), max_bytes) {}

  void append(std::string_view data);
  // To disk with what is in memory, and with everything that comes; where the disk takes nothing, later.
  void spill();
  // Up to `most` bytes from `offset`; `offset` becomes where they really start (later, when bytes were lost). Nothing
  // with an offset that moved means that everything up to there is lost; nothing without is the end for now.
  Result<std::string> read(uint64_t& offset, size_t most) const;

  uint64_t end() const { return end_; }
  bool on_disk() const { return on_disk_; }
  // It may still have to open a file.
  bool wants_file() const { return place_ == Place::disk && !writer_.holds_file(); }
  // Everything, while it is still in memory.
  const std::string& memory() const { return memory_; }
  // From the first to the last byte that the log's cap or a failing disk cost.
  LostRange lost() const;
  // Why bytes were lost to the disk, or empty.
  const std::string& disk_error() const { return disk_error_; }

 private:
  bool keep(std::string_view data);
  Result<> append_to_file(std::string_view data);
  void start_over();
  void write(std::string_view data);

  std::string folder_;
  uint64_t max_bytes_;
  Place place_;
  LogWriter writer_;
  std::string memory_;
  bool on_disk_ = false;
  uint64_t end_ = 0;
  std::string disk_error_;
};

}  // namespace talaria
