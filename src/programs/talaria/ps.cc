#include "base/clock.h"
#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct PsOptions {
  bool json = false;
  bool quiet = false;
  bool running = false;
};

Colour status_colour(const std::string& status) {
  if (status.starts_with("running")) return Colour::green;
  if (status == "completed") return Colour::none;
  return Colour::red;
}

std::string exit_text(const JsonObject& row) {
  const std::string signal = text_or(row, "exitSignal");
  if (!signal.empty()) return signal;
  const Json* code = row.if_contains("exitCode");
  return code && code->is_number() ? write_json(*code) : "-";
}

const JsonArray& rows_of(const JsonObject& details) {
  static const JsonArray none;
  const Json* rows = details.if_contains("sessions");
  return rows && rows->is_array() ? rows->get_array() : none;
}

std::vector<std::string> cells_of(const JsonObject& row) {
  const int64_t started = integer_or(row, "startedAt");
  return {text_or(row, "sessionId"),
          text_or(row, "status"),
          started > 0 ? human_duration(epoch_ms() - started) : "-",
          human_duration(integer_or(row, "runtimeMs")),
          exit_text(row),
          text_or(row, "name"),
          text_or(row, "command")};
}

int run(const PsOptions& options) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  Result<JsonObject> result = call_process(gateway->client, {{"action", "list"}});
  if (!result) return fail(result.error());
  if (boolean_or(*result, "isError")) return show_result(*result, options.json);
  if (options.json) return print_json(details_of(*result)), 0;
  Table table({"ID", "STATUS", "AGE", "RUNTIME", "EXIT", "NAME", "COMMAND"});
  table.colour_column(1, status_colour);
  for (const Json& item : rows_of(details_of(*result))) {
    const JsonObject& row = item.get_object();
    if (options.running && text_or(row, "status") != "running") continue;
    if (options.quiet) print_line(text_or(row, "sessionId"));
    else table.add(cells_of(row));
  }
  if (!options.quiet) table.print_out();
  return 0;
}

Run declare_ps(CommandLine& line) {
  auto options = std::make_shared<PsOptions>();
  line.flag("-r,--running", options->running, "Only those that still run");
  line.flag("-q,--quiet", options->quiet, "Only the ids");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand ps_command = {"ps", "List the jobs of all sessions, newest first",
                               R"(  talaria ps
  talaria ps --running
  talaria kill $(talaria ps -rq)    end them all)",
                               declare_ps};

}  // namespace talaria
