#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "files/file_system.h"
#include "files/search_request.h"

namespace talaria {

// A file that rg reads to know what to leave out, and that never ends: a FIFO that nobody writes to, a device.
struct IgnoreTrap {
  std::string path;  // as rg would name it: below the searched folder as it was asked for, or absolute
  std::string what;  // "a FIFO"
  bool operator==(const IgnoreTrap&) const = default;
};

// Looks at every place where rg would read such a file: above the searched folder, in it and below it, and in the git
// settings of `home`. It opens none of them. It takes about as long as rg itself takes to find its files, so it is for
// searches that are suspiciously slow. Gives up when it is cancelled.
std::optional<IgnoreTrap> find_ignore_trap(FileSystem& files, const SearchRequest& request, const std::string& home,
                                           const std::atomic<bool>& cancelled);

}  // namespace talaria
