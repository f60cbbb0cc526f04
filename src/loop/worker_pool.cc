#include "loop/worker_pool.h"

namespace talaria {

WorkerPool::WorkerPool(Loop& loop, int threads) : loop_(loop) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(std::function<void()> work, Loop::Callback done) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back({std::move(work), std::move(done)});
  }
  wake_.notify_one();
}

void WorkerPool::serve() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task.work();
    if (task.done) loop_.post(std::move(task.done));
  }
}

}  // namespace talaria
