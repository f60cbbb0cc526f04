#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace talaria {

// Where pages are turned into text: a seat for each, and few of them, because each page may take much memory. For
// several threads; it outlives its seats.
class ReadingRoom {
 public:
  static constexpr int usual_seats = 2;
  explicit ReadingRoom(int seats = usual_seats) : free_(seats) {}

  class Seat {
   public:
    Seat(Seat&& other) noexcept : room_(std::exchange(other.room_, nullptr)) {}
    Seat& operator=(Seat&&) = delete;
    ~Seat();

   private:
    friend class ReadingRoom;
    explicit Seat(ReadingRoom& room) : room_(&room) {}
    ReadingRoom* room_;
  };

  // Waits for a seat on this thread.
  Result<Seat> enter(Clock::time_point deadline, const std::atomic<bool>& cancelled);
  // How many seats were taken at the same time, at the most.
  int most_taken() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  int free_;
  int taken_ = 0;
  int most_taken_ = 0;
};

}  // namespace talaria
