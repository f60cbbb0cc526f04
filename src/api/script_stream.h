#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "api/output.h"
#include "loop/loop.h"

namespace talaria {

// What a program prints, on its way to the person who waits for it. Drop it and nothing more is told.
class ScriptStream {
 public:
  // `take` says false while it can take no more; it is asked again a moment later.
  using Take = std::function<bool(std::string_view)>;
  ScriptStream(Loop& loop, Outputs& outputs, std::string job, uint64_t from, Take take);

  // Nothing comes after byte `end`: calls when all up to there was taken.
  void finish(uint64_t end, std::function<void()> done);

 private:
  void read();
  void take(Result<OutputPart> part);

  Loop& loop_;
  Outputs& outputs_;
  std::string job_;
  uint64_t offset_;
  Take take_;
  std::optional<uint64_t> end_;
  std::function<void()> done_;
  Outputs::Pending reading_;
  Loop::Timer again_;
};

}  // namespace talaria
