#pragma once
// For tests: a folder of its own, the machine's files, and gates with and without rules.
#include <stdlib.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "files/host_files.h"
#include "files/path_locks.h"
#include "files/read.h"
#include "files/version_book.h"
#include "files/write.h"
#include "gate/gate.h"
#include "json/json.h"
#include "os/file.h"

namespace talaria {

inline FileGate open_gate(const std::string& home = "/nonexistent") {
  return Gate([](const GateRequest&, const Verdict&) -> Result<> { return ok; })
      .files({}, {}, {.home = home, .own_home = "/nonexistent/own"});
}

class FilesTrial {
 public:
  FilesTrial() : gate(open_gate()) {
    char pattern[] = "/tmp/talaria-files-XXXXXX";
    CHECK(::mkdtemp(pattern));
    CHECK(::chmod(pattern, 0755) == 0);
    folder = pattern;
  }
  FilesTrial(const FilesTrial&) = delete;
  FilesTrial& operator=(const FilesTrial&) = delete;
  ~FilesTrial() { (void)remove_tree(folder); }

  std::string path(const std::string& name) const { return folder + "/" + name; }

  std::string put(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    CHECK(make_directories(parent_of(path(name)), 0755));
    CHECK(write_file_atomically(path(name), content, mode, Durable::no));
    CHECK(::chmod(path(name).c_str(), mode) == 0);
    return path(name);
  }
  std::string content(const std::string& name) const { return *talaria::read_file(path(name), 64 << 20); }
  std::vector<std::string> names() const { return *list_directory(folder); }

  JsonObject read(const std::string& name, ReadRequest request = {}) {
    request.path = path(name);
    request.shown_path = name;
    return talaria::read_file(files, gate, book, request);
  }
  JsonObject read_plain(const std::string& name, uint64_t offset = 1, uint64_t limit = 2000) {
    ReadRequest request;
    request.offset = offset;
    request.limit = limit;
    request.audience = Audience::program;
    return read(name, request);
  }
  JsonObject write(const std::string& name, const std::string& content,
                   Overwrite overwrite = Overwrite::unless_changed) {
    return write_file(files, gate, book, locks, {path(name), name, content, overwrite});
  }

  std::string folder;
  HostFiles files;
  FileGate gate;
  VersionBook book;
  PathLocks locks;
};

inline std::string error_of(const JsonObject& object) { return text_or(object, "error"); }

}  // namespace talaria
