#pragma once
#include <exception>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"

namespace talaria {

// Runs every callback of one thread. A callback lives exactly as long as the Watch or Timer that asked for it: destroy
// the handle, even from inside the callback, and it is never called again. A thin, owner-friendly layer over epoll.
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
    std::shared_ptr<State> state_;  // shared with the loop, which may be calling it when it is dropped
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

  // Whether the kernel gave the loop its own two descriptors. Without them every watch is refused: ask before run().
  Result<> ready() const;

  // Called each time the fd is readable (or writable) until the Watch goes. An fd may have one watch of each kind.
  // Takes no descriptor, but the kernel may refuse: it is out of memory, or this user watches too many fds.
  Result<Watch> on_readable(int fd, Callback call);
  Result<Watch> on_writable(int fd, Callback call);
  [[nodiscard]] Timer at(Clock::time_point when, Callback call);
  [[nodiscard]] Timer after(Clock::duration delay, Callback call) { return at(Clock::now() + delay, std::move(call)); }
  // Soon, on the loop's thread. The one member other threads may call; nothing cancels it.
  void post(Callback call);

  // Hears what a callback threw; when it returns the loop goes on. What ran out of memory (std::bad_alloc) is called
  // again a little later, unless its handle was dropped; a timer or a posted call that threw something else is not.
  // Without one, what is thrown leaves run().
  using Rescue = std::function<void(const std::exception& thrown)>;
  void set_rescue(Rescue rescue);

  // Until stop(). May be called again afterwards.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace talaria
