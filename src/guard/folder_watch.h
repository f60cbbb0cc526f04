#pragma once
#include <map>
#include <string>
#include <vector>

#include "os/fd.h"

namespace talaria {

// Tells which entries were made in, or moved into, the folders of a tree. One inotify instance; the kernel queues an
// event before the call that caused it returns, so all that ended processes did is there to be drained.
class FolderWatch {
 public:
  // Without an instance (the person has too many) it watches nothing.
  static FolderWatch start();

  int fd() const { return fd_.get(); }
  // Watches the folder that is open, under that path from now on. False where the kernel watches no more of them.
  bool add(int directory, const std::string& path);

  struct Entry {
    std::string folder;
    std::string name;
    bool operator==(const Entry&) const = default;
  };
  struct Drained {
    std::vector<Entry> entries;  // each once, sorted
    bool lost = false;           // look at everything
  };
  Drained drain();
  size_t size() const { return paths_.size(); }

 private:
  void take(const char* bytes, size_t count, Drained& drained);

  UniqueFd fd_;
  std::map<int, std::string> paths_;  // by the number of the watch
};

}  // namespace talaria
