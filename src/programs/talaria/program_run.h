#pragma once
#include "base/clock.h"
#include "os/fd.h"
#include "rpc/client.h"
#include "talaria/progress_line.h"

namespace talaria {

// One call of execute_code by somebody at a terminal: what the program prints goes to stdout as it comes, what it says
// of its progress to stderr. SIGINT, SIGTERM and SIGHUP stop the program, and its result still comes; a second one, or
// a result that does not come, leaves at once: the gateway then ends what is left of it.
class ProgramRun {
 public:
  enum class Progress { show, hide };
  // `interpreter`: kept ones are interrupted, so that their variables stay; others are killed.
  enum class Interpreter { once, kept };
  ProgramRun(RpcClient& client, Progress progress, Interpreter interpreter);

  // The result; absent when it was interrupted and there is none.
  Result<std::optional<JsonObject>> run(JsonObject params);

 private:
  Result<> take_messages();
  Result<> take(const RpcNotification& news);
  Result<> take(const RpcResponse& response);
  Result<> take_signal();
  Result<> stop_program();
  Result<> write_output(std::string_view data);
  // Until one of the two fds is ready, or our patience is over.
  Result<> wait(int fd, short events, short& happened);
  bool leaving() const;

  RpcClient& client_;
  const bool shows_progress_;
  const bool kept_;
  UniqueFd signals_;
  ProgressLine progress_;
  int64_t call_ = 0;
  std::string job_;  // known once the program begins
  std::optional<JsonObject> result_;
  int interrupts_ = 0;
  std::optional<Clock::time_point> interrupted_at_;
};

}  // namespace talaria
