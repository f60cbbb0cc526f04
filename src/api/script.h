#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/interpreters.h"
#include "api/parts.h"
#include "api/place.h"
#include "code/error_text.h"
#include "code/run_result.h"
#include "code/script_server.h"

namespace talaria {

// An interpreter to start: all that holds for every program it runs.
struct ScriptPlan {
  SessionRow session;
  Place place;
  Interpreter interpreter;
  std::string name;  // it is kept under this name; empty: it runs one program and ends
  std::string mode;
  std::string cwd;
  Environment environment;
  SharedEnvironment secrets;
  JsonObject sandbox;  // as results say it
  std::string warm;    // the base to be forked from, if it is ready
  std::string door;
};

// One program to run in it.
struct RunPlan {
  std::string source;
  RunLimits limits;
  double timeout_seconds = 0;
  size_t max_stdout_bytes = 0;
  std::string staging;             // a directory of its own to run in; empty: none
  std::vector<std::string> notes;  // to be said in its result
  bool trace = false;
  Caller caller;  // who called execute_code
};

// Why a run is being ended before its program does.
enum class RunStop { none, timeout, interrupted, broken };

// How a run ended. With a start_error nothing ran.
struct ScriptEnding {
  ToolResult result;
  std::optional<Error> start_error;
  uint64_t output_end = 0;  // of what it printed, in the output of its job
};

// A program that runs.
struct ScriptRun {
  int64_t number = 0;
  RunPlan plan;
  Clock::time_point begun = Clock::now();
  RunStop stop = RunStop::none;
  std::string how;  // as its process says it ended
  std::optional<int> exit_code;
  std::string broken;       // what was wrong with what its process said
  bool calls_over = false;  // none is served any more
  RunTally tally;
  std::optional<std::string> went_from;     // where the session's commands were before
  uint64_t end = 0;                         // of its output in the job's
  std::function<void(ScriptEnding)> ended;  // none: nobody waits for it
};

// One interpreter at the keeper, and the program that runs in it: a job whose stdout is the job's output, whose stderr
// comes through a pipe of ours, and whose calls come through its lobby.
//   starting → running ⇄ idle (only a kept one) → over
class Script {
 public:
  struct Events {
    std::function<void(Script&)> on_idle;  // a kept one waits for the next program
    std::function<void(Script&)> on_over;  // nothing of it is left for us to do; it may be destroyed a moment later
  };
  using Ended = std::function<void(ScriptEnding)>;

  Script(Parts& parts, ScriptPlan plan, Events events);
  ~Script();

  // Makes what leads to it, and tells the environment it must have. Then run() its first program, then start() it: the
  // program waits for it.
  Result<Environment> prepare();
  // `title` tells a person what it runs.
  Result<> start(Permit permit, const std::string& title);
  // Takes up one that an earlier gateway started. Calls back with whether it is idle; if not, it is ended.
  void take_up(LiveJob& job, std::function<void(Result<>)> done);

  void run(RunPlan plan, Ended ended);
  // The run goes on, and nobody waits for it: its result is kept with the job.
  void detach();
  // Ends the run, or with it the interpreter if it does not give in.
  void stop(RunStop why);
  // Ends the interpreter; whoever asks for it next is told why it is gone, if there is something to tell.
  void end(const std::string& why);
  const std::string& why_ended() const { return why_ended_; }

  const ScriptPlan& plan() const { return plan_; }
  // How the interpreter ended; absent while it lives.
  const std::optional<JobRow>& ended_row() const { return ended_row_; }
  const JobDetails& ended_details() const { return ended_details_; }
  ScriptOutput errors() const { return errors_->take(); }
  // Where the output of this run begins in the job's.
  uint64_t printed_before() const { return printed_; }
  const std::string& job() const { return job_; }
  bool busy() const { return run_ != nullptr; }
  bool over() const { return over_; }
  // Whether a call may still use it.
  bool lasts() const { return !over_ && !ending_; }
  int64_t calls_so_far() const { return server_ ? server_->tally().calls : 0; }
  Clock::time_point idle_since() const { return idle_since_; }

 private:
  void serve(UniqueFd lobby, UniqueFd errors);
  OperationPtr call_tool(ScriptCall call, Done<ToolResult> done);
  void process_says(const ScriptRunEnd& end);
  void process_broke(const Error& why);
  void begin();
  void found_idle();
  void not_taken_up(const Error& why);
  void end_calls();
  void drain();
  void job_changed(LiveJob& job);
  void job_ended(LiveJob& job);
  void remove_staging(const std::string& directory);
  void collect(uint64_t end);
  void collected(const Result<ByteSource>& output);
  void finish(ToolResult result, std::optional<Error> start_error);
  void keep_result(const ToolResult& result);
  void become_over();

  Parts& parts_;
  ScriptPlan plan_;
  Events events_;
  std::string job_;
  int64_t last_run_ = 0;
  uint64_t printed_ = 0;  // where the output of the next run begins
  std::string staging_;   // the directory its programs run in; empty: none
  bool ending_ = false;
  bool over_ = false;
  std::string why_ended_ = "it was ended, or ended by itself";
  Clock::time_point idle_since_ = Clock::now();
  std::unique_ptr<ScriptRun> run_;
  std::optional<JobRow> ended_row_;
  JobDetails ended_details_;
  std::vector<NumberedFd> given_;  // for the process
  std::vector<UniqueFd> kept_;     // for the keeper, so that another gateway finds the way
  std::optional<ScriptServer> server_;
  std::optional<ErrorText> errors_;
  std::function<void(Result<>)> taken_up_;
  JobWatch watch_;
  Loop::Timer deadline_;
  Outputs::Pending reading_;
  KeeperClient::Call asking_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace talaria
