#pragma once
#include <functional>
#include <memory>

#include "base/clock.h"

namespace talaria {

// Runs every callback of one thread. A callback lives exactly as long as the Watch or Timer that asked for it: destroy
// the handle, even from inside the callback, and it is never called again. A thin, owner-friendly layer over
// Boost.Asio.
class Loop {
 public:
  using Callback = std::function<void()>;

  // A standing interest in one fd's readiness. The fd must outlive it.
  class Watch {
   public:
    Watch();
    Watch(Watch&&) noexcept;
    Watch& operator=(Watch&&) noexcept;
    ~Watch();
    explicit operator bool() const { return state_ != nullptr; }

   private:
    friend class Loop;
    struct State;
    explicit Watch(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;  // shared with the pending operation, which must find out that it was dropped
  };

  // One call in the future.
  class Timer {
   public:
    Timer();
    Timer(Timer&&) noexcept;
    Timer& operator=(Timer&&) noexcept;
    ~Timer();
    explicit operator bool() const { return state_ != nullptr; }

   private:
    friend class Loop;
    struct State;
    explicit Timer(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
  };

  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Called each time the fd is readable (or writable) until the Watch goes.
  [[nodiscard]] Watch on_readable(int fd, Callback call);
  [[nodiscard]] Watch on_writable(int fd, Callback call);
  [[nodiscard]] Timer at(Clock::time_point when, Callback call);
  [[nodiscard]] Timer after(Clock::duration delay, Callback call) { return at(Clock::now() + delay, std::move(call)); }
  // Soon, on the loop's thread. The one member other threads may call; nothing cancels it.
  void post(Callback call);

  // Until stop(). May be called again afterwards.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace talaria
