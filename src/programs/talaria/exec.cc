#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>

#include "base/id.h"
#include "os/random.h"
#include "talaria/commands.h"
#include "talaria/ending.h"
#include "talaria/gateway.h"
#include "talaria/job_stream.h"
#include "talaria/print.h"
#include "talaria/terminal_mode.h"
#include "talaria/tool_call.h"

namespace talaria {
namespace {

struct ExecOptions {
  bool background = false;
  bool terminal = false;
  bool pty = false;
  bool elevated = false;
  bool persist = false;
  bool json = false;
  bool no_stdin = false;
  std::optional<std::string> host, workdir, label, session, security, ask;
  std::vector<std::string> env;
  std::optional<double> timeout;
  std::optional<int64_t> yield_ms;
  std::vector<std::string> words;
};

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
  Result<JsonObject> result = call_exec_interruptibly(gateway.client, std::move(arguments), std::move(session));
  if (!result) return fail(after_lost_call(result.error()), exit_own_failure);
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
  if (stream.input == Input::none) (void)gateway.client.call("jobs/write", params_of({{"id", id}, {"eof", true}}));
  return JobStream(gateway.home, std::move(gateway.client), std::move(stream)).run();
}

// Starts it and prints its id, nothing else, for `id=$(talaria exec -b …)`.
int run_in_background(Gateway gateway, JsonObject params, const ExecOptions& options) {
  Result<JsonObject> result = gateway.client.call_object("jobs/start", params_of(std::move(params)));
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

int run(const ExecOptions& options) {
  if (options.words.empty()) return usage_error("exec", "give a command to run");
  Result<JsonObject> arguments = exec_arguments(options);
  if (!arguments) return usage_error("exec", arguments.error().message());
  Result<JsonObject> session = session_here(options.session);
  if (!session) return fail(session.error(), exit_own_failure);
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error(), exit_own_failure);
  if (options.json) return run_for_json(*gateway, *std::move(arguments), *std::move(session), options);

  // We are there to see how it ends, so nobody need be told.
  if (!options.background) (*arguments)["notify"] = false;
  const Input input = choose_input(options);
  const bool keep_stdin = options.background ? !options.no_stdin : input != Input::none;
  const std::string id = id_from(random_u64());
  JsonObject params{{"arguments", *std::move(arguments)},
                    {"id", id},
                    {"session", *std::move(session)},
                    {"stdin", keep_stdin ? "pipe" : "null"}};
  if (options.background) return run_in_background(*std::move(gateway), std::move(params), options);
  StreamOptions stream;
  stream.start = std::move(params);
  stream.job = id;
  stream.input = input;
  if (options.yield_ms) stream.yield = std::chrono::milliseconds(*options.yield_ms);
  return JobStream(gateway->home, std::move(gateway->client), std::move(stream)).run();
}

Run declare(CommandLine& line) {
  auto options = std::make_shared<ExecOptions>();
  line.flag("-b,--background", options->background, "Start it, print its id and return at once");
  line.flag("-t,--terminal", options->terminal, "Run it in a terminal and connect it to this one");
  line.flag("--pty", options->pty, "Run it in a terminal of its own");
  line.option("--host", options->host, "HOST", "Where: auto, sandbox, gateway or node");
  line.option("-w,--workdir", options->workdir, "DIR", "Start there instead of here");
  line.option("-e,--env", options->env, "NAME=VALUE", "Set a variable (may be repeated)");
  line.option("--timeout", options->timeout, "SECONDS", "End it after this long; 0 = never (default: exec.timeout)");
  line.option("--yield", options->yield_ms, "MS", "Stop waiting after this long and leave it running");
  line.option("-l,--label", options->label, "NAME", "A name for the job");
  line.flag("--persist", options->persist, "Let it outlive the session");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.option("--security", options->security, "MODE", "Tighten the policy: deny, allowlist or full");
  line.option("--ask", options->ask, "MODE", "Tighten the questions: off, on-miss or always");
  line.flag("--elevated", options->elevated, "Run with more rights, if the owner allows it");
  line.flag("-n,--no-stdin", options->no_stdin, "Give it no input, whatever our stdin is");
  line.flag("--json", options->json, "Print one JSON result at the end, as the exec tool gives it; no input is passed");
  line.rest("COMMAND", options->words);
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand exec_command = {"exec", "Run a command: live output, its exit code, safe from gateway restarts",
                                 R"(  talaria exec 'make -j8 2>&1 | tail'      one word: a shell command
  talaria exec grep -n 'a b' file.txt      several words: exactly these arguments
  echo hello | talaria exec cat            stdin is passed on
  id=$(talaria exec -b 'npm run dev')      background; see talaria ps, log, kill
  talaria exec -t htop                     in this terminal

Exit code: the command's; 128+n for signal n; 124 timeout; 125 our own failure;
126 denied. Ctrl-C interrupts the command, a second one kills it.)",
                                 declare};

}  // namespace talaria
