#include "gate/own_state.h"

#include <sys/stat.h>

#include "os/file.h"
#include "os/home.h"

namespace talaria {
OwnState OwnState::look(const std::string& root, const std::string& runtime) {
  OwnState state;
  state.add(root);
  for (const std::string_view entry : home_entries) state.add(root + "/" + std::string(entry));
  // SQLite's own files are beside the one that a link leads to.
  const std::string database = real_path(root + "/talaria.db");
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    if (!database.empty()) state.add(database + suffix);
  }
  state.add(runtime);
  return state;
}

void OwnState::add(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) places_.push_back({info.st_dev, info.st_ino, path});
}

std::string OwnState::name_of_one(const std::string& path) const {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  for (const Place& place : places_) {
    if (place.device == info.st_dev && place.inode == info.st_ino) return place.name;
  }
  return {};
}

std::string OwnState::name_of(const std::string& real_path) const {
  if (places_.empty()) return {};
  const std::string name = name_of_one(real_path);
  return name.empty() ? name_by_directory(real_path) : name;
}

std::string OwnState::name_by_directory(const std::string& real_path) const {
  if (places_.empty()) return {};
  for (size_t slash = real_path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = real_path.rfind('/', slash - 1)) {
    const std::string directory = real_path.substr(0, slash);
    auto known = directories_.find(directory);
    if (known == directories_.end()) known = directories_.emplace(directory, name_of_one(directory)).first;
    if (!known->second.empty()) return known->second + real_path.substr(slash);
  }
  return {};
}

}  // namespace talaria
