#pragma once
#include <cstdint>
#include <deque>
#include <utility>

#include "base/clock.h"

namespace talaria {

// How often something happened lately.
class RecentCount {
 public:
  // So many times now; how many that makes within this time.
  uint64_t add(uint64_t times, Clock::duration within, Clock::time_point now = Clock::now()) {
    if (times > 0) events_.emplace_back(now, times);
    while (!events_.empty() && now - events_.front().first > within) events_.pop_front();
    uint64_t sum = 0;
    for (const auto& [when, count] : events_) sum += count;
    return sum;
  }

 private:
  std::deque<std::pair<Clock::time_point, uint64_t>> events_;
};

}  // namespace talaria
