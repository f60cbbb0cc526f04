#include "api/code_call.h"

#include <algorithm>

#include "api/exec_plan.h"
#include "api/exec_result.h"
#include "api/script_environment.h"
#include "api/script_result.h"
#include "api/scripts.h"

namespace talaria {
namespace {

constexpr std::string_view strict_profile = "read-only";

double seconds_since(Clock::time_point begun) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count()) /
         1000;
}

std::string first_line(const std::string& source) {
  const size_t begin = source.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return source.substr(begin, source.find('\n', begin) - begin);
}

}  // namespace

CodeCall::CodeCall(Parts& parts, ToolCall call, const ToolSpec& spec, Done<ToolResult> done)
    : parts_(parts), call_(std::move(call)), spec_(spec), done_(std::move(done)) {}

CodeCall::~CodeCall() {
  // Nobody waits for it any more, and nobody was told that it runs.
  Script* script = script_.empty() ? nullptr : parts_.scripts.find(script_);
  if (!script) return;
  script->detach();
  script->stop(RunStop::interrupted);
}

void CodeCall::begin() {
  if (Result<> prepared = prepare(spec_); !prepared) return fail(prepared.error());
  Script* kept = arguments_.session.empty() ? nullptr : parts_.scripts.kept(call_.session->id, arguments_.session);
  if (kept && arguments_.reset) return reset(*kept);
  if (kept) return use_kept(*kept);
  if (!arguments_.session.empty()) {
    if (Result<> room = parts_.scripts.room_for(call_.session->id); !room) return fail(room.error());
    const std::string why = parts_.scripts.take_reason(call_.session->id, arguments_.session);
    if (!why.empty()) {
      notes_.push_back("A new interpreter: the one kept as \"" + arguments_.session + "\" is gone, and its variables " +
                       "with it (" + why + ").");
    }
  }
  find_place();
}

Result<> CodeCall::prepare(const ToolSpec& spec) {
  settings_ = TRY(parts_.settings.current());
  arguments_ = TRY(parse_code_arguments(call_.arguments, spec));
  call_.arguments.clear();
  limits_ = code_limits(arguments_, settings_->code_execution);
  notes_ = limits_.notes;
  mode_ = arguments_.mode.empty() ? settings_->code_execution.mode : arguments_.mode;
  tools_ = TRY(tools_for(arguments_, parts_.desk.callable(call_.session)));
  return ok;
}

void CodeCall::use_kept(Script& script) {
  if (script.busy()) {
    ToolResult busy =
        refused_run("busy: a script runs in session \"" + arguments_.session +
                    "\" already; wait for it (process poll " + script.job() + "), or start it anew with reset=true");
    busy.details["busy"] = true;
    busy.details["sessionId"] = script.job();
    later_ = Later(parts_.loop, [this, busy] { answer(busy); });
    return;
  }
  if (!arguments_.mode.empty() && arguments_.mode != script.plan().mode) {
    return fail(invalid("session \"" + arguments_.session + "\" was started in mode " + script.plan().mode +
                        "; reset=true starts it anew in mode " + arguments_.mode));
  }
  follow(script);
}

void CodeCall::reset(Script& script) {
  LiveJob* job = parts_.jobs.live(script.job());
  script.stop(RunStop::interrupted);
  script.end("");
  if (!job || !job->running()) return find_place();
  resetting_ = parts_.jobs.watch(*job, [this](LiveJob& changed) {
    if (changed.running()) return;
    later_ = Later(parts_.loop, [this] {
      resetting_.reset();
      find_place();
    });
  });
}

void CodeCall::find_place() {
  SandboxWish wish;
  if (mode_ == "strict") wish.profile = strict_profile;
  finder_.emplace(parts_, *call_.session, wish);
  finder_->find([this](Result<Place> place) { take_place(std::move(place)); });
}

void CodeCall::take_place(Result<Place> place) {
  if (!place) return fail(Error(place.error().code(), "no sandbox, so nothing was run: " + place.error().message()));
  place_ = *std::move(place);
  if (mode_ == "strict" && !place_.sandbox) {
    return fail(Error(ErrorCode::unavailable,
                      "mode strict shows the workspace read-only, which takes the sandbox, and exec.host is gateway; "
                      "nothing was run. Use mode project, or set exec.host to auto"));
  }
  // Looking for a Python runs what is found in the workspace: on the plain host only what may run anyway.
  const Result<GateRequest> request = gate_request("");
  if (!request) return fail(request.error());
  if (const Verdict verdict = parts_.gate.judge(*request); verdict.decision != Decision::allow) {
    return fail(Error(ErrorCode::denied, verdict.reason));
  }
  InterpreterWish wish{place_, *call_.session};
  wish.mode = mode_ == "strict" ? InterpreterMode::strict : InterpreterMode::project;
  wish.cwd = cwd();
  if (call_.caller.environment) wish.client = *call_.caller.environment;
  interpreting_ =
      parts_.interpreters.find(wish, [this](Result<Interpreter> found) { take_interpreter(std::move(found)); });
}

void CodeCall::take_interpreter(Result<Interpreter> interpreter) {
  if (!interpreter) return fail(interpreter.error());
  if (Result<> started = start(*interpreter); !started) fail(started.error());
}

std::string CodeCall::cwd() const {
  if (mode_ == "strict") return "/tmp";
  return path_base(parts_, call_, place_).cwd;
}

Result<> CodeCall::start(const Interpreter& interpreter) {
  ScriptEnvironment environment =
      script_environment(parts_, place_, *call_.session, call_.caller, Scripts::directory(place_) + "/python");
  if (!retried_) {
    notes_.insert(notes_.end(), interpreter.notes.begin(), interpreter.notes.end());
    notes_.insert(notes_.end(), environment.notes.begin(), environment.notes.end());
    if (place_.sandbox) notes_.insert(notes_.end(), place_.sandbox->notes.begin(), place_.sandbox->notes.end());
  }
  ScriptPlan plan;
  plan.session = *call_.session;
  plan.place = place_;
  plan.interpreter = interpreter;
  plan.name = arguments_.session;
  plan.mode = mode_;
  plan.cwd = cwd();
  plan.environment = std::move(environment.variables);
  Environment secrets = std::move(environment.secrets);
  secrets.insert(parts_.environment.secrets()->begin(), parts_.environment.secrets()->end());
  plan.secrets = std::make_shared<const Environment>(std::move(secrets));
  plan.sandbox = sandbox_of({.sandbox = place_.sandbox ? place_.sandbox->field : JsonObject()});
  plan.door = call_.caller.door;

  Script& script = parts_.scripts.add(std::move(plan));
  Result<Environment> given = script.prepare();
  if (!given) return parts_.scripts.discard(script), given.error();
  Command command{
      {interpreter.program, "-X", "utf8", Scripts::directory(place_) + "/host/boot.py"}, cwd(), *std::move(given)};
  const GateRequest request = TRY(gate_request(script.job()));
  Result<Permit> permitted = parts_.gate.permit(std::move(command), request);
  if (!permitted) return parts_.scripts.discard(script), permitted.error();
  const std::string title = first_line(arguments_.code);
  follow(script);
  Result<> started = script.start(*std::move(permitted), title);
  if (!started) return script_.clear(), parts_.scripts.discard(script), started;
  return ok;
}

// A program is judged as a command is: by where it runs.
Result<GateRequest> CodeCall::gate_request(const std::string& job) const {
  GateRequest request = TRY(gate_request_at(place_));
  request.text = "execute_code";
  request.session = call_.session->id;
  request.job = job;
  request.door = call_.caller.door;
  return request;
}

RunPlan CodeCall::run_plan(const std::string& job) {
  RunPlan plan;
  plan.source = arguments_.code;  // it may be needed once more
  plan.limits.tools = {tools_.begin(), tools_.end()};
  plan.limits.max_calls = limits_.max_tool_calls;
  plan.limits.max_parallel = settings_->code_execution.max_parallel_calls;
  plan.timeout_seconds = limits_.timeout_seconds;
  plan.max_stdout_bytes = static_cast<size_t>(settings_->code_execution.max_stdout_bytes);
  if (mode_ == "strict") plan.staging = "/tmp/talaria-code-" + job;
  plan.notes = notes_;
  plan.trace = arguments_.trace;
  plan.caller = call_.caller;
  return plan;
}

void CodeCall::follow(Script& script) {
  script_ = script.job();
  script.run(run_plan(script_), [this](ScriptEnding ending) { ended(std::move(ending)); });
  if (call_.caller.on_output) {
    stream_.emplace(parts_.loop, parts_.outputs, script_, script.printed_before(), call_.caller.on_output);
  }
  const int64_t window = arguments_.yield_ms
                             ? *arguments_.yield_ms
                             : yield_window(std::nullopt, settings_->exec.yield_ms, parts_.environment.own());
  if (window == 0 || !settings_->exec.allow_background) return;
  yield_ = parts_.loop.at(begun_ + std::chrono::milliseconds(window), [this] { hand_back(); });
}

void CodeCall::ended(ScriptEnding ending) {
  script_.clear();
  yield_ = {};
  if (ending.start_error) stream_.reset();
  const bool fell = ending.start_error && place_.sandbox && ending.start_error->code() == ErrorCode::cancelled;
  if (fell && !std::exchange(retried_, true)) {
    // It fell just before we came: nothing has run, and a new one is a few milliseconds away.
    parts_.sandboxes.gone(place_.sandbox->request.space);
    later_ = Later(parts_.loop, [this] { find_place(); });
    return;
  }
  if (ending.start_error)
    return answer(refused_run("the script could not be started: " + ending.start_error->message()));
  if (!stream_) return answer(std::move(ending.result));
  stream_->finish(ending.output_end, [this, result = std::move(ending.result)] { answer(result); });
}

void CodeCall::hand_back() {
  Script* script = parts_.scripts.find(script_);
  LiveJob* job = parts_.jobs.live(script_);
  if (!script || !job) return;
  script->detach();
  script_.clear();
  stream_.reset();
  job->details.handed_back = true;
  job->details.result = {};
  parts_.jobs.save(*job);
  if (arguments_.session.empty()) parts_.announcer.handed_back(*job);
  ToolResult result;
  result.text = "Script still running (session " + job->row.id +
                "). Use process: poll shows what it prints, and its result once it has ended; kill ends it.";
  result.details = {{"status", "running"},
                    {"sessionId", job->row.id},
                    {"output", ""},
                    {"tool_calls_made", script->calls_so_far()},
                    {"duration_seconds", seconds_since(begun_)},
                    {"sandbox", script->plan().sandbox}};
  reading_ = parts_.outputs.open(job->row.id, [this, result, from = script->printed_before(),
                                               secrets = script->plan().secrets](const Result<ByteSource>& source) {
    const Result<std::string> tail =
        source ? tail_text(part_of(*source, from, source->size), tail_characters, Collapse::yes)
               : Result<std::string>("");
    ToolResult told = result;
    const Mask mask = parts_.secrets.mask(secrets);
    const std::string shown = tail ? mask.hide_cut(mask.hide(*tail), CutEnd::front) : "";
    told.details["output"] = shown;
    if (!shown.empty()) told.text += "\n\nThe end of its output so far:\n" + shown;
    answer(std::move(told));
  });
}

void CodeCall::fail(const Error& error) {
  later_ = Later(parts_.loop, [this, refused = refused_run(error.message())] { answer(refused); });
}

void CodeCall::answer(ToolResult result) {
  const Done<ToolResult> done = std::exchange(done_, nullptr);
  if (!done) return;
  if (call_.caller.program) result.text.clear();
  done(std::move(result));  // may destroy us
}

}  // namespace talaria
