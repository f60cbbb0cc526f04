// The tools that run commands.
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

JsonObject notify_schema() {
  return {{"description", "Events to deliver: true, false, or a list of \"exit\" and \"pattern:REGEX\""},
          {"anyOf", JsonArray{JsonObject{{"type", "boolean"}},
                              JsonObject{{"type", "array"}, {"items", JsonObject{{"type", "string"}}}}}}};
}

JsonObject exec_properties() {
  JsonObject env = typed("object", "Environment variables to add");
  env["additionalProperties"] = JsonObject{{"type", "string"}};
  return {
      {"command", typed("string", "Shell command to execute (bash -c)")},
      {"workdir", typed("string", "Where to run it (default: the session's directory)")},
      {"cwd", typed("string", "Same as workdir")},
      {"env", std::move(env)},
      {"yieldMs",
       typed("number", "Milliseconds to wait before it goes on in the background (default 10000, 10 to 120000)")},
      {"background", typed("boolean", "Run in the background at once")},
      {"timeout", typed("number", "Seconds until it is ended, also in the background (default 1800, 0: never)")},
      {"timeoutSeconds", typed("number", "Same as timeout")},
      {"pty", typed("boolean", "Run in a terminal, for programs that need one")},
      {"rows", whole_number(1, 1000, "Terminal rows (default 40)")},
      {"cols", whole_number(1, 1000, "Terminal columns (default 120)")},
      {"elevated", typed("boolean", "Run on the host with more rights, if the owner allows it")},
      {"host", one_of({"auto", "sandbox", "gateway", "node"}, "Where to run (default auto)")},
      {"security", one_of({"deny", "allowlist", "full"}, "Can only tighten what is configured")},
      {"ask", one_of({"off", "on-miss", "always"}, "Can only tighten what is configured")},
      {"node", typed("string", "Node for host=node")},
      {"stdin", typed("string", "Text for its stdin, then end of file")},
      {"label", typed("string", "A name for the job in lists")},
      {"persist", typed("boolean", "Keep what it leaves running when the session ends")},
      {"notify", notify_schema()},
  };
}

JsonObject process_properties() {
  return {
      {"action", one_of({"list", "poll", "log", "write", "send-keys", "submit", "paste", "wait", "resize", "kill",
                         "clear", "remove"},
                        "What to do")},
      {"sessionId", typed("string", "The job's id or its beginning (all but list)")},
      {"timeout", typed("number", "poll, wait: milliseconds to wait (poll: up to 120000)")},
      {"offset", typed("integer", "poll, wait: byte to read from; log, list: how many to skip")},
      {"limit", typed("integer", "log: lines (default: the last 200); list: jobs")},
      {"state", one_of({"running", "finished", "completed", "failed", "lost"}, "list: only these")},
      {"newerThan", typed("number", "list: at most so many seconds old")},
      {"olderThan", typed("number", "list: at least so many seconds old")},
      {"grep", typed("string", "log: only lines that match this regular expression")},
      {"data", typed("string", "write: text for stdin")},
      {"eof", typed("boolean", "write: end stdin afterwards")},
      {"keys", list_of_texts("send-keys: such as Enter, C-c, Up, F5, M-x")},
      {"literal", typed("string", "send-keys: text to type as it is")},
      {"hex", list_of_texts("send-keys: bytes in hexadecimal")},
      {"text", typed("string", "paste: the text; list: only jobs with this in command, name or label")},
      {"bracketed", typed("boolean", "paste: mark it as one (default: if the program wants it)")},
      {"until", typed("string", "wait: \"exit\" (default) or a regular expression to appear in the output")},
      {"rows", whole_number(1, 1000, "resize: rows")},
      {"cols", whole_number(1, 1000, "resize: columns")},
      {"signal", typed("string", "kill: send only this signal, such as INT (default: end the whole process tree)")},
  };
}

}  // namespace

ToolSpec exec_spec() {
  ToolSpec spec;
  spec.name = "exec";
  spec.toolset = Toolset::terminal;
  spec.description =
      "Execute shell commands with background continuation. Use yieldMs/background to continue later via "
      "the process tool. Use pty=true for commands that need a terminal (terminal UIs, coding agents).";
  spec.parameters = exec_properties();
  spec.required = {"command"};
  spec.hints.open_world = true;
  spec.checks_own_arguments = true;
  spec.says_where_it_runs = true;
  return spec;
}

ToolSpec process_spec() {
  ToolSpec spec;
  spec.name = "process";
  spec.toolset = Toolset::terminal;
  spec.description =
      "Manage jobs that exec or execute_code started: list them, poll for new output, read the log, wait, write to "
      "stdin, send keys, submit (Enter), kill, clear (forget), remove (kill and forget).";
  spec.parameters = process_properties();
  spec.required = {"action"};
  spec.person_needs_no_session = true;
  spec.checks_own_arguments = true;
  return spec;
}

ToolSpec terminal_spec() {
  ToolSpec spec;
  spec.name = "terminal";
  spec.toolset = Toolset::terminal;
  spec.description =
      "Run a shell command and wait for it: builds, tests, simple commands. cd and exported variables last from one "
      "call to the next. For background work or a terminal use exec.";
  JsonObject timeout = typed("number", "Seconds until it is ended (default 180)");
  timeout["minimum"] = 0.1;
  timeout["maximum"] = 2'592'000;
  spec.parameters = {{"command", typed("string", "Shell command to execute (bash)")},
                     {"timeout", std::move(timeout)},
                     {"workdir", typed("string", "Where to run it (default: where the last one ended)")}};
  spec.required = {"command"};
  spec.hints.open_world = true;
  spec.checks_own_arguments = true;
  spec.says_where_it_runs = true;
  return spec;
}

}  // namespace talaria
