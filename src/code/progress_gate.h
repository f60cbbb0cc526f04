#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "code/script_message.h"
#include "loop/loop.h"

namespace talaria {

// Lets progress through as fast as a person can follow it. A script that says more is heard a few times a second, and
// always with the last that it said.
class ProgressGate {
 public:
  using Tell = std::function<void(const ScriptProgress&)>;

  // `tell` may destroy the gate.
  ProgressGate(Loop& loop, Tell tell) : loop_(loop), tell_(std::make_shared<const Tell>(std::move(tell))) {}

  void offer(ScriptProgress progress);
  // What was held back is never told.
  void clear();

 private:
  void refill();
  void tell(const ScriptProgress& progress);

  Loop& loop_;
  std::shared_ptr<const Tell> tell_;
  double room_ = 20;  // so many may come at once
  Clock::time_point refilled_ = Clock::now();
  std::optional<ScriptProgress> held_;
  Loop::Timer later_;
};

}  // namespace talaria
