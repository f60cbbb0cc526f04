#pragma once
#include <functional>

#include "loop/loop.h"

namespace talaria {

// Notices that the other side of a connection lives but does not answer: it is suspended, or waits for a dead disk.
// While answers are awaited it asks a small question every few seconds, and tells when two in a row brought nothing.
class SilenceWatch {
 public:
  struct Events {
    std::function<bool()> waits;      // somebody waits for an answer
    std::function<void()> ask;        // sends the question; its answer calls heard()
    std::function<void()> on_silent;  // once
  };
  SilenceWatch(Loop& loop, Events events) : loop_(loop), events_(std::move(events)) { schedule(); }

  void heard() { unanswered_ = 0; }

 private:
  void schedule();
  void beat();

  Loop& loop_;
  Events events_;
  int unanswered_ = 0;
  Loop::Timer next_;  // last, so gone first
};

}  // namespace talaria
