#pragma once
#include <memory>
#include <optional>
#include <string>

#include "api/exec_result.h"
#include "api/later.h"
#include "api/parts.h"
#include "api/process_arguments.h"
#include "tools/operation.h"

namespace talaria {

// One call of the process tool: checked parameters, and the job they mean.
struct ProcessWish {
  ProcessArguments arguments;
  JobRow row;                          // not for list
  std::optional<std::string> session;  // whose jobs the caller may see; absent: all
  std::string reader;                  // who polls: output is new to a reader, not to the world
  std::shared_ptr<const Settings> settings;
};

// What every action has: it answers once, from the loop.
class ProcessCall : public Operation {
 public:
  ProcessCall(Parts& parts, ProcessWish wish, Done<ToolResult> done)
      : parts_(parts), wish_(std::move(wish)), done_(std::move(done)) {}

 protected:
  void answer(ToolResult result) {
    const Done<ToolResult> done = std::exchange(done_, nullptr);
    if (!done) return;        // answered already
    done(std::move(result));  // may destroy us
  }
  void answer_soon(ToolResult result) {
    later_ = Later(parts_.loop, [this, result = std::move(result)] { answer(result); });
  }
  void fail(const Error& error) { answer(error_result(error)); }
  void fail_soon(const Error& error) { answer_soon(error_result(error)); }

  const ProcessArguments& arguments() const { return wish_.arguments; }
  const std::string& id() const { return wish_.row.id; }
  // The row as it is now; as it was when the call came if the job is forgotten since.
  JobRow row_now() const {
    Result<JobRow> row = parts_.jobs.find(id(), std::nullopt);
    return row ? *std::move(row) : wish_.row;
  }
  // For a model's eyes.
  std::string masked(std::string text) const { return mask().hide(std::move(text)); }
  Mask mask() const;

  Parts& parts_;
  ProcessWish wish_;

 private:
  Done<ToolResult> done_;
  mutable SharedEnvironment secrets_;
  Later later_;
};

template <class Call>
OperationPtr begin_call(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  auto call = std::make_unique<Call>(parts, std::move(wish), std::move(done));
  call->begin();
  return call;
}

OperationPtr start_list(Parts& parts, ProcessWish wish, Done<ToolResult> done);
OperationPtr start_poll(Parts& parts, ProcessWish wish, Done<ToolResult> done);
OperationPtr start_log(Parts& parts, ProcessWish wish, Done<ToolResult> done);
OperationPtr start_input(Parts& parts, ProcessWish wish, Done<ToolResult> done);  // write, send-keys, paste, submit
OperationPtr start_wait(Parts& parts, ProcessWish wish, Done<ToolResult> done);
OperationPtr start_resize(Parts& parts, ProcessWish wish, Done<ToolResult> done);
OperationPtr start_end(Parts& parts, ProcessWish wish, Done<ToolResult> done);  // kill, clear, remove

// "Command still running.", "Command exited with code 0.", "Command ended by signal SIGTERM.", …
std::string standing_sentence(const JobRow& row);
// {status, sessionId, exitCode?, exitSignal?, …}
JsonObject standing_details(const JobRow& row);

}  // namespace talaria
