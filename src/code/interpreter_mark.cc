#include "code/interpreter_mark.h"

#include <sys/stat.h>

#include <cstdio>
#include <string_view>

namespace talaria {
namespace {

std::string text_of(const FileState& state) {
  return std::to_string(state.inode) + ":" + std::to_string(state.size) + ":" + std::to_string(state.modified_ns) +
         ":" + std::to_string(state.changed_ns) + ":" + std::to_string(state.mode);
}

int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

FileState state_of(const struct stat& info) {
  return {info.st_ino, static_cast<uint64_t>(info.st_size), nanoseconds(info.st_mtim), nanoseconds(info.st_ctim),
          info.st_mode & 07777u};
}

}  // namespace

std::string stamp_of(const FileState& link, const FileState* target) {
  return text_of(link) + ">" + (target ? text_of(*target) : leads_nowhere);
}

std::string file_stamp(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return "";
  const FileState own = state_of(info);
  if (!S_ISLNK(info.st_mode)) return stamp_of(own, &own);
  if (::stat(path.c_str(), &info) != 0) return stamp_of(own, nullptr);
  const FileState target = state_of(info);
  return stamp_of(own, &target);
}

// FNV-1a: it tells states apart, and guards nothing.
std::string mark_of(const std::vector<MarkedPath>& paths) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash *= 0x100000001b3;  // "ab" and "c" are not "a" and "bc"
  };
  for (const MarkedPath& one : paths) {
    add(one.path);
    add(one.stamp);
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace talaria
