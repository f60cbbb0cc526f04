#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace talaria {

// The names that a mount keeps read-only inside of the sandbox. As long as one is the file or folder it was, nobody
// inside can have changed it, or anything in it: what changed was the person's doing. When the host puts another in its
// place the mount falls off.
class MountedNames {
 public:
  // Paths from the workspace, which is open.
  MountedNames(int root, const std::vector<std::string>& paths);

  bool hold(const std::string& path) const;

 private:
  struct Numbers {
    uint64_t device = 0;
    uint64_t inode = 0;
    bool operator==(const Numbers&) const = default;
  };
  bool has_other_names(const std::string& path) const;
  static Numbers numbers_of(int root, const std::string& path);

  int root_;
  std::map<std::string, Numbers> names_;
};

}  // namespace talaria
