#include <unistd.h>

#include "talaria/commands.h"
#include "talaria/ending.h"
#include "talaria/exec_run.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/sandbox_quarantine.h"
#include "talaria/sandbox_quarantine_help.h"
#include "talaria/sandbox_show.h"
#include "talaria/table.h"
#include "talaria/word_check.h"

namespace talaria {
namespace {

struct SandboxOptions {
  std::string action;
  std::optional<std::string> profile, network;
  bool verbose = false;
  ExecOptions exec;  // of run; its `json` is everyone's
};

JsonObject wish(const SandboxOptions& options) {
  JsonObject wished;
  set_if(wished, "profile", options.profile);
  set_if(wished, "network", options.network);
  return wished;
}

int run_command(const SandboxOptions& options) {
  ExecOptions exec = options.exec;
  exec.name = "sandbox";
  exec.host = "sandbox";
  exec.sandbox = wish(options);
  exec.tell_sandbox = options.verbose || is_terminal(STDERR_FILENO);
  return run_exec(exec);
}

Medium medium() { return is_terminal(STDOUT_FILENO) ? Medium::terminal : Medium::pipe; }

Colour answer_colour(const std::string& answer) {
  if (answer == "yes") return Colour::green;
  return answer == "no" ? Colour::yellow : Colour::none;
}

int show(const std::string& method, JsonObject params, const SandboxOptions& options) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  Result<JsonObject> answer = gateway->call(method, params_of(std::move(params)), Repeat::harmless);
  if (!answer) return fail(answer.error());
  if (options.exec.json) {
    print_json(*answer);
    return 0;
  }
  const bool probe = method == "sandbox/probe";
  Table table(probe ? std::vector<std::string>{"CAPABILITY", "HERE", "DETAIL"}
                    : std::vector<std::string>{"WHAT", "IN THE SANDBOX"});
  if (probe) table.colour_column(1, answer_colour);
  table.wrap_last_column();
  for (auto& row : probe ? probe_rows(*answer, medium()) : explain_rows(*answer, medium())) table.add(std::move(row));
  table.print_out();
  return 0;
}

int explain(const SandboxOptions& options) {
  Result<JsonObject> session = session_here(std::nullopt);
  if (!session) return fail(session.error());
  JsonObject params = wish(options);
  params["session"] = *std::move(session);
  return show("sandbox/explain", std::move(params), options);
}

int run(const SandboxOptions& options) {
  if (options.action == "run") return run_command(options);
  if (options.action == "quarantine") {
    if (options.profile || options.network || options.verbose || options.exec.workdir || options.exec.timeout ||
        !options.exec.env.empty() || options.exec.terminal || options.exec.no_stdin) {
      return usage_error("sandbox", "quarantine runs nothing; talaria sandbox quarantine --help tells what it takes");
    }
    std::vector<std::string> words = options.exec.words;
    if (options.exec.json) words.emplace_back("--json");
    return run_quarantine(std::move(words));
  }
  if (options.action != "explain" && options.action != "probe") {
    return usage_error("sandbox", no_such("action", options.action, {"run", "explain", "probe", "quarantine"}));
  }
  const ExecOptions& exec = options.exec;
  if (exec.workdir || exec.timeout || !exec.env.empty() || !exec.words.empty() || exec.terminal || exec.no_stdin) {
    return usage_error("sandbox", options.action + " runs nothing: a command and what goes with it are for run");
  }
  if (options.action == "explain") return explain(options);
  if (options.profile || options.network) {
    return usage_error("sandbox", "probe looks at the machine, whatever the profile; explain takes one");
  }
  return show("sandbox/probe", {}, options);
}

Run declare_sandbox(CommandLine& line) {
  auto options = std::make_shared<SandboxOptions>();
  line.required("ACTION", options->action, "run, explain, probe or quarantine");
  line.option("-p,--profile", options->profile, "NAME",
              "read-only, workspace-write, full or one of sandbox.profiles (default: sandbox.profile)");
  line.option("--network", options->network, "MODE", "off or on (default: sandbox.network)");
  line.option("-w,--workdir", options->exec.workdir, "DIR", "run: start there instead of here");
  line.option("-e,--env", options->exec.env, "NAME=VALUE", "run: set a variable (may be repeated)");
  line.option("--timeout", options->exec.timeout, "SECONDS", "run: end it after this long; 0 = never");
  line.flag("-t,--terminal", options->exec.terminal, "run: in a terminal connected to this one");
  line.flag("-n,--no-stdin", options->exec.no_stdin, "run: give it no input, whatever our stdin is");
  line.flag("-v,--verbose", options->verbose, "run: say on stderr which sandbox held, also in a script");
  line.flag("--json", options->exec.json, "Print JSON; of run one result at the end");
  line.rest("COMMAND", options->exec.words);
  line.action("run", "talaria sandbox run [OPTIONS] [--] COMMAND...");
  line.action("explain", "talaria sandbox explain [-p PROFILE] [--network MODE] [--json]");
  line.action("probe", "talaria sandbox probe [--json]");
  line.action_help("quarantine", quarantine_help);
  line.action_help("quarantine list", quarantine_list_help);
  line.action_help("quarantine show", quarantine_show_help);
  line.action_help("quarantine restore", quarantine_restore_help);
  line.action_help("quarantine delete", quarantine_delete_help);
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand sandbox_command = {"sandbox", "Try the sandbox by hand, see what it shows and what it is made of",
                                    R"(  talaria sandbox run 'touch /etc/x; ls ~'    what is refused?
  talaria sandbox run -p read-only -- make    does a build work without writing?
  talaria sandbox run --network on -- curl -sI https://example.org
  talaria sandbox run -t bash                 look around inside
  talaria sandbox explain -p read-only        what a command can see and change
  talaria sandbox probe                       what this machine can do; how to
                                              add what is missing
  talaria sandbox quarantine list             files that were taken away because
                                              they would run on the host

The workspace is this directory's git root, else this directory. Configure with
talaria config set sandbox.profile NAME; profiles of your own are below
sandbox.profiles. Exit codes of run are those of exec.)",
                                    declare_sandbox};

}  // namespace talaria
