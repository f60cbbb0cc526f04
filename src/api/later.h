#pragma once
#include <functional>
#include <memory>

#include "loop/loop.h"

namespace talaria {

// One call that comes soon, from the loop. Drop it first and it never comes.
class Later {
 public:
  Later() = default;
  Later(Loop& loop, Loop::Callback call) : call_(std::make_shared<Loop::Callback>(std::move(call))) {
    loop.post([weak = std::weak_ptr(call_)] {
      if (const auto still_wanted = weak.lock()) (*still_wanted)();
    });
  }

 private:
  std::shared_ptr<Loop::Callback> call_;
};

}  // namespace talaria
