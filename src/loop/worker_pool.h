#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "loop/loop.h"

namespace talaria {

// A few threads for work that blocks. Each piece of work runs on one of them, then its `done` runs on the loop's
// thread. Destroying the pool finishes what was started and drops the rest. The loop must outlive it.
class WorkerPool {
 public:
  WorkerPool(Loop& loop, int threads);
  ~WorkerPool();

  void run(std::function<void()> work, Loop::Callback done = {});

 private:
  struct Task {
    std::function<void()> work;
    Loop::Callback done;
  };
  void serve();

  Loop& loop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace talaria
