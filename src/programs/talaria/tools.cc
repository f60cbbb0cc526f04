#include <algorithm>

#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/table.h"
#include "talaria/word_check.h"

namespace talaria {
namespace {

struct ToolsOptions {
  std::optional<std::string> name;
  std::optional<std::string> toolsets;
  std::optional<std::string> session;
  bool json = false;
};

std::string shape_of(const JsonObject& schema) {
  if (const Json* choices = schema.if_contains("enum")) {
    std::vector<std::string> words;
    for (const Json& word : choices->get_array()) words.emplace_back(word.get_string());
    return join(words, "|");
  }
  return text_or(schema, "type", "any");
}

// One tool with its parameters.
void print_tool(const JsonObject& tool) {
  print_line(coloured(Colour::bold, text_or(tool, "name")) + " (" + text_or(tool, "toolset") + ")");
  print_fitted(text_or(tool, "description") + "\n");
  const JsonObject& schema = tool.at("inputSchema").get_object();
  const JsonArray& required = schema.at("required").get_array();
  Table table({"PARAMETER", "TYPE", "MEANING"});
  for (const auto& [name, value] : schema.at("properties").get_object()) {
    const JsonObject& one = value.get_object();
    const bool needed = std::find(required.begin(), required.end(), Json(name)) != required.end();
    table.add({std::string(name) + (needed ? " *" : ""), shape_of(one), text_or(one, "description")});
  }
  table.wrap_last_column();
  table.print_out();
}

int show(const ToolsOptions& options, const JsonArray& tools) {
  Table table({"TOOL", "TOOLSET", "WHAT IT DOES"});
  std::vector<std::string> names;
  for (const Json& item : tools) {
    const JsonObject& tool = item.get_object();
    names.push_back(text_or(tool, "name"));
    if (options.name && names.back() == *options.name) return print_tool(tool), 0;
    table.add({names.back(), text_or(tool, "toolset"), text_or(tool, "description")});
  }
  if (options.name) {
    return fail(Error(ErrorCode::not_found, no_such("tool", *options.name, names)));
  }
  table.wrap_last_column();
  table.print_out();
  return 0;
}

int run(const ToolsOptions& options) {
  Result<JsonObject> session = session_here(options.session, options.toolsets);
  if (!session) return fail(session.error());
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  Result<JsonObject> result =
      gateway->call("tools/list", params_of({{"session", *std::move(session)}}), Repeat::harmless);
  if (!result) return fail(result.error());
  if (!options.json) return show(options, result->at("tools").get_array());
  JsonArray tools;
  std::vector<std::string> names;
  for (const Json& tool : result->at("tools").get_array()) {
    names.push_back(text_or(tool.get_object(), "name"));
    if (!options.name || names.back() == *options.name) tools.push_back(tool);
  }
  if (tools.empty() && options.name) return fail(Error(ErrorCode::not_found, no_such("tool", *options.name, names)));
  print_json(JsonObject{{"tools", std::move(tools)}});
  return 0;
}

Run declare_tools(CommandLine& line) {
  auto options = std::make_shared<ToolsOptions>();
  line.optional("NAME", options->name, "Show this one with its parameters");
  line.option("--toolsets", options->toolsets, "A,B", "Give this session these toolsets only, from now on");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print JSON: names, descriptions and schemas");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand tools_command = {"tools", "List the tools an agent has here, with their parameters",
                                  R"(  talaria tools
  talaria tools patch
  talaria tools --json)",
                                  declare_tools};

}  // namespace talaria
