#include "gate/own_state.h"

#include <sys/stat.h>

#include <array>

namespace talaria {
namespace {

// What a person may well replace by a link, and what must not be changed there either.
constexpr std::array own_entries = {"config.yaml", ".env", "talaria.db", "skills",      "jobs",
                                    "cache",       "logs", "run",        "gateway.lock"};

}  // namespace

OwnState OwnState::look(const std::string& root, const std::string& runtime) {
  OwnState state;
  state.add(root);
  for (const char* entry : own_entries) state.add(root + "/" + entry);
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
