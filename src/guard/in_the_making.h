#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "guard/git_guard.h"

namespace talaria {

// While commands run, a file may be half written: git checks one out by making it and then writing it. Such a file is
// left alone for a moment, but not for long, however often it is written.
class InTheMaking {
 public:
  struct Times {
    Clock::duration quiet = 100ms;    // since the last write: it is done
    Clock::duration longest = 400ms;  // since it was first seen
  };
  InTheMaking() = default;
  explicit InTheMaking(const Times& times) : times_(times) {}

  // Whether to leave `path` alone in this look. `files`: what it consists of, from the open folder `root`.
  bool is(const std::string& path, const std::vector<std::string>& files, int root, Look look);

 private:
  Times times_;
  std::map<std::string, Clock::time_point> noticed_;
};

}  // namespace talaria
