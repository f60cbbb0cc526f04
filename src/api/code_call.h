#pragma once
#include <memory>
#include <optional>
#include <string>

#include "api/code_arguments.h"
#include "api/interpreters.h"
#include "api/later.h"
#include "api/parts.h"
#include "api/place.h"
#include "api/script.h"
#include "api/script_stream.h"
#include "tools/tool.h"

namespace talaria {

// One call of execute_code, from the parameters to the result.
//   preparing → (ending the one to be reset →) finding its place → finding Python → running → answered
// Dropping it before it was handed back ends the program.
class CodeCall : public Operation {
 public:
  CodeCall(Parts& parts, ToolCall call, const ToolSpec& spec, Done<ToolResult> done);
  ~CodeCall() override;
  void begin();

 private:
  Result<> prepare(const ToolSpec& spec);
  void use_kept(Script& script);
  void reset(Script& script);
  void find_place();
  void take_place(Result<Place> place);
  void take_interpreter(Result<Interpreter> interpreter);
  Result<> start(const Interpreter& interpreter);
  Result<GateRequest> gate_request(const std::string& job) const;
  RunPlan run_plan(const std::string& job);
  void follow(Script& script);
  void ended(ScriptEnding ending);
  void hand_back();
  std::string cwd() const;
  void fail(const Error& error);
  void answer(ToolResult result);

  Parts& parts_;
  ToolCall call_;
  ToolSpec spec_;
  Done<ToolResult> done_;
  std::shared_ptr<const Settings> settings_;
  CodeArguments arguments_;
  CodeLimits limits_;
  std::string mode_;
  std::vector<std::string> tools_;
  std::vector<std::string> notes_;
  Clock::time_point begun_ = Clock::now();
  std::optional<PlaceFinder> finder_;
  Place place_;
  Interpreters::Waiter interpreting_;
  std::string script_;  // the job that runs it
  bool retried_ = false;
  JobWatch resetting_;
  std::optional<ScriptStream> stream_;
  Outputs::Pending reading_;
  Later later_;
  Loop::Timer yield_;
};

}  // namespace talaria
