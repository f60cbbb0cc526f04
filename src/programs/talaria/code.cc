#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/meant_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "config/keys.h"
#include "os/file.h"
#include "talaria/commands.h"
#include "talaria/ending.h"
#include "talaria/gateway.h"
#include "talaria/own_variables.h"
#include "talaria/print.h"
#include "talaria/program_run.h"
#include "talaria/trace_file.h"

namespace talaria {
namespace {

constexpr int exit_interrupted = 130;
constexpr size_t most_source = 15 << 20;
constexpr size_t most_session_name = 64;
constexpr int64_t most_tool_calls = 1'000'000;
constexpr const char* was_interrupted = "interrupted: the program and what it called were stopped";

struct CodeOptions {
  std::optional<std::string> file;
  std::optional<std::string> text;
  std::optional<std::string> session;
  std::optional<std::string> mode;
  std::optional<std::string> trace;
  std::optional<std::string> toolsets;
  std::optional<double> timeout;
  std::optional<int64_t> max_tool_calls;
  bool reset = false;
  bool json = false;
};

// --- wrong usage ---

bool is_session_name(const std::string& name) {
  const auto plain = [](unsigned char c) { return (c < 0x80 && std::isalnum(c)) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= most_session_name && std::ranges::all_of(name, plain);
}

Result<> check_toolsets(const std::string& list) {
  const ConfigKey* key = find_config_key("toolsets");
  if (!key) return ok;  // then the gateway says it
  const std::vector<std::string> known = split(key->choices, '|');
  for (const std::string& name : split(list, ',')) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return invalid("--toolsets: there is no toolset \"" + name + "\"" + did_you_mean_one_of(name, known));
  }
  return ok;
}

Result<> check_options(const CodeOptions& options) {
  if (options.file.has_value() == options.text.has_value()) return invalid("give a FILE, - for stdin, or -c TEXT");
  if (options.reset && !options.session) return invalid("--reset needs --session");
  if (options.mode && *options.mode != "project" && *options.mode != "strict") {
    return invalid("--mode must be project or strict" + did_you_mean(*options.mode, {"project", "strict"}));
  }
  if (options.timeout && !(*options.timeout > 0 && std::isfinite(*options.timeout))) {
    return invalid("--timeout must be a number of seconds, more than 0");
  }
  if (options.max_tool_calls && (*options.max_tool_calls < 0 || *options.max_tool_calls > most_tool_calls)) {
    return invalid("--max-tool-calls must be a whole number from 0 to " + with_commas(most_tool_calls));
  }
  if (options.session && !is_session_name(*options.session)) {
    return invalid("--session must be a name of up to 64 letters, digits, dashes, underscores and dots");
  }
  return options.toolsets ? check_toolsets(*options.toolsets) : Result<>(ok);
}

// --- the call ---

Result<std::string> read_source(const CodeOptions& options) {
  if (options.text) return *options.text;
  if (*options.file == "-") return read_stdin();
  return read_file(*options.file, most_source);
}

Result<std::string> valid_source(const CodeOptions& options) {
  std::string source = TRY(read_source(options));
  if (is_utf8(source)) return source;
  const std::string name = options.text ? "the program" : *options.file == "-" ? "stdin" : *options.file;
  return invalid(name + " is not UTF-8, which a program must be; convert it, for example with iconv -t utf-8");
}

Result<JsonObject> request(const CodeOptions& options) {
  JsonObject arguments{{"code", TRY(valid_source(options))}, {"yieldMs", 0}};
  set_if(arguments, "session", options.session);
  set_if(arguments, "mode", options.mode);
  set_if(arguments, "timeout", options.timeout);
  set_if(arguments, "max_tool_calls", options.max_tool_calls);
  if (options.reset) arguments["reset"] = true;
  if (options.trace) arguments["trace"] = true;
  JsonObject here = TRY(session_here(std::nullopt, options.toolsets));
  const std::string cwd = text_or(here, "cwd");
  return params_of({{"name", "execute_code"},
                    {"arguments", std::move(arguments)},
                    {"session", std::move(here)},
                    {"cwd", cwd},
                    {"environment", own_variables()},
                    {"progress", true},
                    {"output", !options.json}});
}

int exit_code_of_run(const JsonObject& details) {
  const std::string status = text_or(details, "status");
  if (status == "success") return details.contains("warning") ? 1 : 0;  // what it printed is not all there
  if (status == "timeout") return exit_timeout;
  if (status == "interrupted") return exit_interrupted;
  const int64_t code = integer_or(details, "exit_code", 1);
  if (code < 0) return static_cast<int>(128 - code);
  return code == 0 ? 1 : static_cast<int>(code & 0xff);
}

// Its output was shown as it came.
void show_ending(const JsonObject& details) {
  const std::string errors = text_or(details, "stderr");
  if (!errors.empty()) relay_errors(errors);
  const std::string status = text_or(details, "status"), error = text_or(details, "error");
  const bool told = !error.empty() &&
                    errors.find(error.substr(0, error.rfind(" (line "))) != std::string::npos;  // the traceback says it
  if (status == "interrupted") complain(was_interrupted);  // the error is worded for a model
  else if (status != "success" && !told) complain(error);
  if (const std::string hint = text_or(details, "hint"); !hint.empty()) remark(hint);
  if (const Json* notes = details.if_contains("notes"); notes && notes->is_array()) {
    for (const Json& note : notes->get_array()) remark("(" + std::string(note.as_string()) + ")");
  }
}

int finish(const CodeOptions& options, std::optional<TraceFile> trace_file, const JsonObject& result) {
  JsonObject details = details_of(result);
  Result<> traced = ok;
  if (options.trace && details.contains("trace")) {
    const std::string trace = text_or(details, "trace");
    details.erase("trace");
    if (trace_file) traced = trace_file->write(trace);
    else relay_errors(trace);
  }
  if (options.json) print_json(details);
  else show_ending(details);
  return traced ? exit_code_of_run(details) : fail(std::move(traced).error().within("the trace"));
}

// We leave before there is a result; the end of our connection ends the program.
int leave(const CodeOptions& options) {
  const std::string error = "interrupted: the program and what it called are being stopped";
  if (options.json) print_json(JsonObject{{"status", "interrupted"}, {"output", ""}, {"error", error}});
  else complain(error);
  return exit_interrupted;
}

int run(const CodeOptions& options) {
  if (Result<> checked = check_options(options); !checked) return usage_error("code", checked.error().message());
  std::optional<TraceFile> trace;
  if (options.trace && *options.trace != "-") {
    Result<TraceFile> file = TraceFile::open(*options.trace);
    if (!file) return usage_error("code", "--trace: " + file.error().message());
    trace.emplace(*std::move(file));
  }
  Result<JsonObject> params = request(options);
  if (!params) return fail(params.error());
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  ProgramRun program(gateway->client, options.json ? ProgramRun::Progress::hide : ProgramRun::Progress::show,
                     options.session ? ProgramRun::Interpreter::kept : ProgramRun::Interpreter::once);
  Result<std::optional<JsonObject>> result = program.run(*std::move(params));
  if (!result) return fail(result.error());
  return *result ? finish(options, std::move(trace), **result) : leave(options);
}

Run declare_code(CommandLine& line) {
  auto options = std::make_shared<CodeOptions>();
  line.optional("FILE", options->file, "The program; - takes stdin");
  line.option("-c", options->text, "TEXT", "Run this text as the program");
  line.option("--session", options->session, "NAME", "Keep the interpreter under this name, or use the one kept");
  line.flag("--reset", options->reset, "With --session: start its interpreter anew");
  line.option("--timeout", options->timeout, "SECONDS", "End it after this time (most: code_execution.timeout)");
  line.option("--max-tool-calls", options->max_tool_calls, "N",
              "Tool calls it may make (most: code_execution.max_tool_calls)");
  line.option("--mode", options->mode, "MODE", "project or strict (default: code_execution.mode)");
  line.option("--toolsets", options->toolsets, "A,B", "Give the session these toolsets only, from now on");
  line.option("--trace", options->trace, "FILE", "Write a timeline of its tool calls; - to stderr");
  line.flag("--json", options->json, "Print the whole result as JSON");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand code_command = {"code", "Run a Python program that calls tools (execute_code)",
                                 R"(  talaria code -c 'print(6 * 7)'
  talaria code report.py --trace calls.txt
  echo 'from hermes_tools import terminal; print(terminal("date")["output"])' | talaria code -
  talaria code --session data -c 'rows = open("a.csv").readlines()'
  talaria code --session data -c 'print(len(rows))')",
                                 declare_code};

}  // namespace talaria
