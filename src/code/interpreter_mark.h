#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace talaria {

// What tells one state of a file from another without reading it, as text. Its mode counts, for it may be what keeps a
// program from being run.
struct FileState {
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  uint32_t mode = 0;
};
std::string stamp_of(const FileState& link, const FileState* target);

inline constexpr const char* leads_nowhere = "nowhere";

// Of a path on this machine: empty when nothing is there; a link that leads nowhere ends so.
std::string file_stamp(const std::string& path);

struct MarkedPath {
  std::string path;
  std::string stamp;
};
// Sixteen letters and digits that differ when one of them does.
std::string mark_of(const std::vector<MarkedPath>& paths);

}  // namespace talaria
