#pragma once
#include <sys/stat.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "config/settings.h"

namespace talaria {

// The configuration as the file says it now. Looking costs one stat; the file is read again only when it changed.
// A broken file is an error until it is mended: running with settings the owner did not write would be a guess.
class LiveSettings {
 public:
  explicit LiveSettings(std::string path);

  // What the file says now. The pointer stays good while someone holds it, also when the file changes.
  Result<std::shared_ptr<const Settings>> current();
  // The last settings that could be read; the defaults if none ever could. For housekeeping, never for permission.
  const Settings& last_good() const { return *good_; }
  const std::string& path() const { return path_; }

 private:
  // What tells one content of the file from another without reading it.
  struct Stamp {
    bool there = false;
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    int64_t modified_ns = 0;
    int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp look() const;

  std::string path_;
  Stamp stamp_;
  std::shared_ptr<const Settings> good_;
  Result<std::shared_ptr<const Settings>> latest_;
};

}  // namespace talaria
