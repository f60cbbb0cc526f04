#include "code/progress_gate.h"

#include <algorithm>

namespace talaria {
namespace {

constexpr double most_at_once = 20;
constexpr double most_a_second = 10;

}  // namespace

void ProgressGate::offer(ScriptProgress progress) {
  refill();
  if (!held_ && room_ >= 1) return tell(progress);
  held_ = std::move(progress);
  if (later_) return;
  later_ = loop_.after(100ms, [this] {
    later_ = {};
    const ScriptProgress last = *std::exchange(held_, std::nullopt);
    refill();
    tell(last);
  });
}

void ProgressGate::clear() {
  held_.reset();
  later_ = {};
}

void ProgressGate::refill() {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> passed = now - std::exchange(refilled_, now);
  room_ = std::min(most_at_once, room_ + passed.count() * most_a_second);
}

void ProgressGate::tell(const ScriptProgress& progress) {
  room_ = std::max(0.0, room_ - 1);
  const std::shared_ptr<const Tell> tell = tell_;
  if (*tell) (*tell)(progress);
}

}  // namespace talaria
