#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "loop/worker_pool.h"

namespace talaria {

// One piece of work on a worker at a time; dropping it cancels, and nobody is told.
class CancellableWork {
 public:
  CancellableWork() = default;
  CancellableWork(const CancellableWork&) = delete;
  CancellableWork& operator=(const CancellableWork&) = delete;
  ~CancellableWork() {
    if (cancelled_) *cancelled_ = true;
  }

  // `work` gets the flag that says it is no longer wanted; `done` comes from the loop.
  void run(WorkerPool& workers, std::function<void(const std::atomic<bool>& cancelled)> work,
           std::function<void()> done) {
    cancelled_ = std::make_shared<std::atomic<bool>>(false);
    workers.run(
        [cancelled = cancelled_, work = std::move(work)] {
          if (!*cancelled) work(*cancelled);
        },
        [cancelled = cancelled_, done = std::move(done)] {
          if (!*cancelled) done();
        });
  }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace talaria
