#include "talaria/commands.h"
#include "talaria/exec_run.h"

namespace talaria {
namespace {

Run declare_exec(CommandLine& line) {
  auto options = std::make_shared<ExecOptions>();
  line.flag("-b,--background", options->background, "Start it, print its id and return at once");
  line.flag("-t,--terminal", options->terminal, "Run it in a terminal and connect it to this one");
  line.flag("--pty", options->pty, "Run it in a terminal of its own");
  line.option("--host", options->host, "HOST", "Run it in this place: auto, sandbox, gateway or node");
  line.option("-w,--workdir", options->workdir, "DIR", "Start there instead of here");
  line.option("-e,--env", options->env, "NAME=VALUE", "Set a variable (may be repeated)");
  line.option("--timeout", options->timeout, "SECONDS", "End it after this long; 0 = never (default: exec.timeout)");
  line.option("--yield", options->yield_ms, "MS", "Stop waiting after this long and leave it running");
  line.option("-l,--label", options->label, "NAME", "Give the job a name");
  line.flag("--persist", options->persist, "Let it outlive the session");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.option("--security", options->security, "MODE", "Tighten the policy: deny, allowlist or full");
  line.option("--ask", options->ask, "MODE", "Tighten the questions: off, on-miss or always");
  line.flag("--elevated", options->elevated, "Run with more rights, if the owner allows it");
  line.flag("-n,--no-stdin", options->no_stdin, "Give it no input, whatever our stdin is");
  line.flag("--json", options->json, "Print one JSON result at the end, as the exec tool gives it; no input is passed");
  line.rest("COMMAND", options->words);
  return [options] { return run_exec(*options); };
}

}  // namespace

const CliCommand exec_command = {"exec", "Run a command: live output, its exit code, safe from gateway restarts",
                                 R"(  talaria exec 'make -j8 2>&1 | tail'      one word: a shell command
  talaria exec grep -n 'a b' file.txt    several words: exactly these arguments
  echo hello | talaria exec cat            stdin is passed on
  id=$(talaria exec -b 'npm run dev')      background; see talaria ps, log, kill
  talaria exec -t htop                     in this terminal

Exit code: the command's; 128+n for signal n; 124 timeout; 125 our own failure;
126 denied. Ctrl-C interrupts the command, a second one kills it.)",
                                 declare_exec};

}  // namespace talaria
