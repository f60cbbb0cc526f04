#pragma once
#include <memory>
#include <utility>

#include "api/later.h"
#include "tools/operation.h"

namespace talaria {

// An answer that is known already, on its way: callbacks come from the loop, never from inside the call that asked.
template <class T>
class AnswerLater : public Operation {
 public:
  AnswerLater(Loop& loop, Result<T> answer, Done<T> done)
      : later_(loop, [answer = std::move(answer), done = std::move(done)] { done(answer); }) {}

 private:
  Later later_;
};

template <class T>
OperationPtr answer_later(Loop& loop, Result<T> answer, Done<T> done) {
  return std::make_unique<AnswerLater<T>>(loop, std::move(answer), std::move(done));
}
inline OperationPtr answer_later(Loop& loop, ToolResult answer, Done<ToolResult> done) {
  return answer_later<ToolResult>(loop, Result<ToolResult>(std::move(answer)), std::move(done));
}

}  // namespace talaria
