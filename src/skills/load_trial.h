#pragma once
// For tests: a folder of their own, with a file outside that must stay as it is.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/check.h"
#include "os/file.h"

namespace talaria {

class LoadTrial {
 public:
  LoadTrial() {
    char pattern[] = "/tmp/talaria-skills-XXXXXX";
    CHECK(::mkdtemp(pattern));
    folder_ = pattern;
    CHECK(::mkdir(folder().c_str(), 0755) == 0);
    CHECK(::mkdir((folder_ + "/outside").c_str(), 0755) == 0);
    CHECK(write_file_atomically(outside(), outside_text(), 0644, Durable::no));
  }
  LoadTrial(const LoadTrial&) = delete;
  LoadTrial& operator=(const LoadTrial&) = delete;
  ~LoadTrial() { (void)remove_tree(folder_); }

  // What may be touched.
  std::string folder() const { return folder_ + "/inside"; }
  std::string path(const std::string& name) const { return folder() + "/" + name; }
  // What may not.
  std::string outside() const { return folder_ + "/outside/watched"; }
  std::string outside_folder() const { return folder_ + "/outside"; }
  static std::string outside_text() { return "SECRET-OUTSIDE"; }
  bool outside_is_untouched() const {
    const Result<std::string> text = read_file(outside());
    return text && *text == outside_text() && *list_directory(outside_folder()) == std::vector<std::string>{"watched"};
  }

  void put(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    const std::string file = path(name);
    CHECK(make_directories(file.substr(0, file.find_last_of('/')), 0755));
    CHECK(write_file_atomically(file, content, mode, Durable::no));
    CHECK(::chmod(file.c_str(), mode) == 0);
  }
  void link(const std::string& name, const std::string& target) const {
    const std::string file = path(name);
    CHECK(make_directories(file.substr(0, file.find_last_of('/')), 0755));
    CHECK(::symlink(target.c_str(), file.c_str()) == 0);
  }
  std::string content(const std::string& name) const {
    const Result<std::string> text = read_file(path(name));
    return text ? *text : "(" + text.error().message() + ")";
  }
  bool has(const std::string& name) const {
    struct stat info {};
    return ::lstat(path(name).c_str(), &info) == 0;
  }

 private:
  std::string folder_;
};

}  // namespace talaria
