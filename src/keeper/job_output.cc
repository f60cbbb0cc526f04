#include "keeper/job_output.h"

#include <algorithm>

namespace talaria {

void JobOutput::append(std::string_view data) {
  if (place_ == Place::memory) {
    memory_ += data.substr(0, max_bytes_ - std::min<uint64_t>(max_bytes_, memory_.size()));
    end_ += data.size();
    failed_begin_ = memory_.size();
    failed_end_ = end_;
    return;
  }
  if (!on_disk_ && memory_.size() + data.size() <= memory_limit) {
    memory_ += data;
    end_ += data.size();
    return;
  }
  spill();
  write(data);
}

void JobOutput::spill() {
  if (on_disk_ || place_ == Place::memory) return;
  on_disk_ = true;
  if (memory_.empty()) return;
  Result<> written = writer_.append(memory_);
  if (written) {
    std::string().swap(memory_);
  } else {
    disk_error_ = written.error().message();  // the head stays readable from memory
    writer_.skip_to(end_);
  }
}

void JobOutput::write(std::string_view data) {
  const uint64_t begin = end_;
  end_ += data.size();
  Result<> written = writer_.append(data);
  if (written) return;
  disk_error_ = written.error().message();
  if (failed_end_ == 0) failed_begin_ = begin;
  failed_end_ = end_;
  writer_.skip_to(end_);
}

Result<std::string> JobOutput::read(uint64_t& offset, size_t most) const {
  if (offset < memory_.size()) return memory_.substr(offset, most);
  if (!on_disk_ || offset >= end_) return std::string();
  LogFiles files = TRY(LogFiles::find(folder_));
  return files.read(offset, most);
}

std::pair<uint64_t, uint64_t> JobOutput::lost() const {
  if (place_ == Place::memory && failed_end_ > failed_begin_) return {failed_begin_, failed_end_};
  if (!on_disk_) return {0, 0};
  Result<LogFiles> files = LogFiles::find(folder_);
  uint64_t begin = files ? files->lost_begin() : 0, end = files ? files->lost_end() : 0;
  if (!memory_.empty()) begin = memory_.size();
  if (failed_end_ > failed_begin_) {
    begin = end > begin ? std::min(begin, failed_begin_) : failed_begin_;
    end = std::max(end, failed_end_);
  }
  return end > begin ? std::pair(begin, end) : std::pair<uint64_t, uint64_t>(0, 0);
}

}  // namespace talaria
