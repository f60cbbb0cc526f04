#include "process/output_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "os/file.h"

namespace talaria {
namespace {

constexpr std::string_view head_name = "output";
constexpr size_t tail_segments = 2;  // the growing one and the full one before it

// The offset in "output.123", 0 for "output", nothing for other files of the folder.
bool parse_name(std::string_view name, uint64_t& offset) {
  offset = 0;
  if (name == head_name) return true;
  if (!name.starts_with(head_name) || name.size() < head_name.size() + 2 || name[head_name.size()] != '.') return false;
  const std::string_view digits = name.substr(head_name.size() + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), offset);
  return parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
}

std::string path_of(const std::string& folder, uint64_t offset) {
  std::string path = folder + "/" + std::string(head_name);
  return offset == 0 ? path : path + "." + std::to_string(offset);
}

}  // namespace

Result<LogFiles> LogFiles::find(const std::string& folder) {
  constexpr int most_attempts = 8;
  LogFiles files;
  // A growing log drops its oldest file while we look, and what we listed before may lack the newest.
  for (int attempt = 1; TRY(look(folder, files)) == Look::changing && attempt < most_attempts; ++attempt) {
  }
  return files;
}

Result<LogFiles::Look> LogFiles::look(const std::string& folder, LogFiles& files) {
  files.segments.clear();
  Result<std::vector<std::string>> names = list_directory(folder);
  if (!names) {
    if (names.error().code() == ErrorCode::not_found) return Look::steady;  // nothing was printed
    return std::move(names).error();
  }
  for (const std::string& name : *names) {
    uint64_t offset;
    struct stat info {};
    const std::string path = folder + "/" + name;
    if (!parse_name(name, offset)) continue;
    if (::stat(path.c_str(), &info) != 0 && errno == ENOENT) return Look::changing;
    if (!S_ISREG(info.st_mode)) continue;
    files.segments.push_back({offset, static_cast<uint64_t>(info.st_size), path});
  }
  std::sort(files.segments.begin(), files.segments.end(),
            [](const Segment& a, const Segment& b) { return a.offset < b.offset; });
  return Look::steady;
}

uint64_t LogFiles::end() const { return segments.empty() ? 0 : segments.back().offset + segments.back().size; }

uint64_t LogFiles::lost_begin() const { return segments.empty() || segments[0].offset != 0 ? 0 : segments[0].size; }

uint64_t LogFiles::lost_end() const {
  uint64_t lost = lost_begin();
  uint64_t position = 0;
  for (const Segment& segment : segments) {
    if (segment.offset > position) lost = segment.offset;
    position = segment.offset + segment.size;
  }
  return lost;
}

std::vector<LostRange> LogFiles::lost(uint64_t end) const {
  std::vector<LostRange> ranges;
  uint64_t position = 0;
  for (const Segment& segment : segments) {
    if (segment.offset > position && position < end) ranges.push_back({position, std::min(segment.offset, end)});
    position = std::max(position, segment.offset + segment.size);
  }
  if (position < end) ranges.push_back({position, end});
  return ranges;
}

Result<std::string> LogFiles::read(uint64_t& offset, size_t most) const {
  for (const Segment& segment : segments) {
    if (offset >= segment.offset + segment.size) continue;
    offset = std::max(offset, segment.offset);
    const size_t length = std::min<uint64_t>(most, segment.offset + segment.size - offset);
    UniqueFd fd = TRY(open_file(segment.path, O_RDONLY));
    return read_at(fd.get(), offset - segment.offset, length);
  }
  return std::string();
}

Result<> LogWriter::append(std::string_view data) {
  while (!data.empty()) {
    if (!fd_ || end_ - segment_begin_ >= segment_limit_) TRY(open_segment());
    const std::string_view piece = data.substr(0, segment_limit_ - (end_ - segment_begin_));
    const ssize_t count = ::write(fd_.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error why = Error::from_errno("write the output of the job to " + folder_);
      if (end_ == segment_begin_) drop_empty();
      return why;
    }
    if (end_ == segment_begin_) drop_oldest();
    end_ += static_cast<size_t>(count);
    data.remove_prefix(static_cast<size_t>(count));
  }
  return ok;
}

void LogWriter::skip_to(uint64_t offset) {
  fd_.reset();
  end_ = offset;
}

void LogWriter::start_over() {
  skip_to(0);
  ::unlink(path_of(folder_, 0).c_str());
  for (const std::string& path : tail_paths_) ::unlink(path.c_str());
  tail_paths_.clear();
}

void LogWriter::drop_oldest() {
  if (tail_paths_.size() <= tail_segments) return;
  ::unlink(tail_paths_.front().c_str());
  tail_paths_.erase(tail_paths_.begin());
}

void LogWriter::drop_empty() {
  fd_.reset();
  ::unlink(path_of(folder_, segment_begin_).c_str());
  if (segment_begin_ != 0) tail_paths_.pop_back();
}

Result<> LogWriter::open_segment() {
  const bool head = end_ == 0;
  TRY(make_directories(folder_));
  std::string path = path_of(folder_, end_);
  tail_paths_.reserve(tail_segments + 1);  // nothing fails between the file and its place in the list
  fd_ = TRY(open_file(path, O_WRONLY | O_CREAT | O_TRUNC));
  if (!head) tail_paths_.push_back(std::move(path));
  segment_begin_ = end_;
  segment_limit_ = std::max<uint64_t>(head ? max_bytes_ / 2 : max_bytes_ / 4, 1);
  return ok;
}

}  // namespace talaria
