#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace talaria {

// Finds out whether a file of the plain host is Talaria's own state, by whatever path it is reached: through a link on
// the way to the home, a bind mount of it, or because a file of the home is itself a link to somewhere else. It goes by
// what the files are, not by their names.
class OwnState {
 public:
  OwnState() = default;  // nothing is ours
  // `root` is our home, `runtime` where our sockets are.
  static OwnState look(const std::string& root, const std::string& runtime);

  // The path in our home that `real_path` is the same as; empty when it is none of ours. The file itself need not
  // exist.
  std::string name_of(const std::string& real_path) const;
  // The same by the directories alone, which are remembered: for many files.
  std::string name_by_directory(const std::string& real_path) const;

 private:
  struct Place {
    dev_t device;
    ino_t inode;
    std::string name;
  };
  void add(const std::string& path);
  std::string name_of_one(const std::string& path) const;

  std::vector<Place> places_;
  mutable std::map<std::string, std::string> directories_;
};

}  // namespace talaria
