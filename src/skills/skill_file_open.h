#pragma once
#include <sys/stat.h>

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// Something below a folder, held by a descriptor that cannot read it (O_PATH). Looking at it opens nothing: no pipe
// waits for a writer, no device wakes up.
struct HeldFile {
  UniqueFd fd;
  std::string real_path;
  struct stat info {};
};

// An open folder. Below it links are followed, but what really lies outside is refused, by where the kernel says that
// the thing held is, so that exchanging names meanwhile gains nothing.
class InnerFolder {
 public:
  // The folder itself may be reached by links.
  static Result<InnerFolder> open(const std::string& path);

  // `relative` as check_inner_path gives it. Outside: ErrorCode::denied; missing: not_found.
  Result<HeldFile> find(const std::string& relative) const;

  int fd() const { return fd_.get(); }
  // Where the folder really is.
  Result<std::string> real_path() const;

 private:
  UniqueFd fd_;
};

// Opens a regular file that is held, to read it.
Result<UniqueFd> open_to_read(const HeldFile& file);

// "a folder", "a named pipe", …
std::string_view kind_of(const struct stat& info);

// A path from outside that is to name something below a folder: relative, no "..", no NUL, no backslash, no drive, at
// most 4,096 bytes. Gives it without "." and doubled slashes; the folder itself is ".".
Result<std::string> check_inner_path(std::string_view path);

}  // namespace talaria
