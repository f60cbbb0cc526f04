#include "keeper/job_output.h"

#include <algorithm>
#include <new>

#include "base/out_of_memory.h"

namespace talaria {

void JobOutput::append(std::string_view data) {
  if (place_ == Place::memory) {
    // Behind what was lost nothing more is kept: memory holds the beginning.
    if (memory_.size() == end_) (void)keep(data.substr(0, max_bytes_ - std::min<uint64_t>(max_bytes_, memory_.size())));
    end_ += data.size();
    return;
  }
  if (!on_disk_ && memory_.size() + data.size() <= memory_limit && keep(data)) {
    end_ += data.size();
    return;
  }
  spill();
  if (!on_disk_) {  // the head stays readable from memory
    const std::string_view head = data.substr(0, memory_limit - memory_.size());
    if (keep(head)) {
      end_ += head.size();
      data.remove_prefix(head.size());
    }
    writer_.skip_to(end_);
    on_disk_ = true;
  }
  write(data);
}

// On a full disk what is short stays in memory, and nothing is lost.
void JobOutput::spill() {
  if (on_disk_ || place_ == Place::memory) return;
  if (!append_to_file(memory_)) return start_over();
  on_disk_ = true;
  std::string().swap(memory_);
}

void JobOutput::start_over() {
  try {
    writer_.start_over();
  } catch (const std::bad_alloc&) {
    writer_.skip_to(0);  // what is in the file is written over
  }
}

bool JobOutput::keep(std::string_view data) {
  try {
    memory_ += data;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Result<> JobOutput::append_to_file(std::string_view data) {
  try {
    return writer_.append(data);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

// Whatever happens, what was read from the command is either kept or counted as lost.
void JobOutput::write(std::string_view data) {
  end_ += data.size();
  const Result<> written = append_to_file(data);
  if (written) return;
  writer_.skip_to(end_);
  try {
    disk_error_ = written.error().message();
  } catch (const std::bad_alloc&) {
    disk_error_ = out_of_memory().message();
  }
}

Result<std::string> JobOutput::read(uint64_t& offset, size_t most) const {
  if (offset < memory_.size()) return memory_.substr(offset, most);
  if (offset >= end_) return std::string();
  constexpr int most_looks = 3;  // we alone write these files, but anybody may remove them between look and read
  for (int look = 0; on_disk_ && look < most_looks; ++look) {
    const LogFiles files = TRY(LogFiles::find(folder_));
    uint64_t start = offset;
    Result<std::string> data = files.read(start, most);
    if (!data && data.error().code() == ErrorCode::not_found) continue;
    if (!data) return data;
    if (data->empty()) break;
    offset = start;
    return data;
  }
  offset = end_;
  return std::string();
}

LostRange JobOutput::lost() const {
  LogFiles files;
  if (on_disk_) {
    Result<LogFiles> found = LogFiles::find(folder_);
    if (!found) return {};  // without a descriptor to look with, nothing is known to be lost
    files = *std::move(found);
  }
  LostRange all;
  for (LostRange range : files.lost(end_)) {
    range.begin = std::max<uint64_t>(range.begin, memory_.size());
    if (range.begin >= range.end) continue;
    if (all.end == 0) all.begin = range.begin;
    all.end = range.end;
  }
  return all;
}

}  // namespace talaria
