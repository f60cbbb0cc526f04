#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "sandbox/shown_path.h"
#include "store/session_table.h"

namespace talaria {

// What the sandboxes of a session show beside their view, read-only, from its next command on: what loaded skills need.
// Whoever prepares a sandbox asks here.
class ShownPaths {
 public:
  using Source = std::function<std::vector<ShownPath>(const SessionRow&)>;

  // Who knows; it is asked before every command, on the loop, and must not take long. Nobody: nothing is shown.
  void set_source(Source source) { source_ = std::move(source); }

  std::vector<ShownPath> of(const SessionRow& session) const {
    return source_ ? source_(session) : std::vector<ShownPath>();
  }

 private:
  Source source_;
};

}  // namespace talaria
