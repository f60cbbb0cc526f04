#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "files/path_order.h"
#include "files/search_command.h"

namespace talaria {

// Gathers paths, each with a number, and keeps the page [offset, offset + limit) of them in the order of paths. Keeps
// no more than can still be of the page.
class PathPage {
 public:
  PathPage(SearchOrder order, uint64_t offset, uint64_t limit)
      : skipped_(order == SearchOrder::by_path ? offset : 0),
        most_(order == SearchOrder::by_path ? limit : offset + limit),
        unshown_(order == SearchOrder::by_path ? 0 : offset) {}

  void add(std::string path, uint64_t count);

  uint64_t paths() const { return paths_; }  // all of them
  uint64_t total() const { return total_; }  // of their numbers
  std::vector<std::pair<std::string, uint64_t>> page() const;

 private:
  uint64_t skipped_;  // which come first and are not kept
  uint64_t most_;     // to keep
  uint64_t unshown_;  // of those kept
  uint64_t paths_ = 0;
  uint64_t total_ = 0;
  std::map<std::string, uint64_t, PathOrder> kept_;
};

}  // namespace talaria
