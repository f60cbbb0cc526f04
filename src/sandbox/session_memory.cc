#include "sandbox/session_memory.h"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <string_view>

namespace talaria {
namespace {

constexpr size_t longest_list = 4 << 20;  // of segments: more than the kernel's largest number of them

std::string read_from_start(int fd) {
  std::string text;
  char buffer[16 << 10];
  for (ssize_t count; text.size() < longest_list &&
                      (count = ::pread(fd, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;) {
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

// The last two columns of a line are what is in memory and what is swapped out, in bytes.
uint64_t bytes_of_segment(std::string_view line) {
  uint64_t bytes = 0;
  for (int column = 0; column < 2; ++column) {
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    const size_t blank = line.rfind(' ');
    const std::string_view word = line.substr(blank + 1);
    uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    bytes += number;
    if (blank == std::string_view::npos) break;
    line = line.substr(0, blank);
  }
  return bytes;
}

uint64_t bytes_of_segments(std::string_view list) {
  uint64_t bytes = 0;
  for (size_t at = list.find('\n'); at != std::string_view::npos && at + 1 < list.size();) {  // the first line: names
    const size_t end = list.find('\n', at + 1);
    bytes += bytes_of_segment(list.substr(at + 1, end - at - 1));
    at = end;
  }
  return bytes;
}

}  // namespace

SessionMemory::SessionMemory(std::vector<UniqueFd> fds) {
  for (UniqueFd& fd : fds) {
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) folders_.push_back({std::move(fd), info.st_dev});
    else segments_ = std::move(fd);
  }
}

HeldMemory SessionMemory::look() const {
  HeldMemory held;
  if (segments_) held.bytes = bytes_of_segments(read_from_start(segments_.get()));
  held.segments = held.bytes > 0;
  for (const Folder& folder : folders_) {
    struct statfs info {};
    if (::fstatfs(folder.fd.get(), &info) != 0 || info.f_blocks <= info.f_bfree) continue;
    held.bytes += (info.f_blocks - info.f_bfree) * static_cast<uint64_t>(info.f_bsize);
    held.devices.insert(folder.device);
  }
  return held;
}

}  // namespace talaria
