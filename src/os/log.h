#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// Our own log: one line an event, `2026-01-02T03:04:05.678Z info text`. At 4 MiB the file moves to `.1` and a new one
// begins, so a log costs at most 8 MiB. Also printed to stderr, unless that is this very file.
class Log {
 public:
  static Result<Log> open(const std::string& path);
  // The same; where no file can be made, which must stop nobody, it has none and all goes to stderr.
  static Log open_or_without(const std::string& path);

  void info(std::string_view text) { write("info", text); }
  void warning(std::string_view text) { write("warning", text); }
  void error(std::string_view text) { write("error", text); }

 private:
  Log(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void write(std::string_view level, std::string_view text);
  void rotate_if_full();

  std::string path_;
  UniqueFd fd_;
};

}  // namespace talaria
