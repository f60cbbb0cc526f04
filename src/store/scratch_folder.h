#pragma once
#include <stdlib.h>

#include <string>

#include "base/check.h"
#include "os/file.h"

namespace talaria {

// A new directory for one test, gone with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    char pattern[] = "/tmp/talaria-store-XXXXXX";
    CHECK(::mkdtemp(pattern));
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { (void)remove_tree(path_); }

  const std::string& path() const { return path_; }
  std::string database() const { return path_ + "/talaria.db"; }

 private:
  std::string path_;
};

}  // namespace talaria
