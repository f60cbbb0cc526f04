#include "web/reading_room.h"

#include <algorithm>

namespace talaria {
namespace {

constexpr auto look_whether_cancelled_every = 50ms;

}  // namespace

ReadingRoom::Seat::~Seat() {
  if (room_ == nullptr) return;
  const std::lock_guard lock(room_->mutex_);
  ++room_->free_;
  --room_->taken_;
  room_->freed_.notify_one();
}

Result<ReadingRoom::Seat> ReadingRoom::enter(Clock::time_point deadline, const std::atomic<bool>& cancelled) {
  std::unique_lock lock(mutex_);
  while (free_ == 0) {
    if (cancelled) return Error(ErrorCode::cancelled, "reading the page was cancelled");
    if (Clock::now() >= deadline) {
      return Error(
          ErrorCode::timed_out,
          "the page was fetched, but not read: other pages took all the places for a minute. Try again, or ask "
          "for fewer pages");
    }
    freed_.wait_for(lock, look_whether_cancelled_every);
  }
  --free_;
  most_taken_ = std::max(most_taken_, ++taken_);
  return Seat(*this);
}

int ReadingRoom::most_taken() const {
  const std::lock_guard lock(mutex_);
  return most_taken_;
}

}  // namespace talaria
