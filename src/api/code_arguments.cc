#include "api/code_arguments.h"

#include <algorithm>
#include <cmath>

#include "api/exec_arguments.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tools/schema.h"

namespace talaria {
namespace {

constexpr size_t most_code = 15 << 20;
constexpr size_t most_session_name = 64;

bool blank(const std::string& text) { return text.find_first_not_of(" \t\r\n\f\v") == std::string::npos; }

std::string_view kind_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_object()) return "object";
  if (value.is_array()) return "list";
  if (value.is_bool()) return "boolean";
  return "number";
}

// Agents mix up their tools: the answer names the right parameter, and the right tool.
Result<> check_code(const JsonObject& object, const ToolSpec& spec) {
  const Json* code = object.if_contains("code");
  if (!code && object.contains("command")) {
    return invalid(
        "execute_code received a 'command' parameter, but it requires Python source in 'code'. Use "
        "terminal(command=...) for shell commands; for Python, retry as execute_code(code=...).");
  }
  TRY(check_names(object, spec.parameters, "execute_code parameter"));
  if (code && !code->is_string() && !code->is_null()) {
    return invalid("execute_code received a " + std::string(kind_of(*code)) +
                   " in 'code', but it requires Python source as a string. Retry as execute_code(code=\"...\").");
  }
  if (!code || code->is_null() || blank(std::string(code->as_string()))) {
    return invalid(
        "No code provided. execute_code requires a non-empty 'code' parameter containing Python source. To run shell "
        "commands, use terminal(command=...) instead.");
  }
  return ok;
}

Result<> check_session(const CodeArguments& arguments) {
  if (arguments.reset && arguments.session.empty()) {
    return invalid("execute_code parameter \"reset\" needs \"session\": the name of the interpreter to start anew");
  }
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  if (arguments.session.size() > most_session_name || !std::ranges::all_of(arguments.session, plain)) {
    return invalid(
        "execute_code parameter \"session\" must be a name of up to 64 letters, digits, dashes, underscores and dots");
  }
  return ok;
}

}  // namespace

Result<CodeArguments> parse_code_arguments(const JsonObject& object, const ToolSpec& spec) {
  TRY(check_code(object, spec));
  TRY(check_object(object, input_schema(spec), "execute_code parameter"));
  CodeArguments arguments;
  arguments.code = text_or(object, "code");
  if (arguments.code.size() > most_code) {
    return invalid("execute_code parameter \"code\" has " + with_commas(arguments.code.size()) + " bytes; at most " +
                   with_commas(most_code) + " are taken. Put data into a file and read it from the script");
  }
  arguments.session = text_or(object, "session");
  arguments.reset = boolean_or(object, "reset");
  arguments.mode = text_or(object, "mode");
  arguments.trace = boolean_or(object, "trace");
  if (const Json* timeout = object.if_contains("timeout"); timeout && timeout->is_number()) {
    arguments.timeout_seconds = timeout->to_number<double>();
    if (!(*arguments.timeout_seconds > 0)) return invalid("execute_code parameter \"timeout\" must be more than 0");
  }
  if (const Json* calls = object.if_contains("max_tool_calls"); calls && calls->is_number()) {
    arguments.max_tool_calls = integer_or(object, "max_tool_calls");
  }
  if (const Json* yield = object.if_contains("yieldMs"); yield && yield->is_number()) {
    const double wanted = yield->to_number<double>();
    arguments.yield_ms =
        wanted <= 0 ? 0 : static_cast<int64_t>(std::clamp<double>(std::round(wanted), least_yield_ms, most_yield_ms));
  }
  if (const Json* tools = object.if_contains("tools"); tools && tools->is_array()) {
    arguments.tools.emplace();
    for (const Json& name : tools->as_array()) arguments.tools->emplace_back(name.as_string());
  }
  TRY(check_session(arguments));
  return arguments;
}

CodeLimits code_limits(const CodeArguments& arguments, const CodeSettings& settings) {
  CodeLimits limits{settings.timeout, settings.max_tool_calls, {}};
  if (arguments.timeout_seconds) limits.timeout_seconds = std::min(*arguments.timeout_seconds, settings.timeout);
  if (arguments.max_tool_calls) limits.max_tool_calls = std::min(*arguments.max_tool_calls, settings.max_tool_calls);
  if (arguments.timeout_seconds.value_or(0) > settings.timeout) {
    limits.notes.push_back("timeout is " + human_duration(static_cast<int64_t>(settings.timeout * 1000)) +
                           ": code_execution.timeout in the configuration allows no more.");
  }
  if (arguments.max_tool_calls.value_or(0) > settings.max_tool_calls) {
    limits.notes.push_back("max_tool_calls is " + std::to_string(settings.max_tool_calls) +
                           ": code_execution.max_tool_calls in the configuration allows no more.");
  }
  return limits;
}

const std::vector<std::string>& script_tools() {
  static const std::vector<std::string> names = {"web_search",   "web_extract", "read_file", "write_file",
                                                 "search_files", "patch",       "terminal"};
  return names;
}

Result<std::vector<std::string>> tools_for(const CodeArguments& arguments, const std::vector<const Tool*>& usable) {
  std::vector<std::string> had, given;
  for (const std::string& name : script_tools()) {
    const bool there = std::ranges::any_of(usable, [&](const Tool* tool) { return tool->spec().name == name; });
    if (there) had.push_back(name);
    if (there && (!arguments.tools || std::ranges::find(*arguments.tools, name) != arguments.tools->end())) {
      given.push_back(name);
    }
  }
  for (const std::string& name : arguments.tools.value_or(std::vector<std::string>())) {
    if (std::ranges::find(had, name) != had.end()) continue;
    return invalid("execute_code parameter \"tools\" names \"" + name + "\", which a script of this session cannot " +
                   "call; it can call: " + (had.empty() ? "none" : join(had, ", ")));
  }
  if (!given.empty()) return given;
  return Error(ErrorCode::denied, "a script could call no tool: " +
                                      std::string(arguments.tools ? "\"tools\" is empty"
                                                                  : "none of " + join(script_tools(), ", ") +
                                                                        " is enabled in this session (see toolsets)"));
}

}  // namespace talaria
