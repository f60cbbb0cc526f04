#include "config/links.h"

#include <unistd.h>

#include <cerrno>
#include <climits>

namespace talaria {

Result<std::string> follow_links(std::string path) {
  for (int hops = 0; hops < 40; ++hops) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length < 0 && (errno == EINVAL || errno == ENOENT)) return path;
    if (length < 0) return Error::from_errno("read the link " + path);
    const std::string next(target, static_cast<size_t>(length));
    const size_t slash = path.find_last_of('/');
    const bool beside = !next.starts_with('/') && slash != std::string::npos;
    path = beside ? path.substr(0, slash + 1) + next : next;
  }
  return Error::from_number(ELOOP, "read the link " + path);
}

}  // namespace talaria
