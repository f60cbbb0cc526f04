#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/tool_batch.h"
#include "talaria/tool_call.h"

namespace talaria {
namespace {

struct ToolOptions {
  std::optional<std::string> name;
  std::optional<std::string> arguments;
  std::optional<std::string> session;
  std::optional<std::string> toolsets;
  bool program = false;
  bool list = false;
  bool batch = false;
  bool json = false;
};

int list_tools(Gateway& gateway, JsonObject session) {
  Result<JsonObject> result =
      gateway.call("tools/list", params_of({{"session", std::move(session)}}), Repeat::harmless);
  if (!result) return fail(result.error());
  print_json(*result);
  return 0;
}

Result<JsonObject> read_arguments(const std::optional<std::string>& given) {
  if (!given) return JsonObject();
  if (*given != "-") return parse_json_object(*given);
  return parse_json_object(TRY(read_stdin()));
}

int call_tool(Gateway& gateway, const ToolOptions& options, JsonObject session) {
  Result<JsonObject> arguments = read_arguments(options.arguments);
  if (!arguments) return usage_error("tool", "the arguments: " + arguments.error().message());
  const Repeat repeat = repeat_of_tool(*options.name, *arguments);
  Result<JsonObject> result = gateway.call("tools/call",
                                           params_of({{"name", *options.name},
                                                      {"arguments", *std::move(arguments)},
                                                      {"session", std::move(session)},
                                                      {"audience", options.program ? "program" : "agent"}}),
                                           repeat);
  if (!result)
    return fail(*options.name == "exec" || *options.name == "terminal" ? after_lost_call(result.error())
                                                                       : result.error());
  print_json(*result);
  return boolean_or(*result, "isError") ? 1 : 0;
}

int run(const ToolOptions& options) {
  if (options.list + options.batch + options.name.has_value() != 1) {
    return usage_error("tool", "give the tool's name, --list or --batch");
  }
  Result<JsonObject> session = session_here(options.session, options.toolsets);
  if (!session) return fail(session.error());
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  if (options.list) return list_tools(*gateway, *std::move(session));
  if (options.batch) return run_tool_batch(*std::move(gateway), *session, options.program);
  return call_tool(*gateway, options, *std::move(session));
}

Run declare_tool(CommandLine& line) {
  auto options = std::make_shared<ToolOptions>();
  line.optional("NAME", options->name, "The tool: exec, read_file, … (talaria tools lists them)");
  line.optional("JSON", options->arguments, "Its arguments as a JSON object; - takes stdin");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.option("--toolsets", options->toolsets, "A,B", "Give the session these toolsets only, from now on");
  line.flag("--program", options->program, "The result as a program gets it, without the text for a model");
  line.flag("--list", options->list, "Print the tools with their parameters");
  line.flag("--batch", options->batch, "Read {id, name, arguments} lines, answer {id, result|error} lines");
  line.flag("--json", options->json, "Accepted; the output is JSON in any case");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand tool_command = {"tool", "Call a tool as an agent does: JSON in, JSON out",
                                 R"(  talaria tool --list
  talaria tool exec '{"command": "date"}'
  talaria tool process '{"action": "list"}'
  talaria tool --batch < calls.jsonl    several at once, answered as they end)",
                                 declare_tool};

}  // namespace talaria
