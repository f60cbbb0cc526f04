#include "talaria/exec_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>

#include "base/id.h"
#include "os/random.h"
#include "talaria/collected_output.h"
#include "talaria/command_line.h"
#include "talaria/ending.h"
#include "talaria/gateway.h"
#include "talaria/job_stream.h"
#include "talaria/print.h"
#include "talaria/terminal_mode.h"
#include "talaria/tool_call.h"

namespace talaria {
namespace {

Result<JsonObject> read_env(const std::vector<std::string>& entries) {
  JsonObject env;
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) return invalid("--env wants NAME=VALUE, got \"" + entry + "\"");
    env[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return env;
}

Result<JsonObject> exec_arguments(const ExecOptions& options) {
  JsonObject arguments{{"command", command_from_words(options.words)}};
  JsonObject env = TRY(read_env(options.env));
  set_if(arguments, "workdir", options.workdir);
  set_if(arguments, "host", options.host);
  set_if(arguments, "label", options.label);
  set_if(arguments, "security", options.security);
  set_if(arguments, "ask", options.ask);
  set_if(arguments, "timeout", options.timeout);
  if (options.background) arguments["background"] = true;
  if (options.elevated) arguments["elevated"] = true;
  if (options.persist) arguments["persist"] = true;
  if (options.pty || options.terminal) arguments["pty"] = true;
  if (options.terminal) {
    if (const std::optional<WindowSize> size = window_size()) {
      arguments["rows"] = size->rows;
      arguments["cols"] = size->cols;
    }
    const char* name = std::getenv("TERM");
    if (name && *name && !env.contains("TERM")) env["TERM"] = name;
  }
  if (!env.empty()) arguments["env"] = std::move(env);
  return arguments;
}

// Our own stdin goes to the command unless a person sits at it: then the command would wait for words that the person
// does not know are wanted.
Input choose_input(const ExecOptions& options) {
  if (options.no_stdin || options.background) return Input::none;
  if (is_terminal(STDIN_FILENO)) return options.terminal ? Input::terminal : Input::none;
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) != 0) return Input::none;
  const bool null_device = S_ISCHR(info.st_mode) && info.st_rdev == ::makedev(1, 3);
  return null_device && !options.terminal && !options.pty ? Input::none : Input::pump;
}

int run_for_json(Gateway& gateway, JsonObject arguments, JsonObject session, const ExecOptions& options) {
  set_if(arguments, "yieldMs", options.yield_ms);
  int left_by = 0;
  Result<JsonObject> result =
      call_exec_interruptibly(gateway.client, std::move(arguments), std::move(session), left_by);
  if (!result) return fail(after_lost_call(result.error()), left_by != 0 ? 128 + left_by : exit_own_failure);
  print_json(*result);
  return exit_code_of(details_of(*result));
}

// What was started for the background and may not stay there.
int stream_after_all(Gateway gateway, const std::string& id, const ExecOptions& options) {
  complain("exec.allow_background is false, so the command runs in the foreground");
  ExecOptions foreground = options;
  foreground.background = false;
  StreamOptions stream;
  stream.job = id;
  stream.input = choose_input(foreground);
  // Its stdin was kept open for `talaria write`; nobody can write while we stand here. Where it is closed already,
  // fine.
  if (stream.input == Input::none)
    (void)gateway.call("jobs/write", params_of({{"id", id}, {"eof", true}}), Repeat::harmless);
  return JobStream(gateway.home, std::move(gateway.client), std::move(stream)).run();
}

// Starts it and prints its id, nothing else, for `id=$(talaria exec -b …)`.
int run_in_background(Gateway gateway, JsonObject params, const ExecOptions& options) {
  // We chose its id, so a repeated start is the same job.
  Result<JsonObject> result = gateway.call("jobs/start", params_of(std::move(params)), Repeat::harmless);
  if (!result) return fail(result.error(), exit_own_failure);
  const JsonObject& details = details_of(*result);
  const std::string id = text_or(details, "sessionId");
  if (id.empty() || boolean_or(*result, "isError")) {
    complain(for_people(text_of(*result)));
    return exit_code_of(details);
  }
  if (const std::string warning = text_or(details, "warning"); !warning.empty()) complain(warning);
  if (boolean_or(details, "foreground")) return stream_after_all(std::move(gateway), id, options);
  print_line(id);
  return 0;
}

// One result at the end, of a job that only jobs/start can start.
int run_collected(Gateway gateway, StreamOptions stream) {
  CollectedOutput output;
  stream.collect = &output;
  JobStream job(gateway.home, std::move(gateway.client), std::move(stream));
  const int code = job.run();
  if (job.ending().empty()) return code;
  Excerpt shown = output.shown();
  std::string text = std::move(shown.text);
  const std::string about = text_or(job.ending(), "text");
  if (!about.empty()) text += (text.empty() ? "" : "\n") + about;
  JsonObject result{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", text.empty() ? "(no output)" : text}}}},
                    {"details", job.ending().at("details")}};
  if (Json& details = result.at("details"); details.is_object()) details.get_object()["truncated"] = shown.truncated;
  if (boolean_or(job.ending(), "isError")) result["isError"] = true;
  print_json(result);
  return code;
}

}  // namespace

int run_exec(const ExecOptions& options) {
  if (options.words.empty()) return usage_error(options.name, "give a command to run");
  Result<JsonObject> arguments = exec_arguments(options);
  if (!arguments) return usage_error(options.name, arguments.error().message());
  Result<JsonObject> session = session_here(options.session);
  if (!session) return fail(session.error(), exit_own_failure);
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error(), exit_own_failure);
  if (options.json && !options.sandbox)
    return run_for_json(*gateway, *std::move(arguments), *std::move(session), options);

  // We are there to see how it ends, so nobody need be told.
  if (!options.background) (*arguments)["notify"] = false;
  const Input input = choose_input(options);
  const bool keep_stdin = options.background ? !options.no_stdin : input != Input::none;
  const std::string id = id_from(random_u64());
  JsonObject params{{"arguments", *std::move(arguments)},
                    {"id", id},
                    {"session", *std::move(session)},
                    {"stdin", keep_stdin ? "pipe" : "null"}};
  set_if(params, "sandbox", options.sandbox);
  if (options.background) return run_in_background(*std::move(gateway), std::move(params), options);
  StreamOptions stream;
  stream.start = std::move(params);
  stream.job = id;
  stream.input = input;
  if (options.yield_ms) stream.yield = std::chrono::milliseconds(*options.yield_ms);
  if (options.tell_sandbox) stream.afterword = sandbox_sentence;
  if (options.json) return run_collected(*std::move(gateway), std::move(stream));
  return JobStream(gateway->home, std::move(gateway->client), std::move(stream)).run();
}

}  // namespace talaria
