// The tool that runs programs.
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

JsonObject code_properties() {
  return {
      {"code", typed("string", "Python source. Only what it prints is returned")},
      {"session",
       typed("string",
             "A name: the interpreter is kept under it, and its variables and imports are there in the next call with "
             "the same name (default: a fresh interpreter)")},
      {"reset", typed("boolean", "With session: end the kept interpreter first and start a new one")},
      {"timeout", typed("number", "Seconds after which the program is ended (default and most: as configured, 300)")},
      {"max_tool_calls", whole_number(0, 1'000'000, "Tool calls it may make (default and most: as configured, 50)")},
      {"mode",
       one_of({"project", "strict"},
              "project: in the session's directory with the project's Python; strict: in an empty directory "
              "of its own with the system's Python, the workspace read-only (default: as configured, project)")},
      {"tools", list_of_texts("The only tools it may call (default: all that the session has)")},
      {"yieldMs", typed("number",
                        "Milliseconds to wait before the program goes on in the background (default 10000, 0: wait "
                        "until it ends); process poll brings its result")},
      {"trace", typed("boolean", "Also return a timeline of the tool calls it made")},
  };
}

}  // namespace

ToolSpec execute_code_spec() {
  ToolSpec spec;
  spec.name = "execute_code";
  spec.toolset = Toolset::code;
  spec.description =
      "Run a Python program that calls tools, so that their results stay out of the conversation: only what it prints "
      "comes back. Use it for three or more tool calls with logic between them, loops over results, filtering of large "
      "outputs. The tools are functions that return dicts: from hermes_tools import read_file, write_file, "
      "search_files, patch, terminal, web_search, web_extract. A failed call is a dict with \"error\". Also there: "
      "json_parse, shell_quote, retry, progress, parallel, parallel_map. Runs in the session's sandbox with its files; "
      "stdout beyond 50 KB is cut in the middle and whole in output_file. For a plain shell command use terminal.";
  spec.parameters = code_properties();
  spec.required = {"code"};
  spec.hints.open_world = true;
  spec.checks_own_arguments = true;
  return spec;
}

}  // namespace talaria
