#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/exec_arguments.h"
#include "api/exec_plan.h"
#include "api/exec_result.h"
#include "api/later.h"
#include "api/parts.h"
#include "api/shell_state.h"
#include "api/skill_grants.h"
#include "tools/operation.h"

namespace talaria {

// One call of exec, as its door brought it.
struct ExecWish {
  JsonObject arguments;
  SessionRow session;
  Caller caller;
  std::string id;           // chosen by the caller, so that a repeated start is the same job; else empty
  bool never_wait = false;  // hand back as soon as it runs, and let it run when the call is dropped
  bool keep_stdin = false;
  SandboxWish sandbox;
  bool never_yield = false;    // stay with the command, however long it takes
  bool keep_state = false;     // start where the session's last command went, and keep what this one changes
  double timeout_seconds = 0;  // when the call names none; 0: as configured for exec
  // How the end of the command is told; exec's own way when there is none.
  std::function<ToolResult(const JobRow&, const JobDetails&, const ShownOutput&, const std::vector<std::string>& notes)>
      tell;
};

// From the parameters to the result.
//   preparing → (awaiting_environment →) (awaiting_grants →) (awaiting_sandbox →) starting → running → collecting →
//   answered
// Dropping it before it was handed back ends the command.
class ExecCall : public Operation {
 public:
  ExecCall(Parts& parts, ExecWish wish, Done<ToolResult> done);
  ~ExecCall() override;
  void begin();

 private:
  enum class Phase {
    preparing,
    awaiting_environment,
    awaiting_grants,
    awaiting_sandbox,
    starting,
    running,
    collecting,
    answered
  };

  Result<> prepare();
  // False when there is no job of the id that was asked for.
  bool join_existing();
  bool same_as(const JobRow& row) const;
  void with_environment();
  Result<std::vector<std::string>> argv_for(const Environment& environment) const;
  Environment environment_for(const SharedEnvironment& base);
  GateRequest gate_request() const;
  Result<StartOptions> start_options();
  Jobs::Start job_to_start() const;
  void with_grants(const SharedEnvironment& base);
  void with_sandbox(const SharedEnvironment& base);
  void take_sandbox(const SharedEnvironment& base, Result<SharedSandboxPlan> plan);
  void tell_workspace();
  void launch(const SharedEnvironment& base);
  bool keeps_state() const;
  void keep_state();
  void try_another_sandbox();
  std::string protection_hint(const JobRow& row, const std::string& output) const;
  Error explain_start(Error why) const;
  void follow(LiveJob& job);
  void job_changed(LiveJob& job);
  void became_running(LiveJob& job);
  ToolResult started_result(const JobRow& row) const;
  void hand_back();
  void collect(LiveJob& job);
  void answer_finished(const JobRow& row, const JobDetails& details, const SharedEnvironment& secrets,
                       const Result<ByteSource>& output);
  void answer(ToolResult result);
  void answer_soon(ToolResult result);

  Parts& parts_;
  ExecWish wish_;
  Done<ToolResult> done_;
  std::shared_ptr<const Settings> settings_;
  ExecArguments arguments_;
  ExecPlan plan_;
  std::string job_;
  Phase phase_ = Phase::preparing;
  Clock::time_point begun_ = Clock::now();
  LoginEnvironment::Waiter environment_;
  GrantFinder granting_;
  SkillGrants grants_;  // of the session's skills
  Sandboxes::Waiter preparing_;
  SharedSandboxPlan sandbox_;  // null: the plain host
  UniqueFd report_;            // where the shell says at its end what it changed
  ShellState given_;           // what it started with
  Environment environment_given_;
  Environment passed_secrets_;
  JsonObject workspace_;  // said with the first command of a sandbox; else empty
  bool retried_ = false;
  JobWatch watch_;
  Outputs::Pending reading_;
  KeeperClient::Call feeding_;
  Later later_;
  Loop::Timer yield_;
};

OperationPtr start_exec(Parts& parts, ExecWish wish, Done<ToolResult> done);

}  // namespace talaria
