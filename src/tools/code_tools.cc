// The tool that runs programs.
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

JsonObject code_properties() {
  return {
      {"code", typed("string", "Python source")},
      {"session",
       typed("string", "Keep variables and imports for the next call with this name (default: a fresh interpreter)")},
      {"reset", typed("boolean", "With session: start its interpreter anew")},
      {"timeout", typed("number", "Seconds until it is ended (default and most: 300, or as configured)")},
      {"max_tool_calls", whole_number(0, 1'000'000, "Tool calls it may make (default and most: 50, or as configured)")},
      {"mode",
       one_of({"project", "strict"},
              "project (default): the session's directory, the project's Python; strict: an empty directory, the "
              "system's Python, the workspace read-only")},
      {"tools", list_of_texts("The only tools it may call (default: all)")},
      {"yieldMs", typed("number",
                        "Milliseconds to wait before it goes on in the background (default 10000, 0: wait for its "
                        "end); process poll brings its result")},
      {"trace", typed("boolean", "Also return a timeline of its tool calls")},
  };
}

}  // namespace

ToolSpec execute_code_spec() {
  ToolSpec spec;
  spec.name = "execute_code";
  spec.toolset = Toolset::code;
  spec.description =
      "Run a Python script that can call tools: only what it prints comes back. Use it for three or more tool calls "
      "with logic between them, loops over results, filtering of large outputs. The tools are functions that return "
      "dicts, with \"error\" if they failed: from hermes_tools import read_file, write_file, search_files, patch, "
      "terminal, web_search, web_extract. Also json_parse, shell_quote, retry, progress, parallel, parallel_map. For a "
      "plain shell command use terminal.";
  spec.parameters = code_properties();
  spec.required = {"code"};
  spec.hints.open_world = true;
  spec.says_where_it_runs = true;
  spec.checks_own_arguments = true;
  return spec;
}

}  // namespace talaria
