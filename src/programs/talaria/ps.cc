#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/meant_name.h"
#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/job_list.h"
#include "talaria/print.h"
#include "talaria/table.h"

namespace talaria {
namespace {

struct PsOptions {
  bool json = false;
  bool quiet = false;
  bool running = false;
  bool all = false;
  std::optional<int64_t> limit;
  std::optional<int64_t> offset;
  std::optional<std::string> state;
  std::optional<std::string> text;
  std::optional<double> newer;
  std::optional<double> older;
};

Colour status_colour(const std::string& status) {
  if (status.starts_with("running")) return Colour::green;
  if (status == "completed") return Colour::none;
  return Colour::red;
}

std::string exit_text(const JsonObject& row) {
  std::string signal = text_or(row, "exitSignal");
  if (!signal.empty()) return signal;
  const Json* code = row.if_contains("exitCode");
  return code && code->is_number() ? write_json(*code) : "-";
}

std::vector<std::string> cells_of(const JsonObject& row) {
  return {text_or(row, "sessionId"),
          text_or(row, "status"),
          row.contains("ageMs") ? human_duration(integer_or(row, "ageMs")) : "-",
          human_duration(integer_or(row, "runtimeMs")),
          exit_text(row),
          text_or(row, "name"),
          text_or(row, "command")};
}

JsonObject arguments_of(const PsOptions& options) {
  JsonObject arguments = {{"action", "list"}};
  if (options.limit) arguments["limit"] = *options.limit;
  if (options.offset) arguments["offset"] = *options.offset;
  if (options.running) arguments["state"] = "running";
  if (options.state) arguments["state"] = *options.state;
  if (options.text) arguments["text"] = *options.text;
  if (options.newer) arguments["newerThan"] = *options.newer;
  if (options.older) arguments["olderThan"] = *options.older;
  return arguments;
}

// What is not shown, where a person sees it and a script does not.
void tell_rest(const JsonObject& details) {
  const int64_t more = integer_or(details, "more");
  if (more <= 0) return;
  const int64_t running = std::max<int64_t>(integer_or(details, "running") - integer_or(details, "nextOffset"), 0);
  remark("… and " + with_commas(static_cast<uint64_t>(more)) + " more" +
         (running == 0      ? " finished"
          : running == more ? " running"
                            : "") +
         " (--all shows them, --help how to choose)");
}

std::string why_wrong(const PsOptions& options, bool whole) {
  if (options.running && options.state) return "--running and --state cannot be combined";
  if (options.all && !whole) return "--all cannot be combined with --limit or --offset";
  if (options.limit && (*options.limit < 1 || *options.limit > most_listed_jobs)) {
    return "--limit must be from 1 to " + std::to_string(most_listed_jobs) + ", got " + std::to_string(*options.limit) +
           "; --offset shows the next ones";
  }
  constexpr std::array<std::string_view, 5> states = {"running", "finished", "completed", "failed", "lost"};
  if (options.state && std::find(states.begin(), states.end(), *options.state) == states.end()) {
    return "--state must be running, finished, completed, failed or lost, got \"" + *options.state + "\"" +
           did_you_mean(*options.state, {states.begin(), states.end()});
  }
  return "";
}

int run(const PsOptions& options) {
  const bool whole = (options.all || options.running) && !options.limit && !options.offset;
  if (const std::string wrong = why_wrong(options, whole); !wrong.empty()) return usage_error("ps", wrong);
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  const JsonObject arguments = arguments_of(options);
  Result<JsonObject> result = whole ? list_all_jobs(*gateway, arguments) : call_process(*gateway, arguments);
  if (!result) return fail(result.error());
  if (boolean_or(*result, "isError")) return show_result(*result, options.json);
  const JsonObject& details = details_of(*result);
  if (options.json) return print_json(details), 0;
  Table table({"ID", "STATUS", "AGE", "RUNTIME", "EXIT", "NAME", "COMMAND"});
  table.colour_column(1, status_colour);
  for (const Json& item : job_rows(details)) {
    const JsonObject& row = item.get_object();
    if (options.quiet) print_line(text_or(row, "sessionId"));
    else table.add(cells_of(row));
  }
  if (!options.quiet) table.print_out();
  // On a terminal there would be nothing but a heading.
  if (!options.quiet && job_rows(details).empty() && is_terminal(STDOUT_FILENO)) remark("no job matches");
  tell_rest(details);
  return 0;
}

Run declare_ps(CommandLine& line) {
  auto options = std::make_shared<PsOptions>();
  line.flag("-r,--running", options->running, "Show only running jobs");
  line.flag("-a,--all", options->all, "Show every job, without a limit");
  line.option("-n,--limit", options->limit, "NUMBER", "Show at most this many, up to 500");
  line.option("--offset", options->offset, "NUMBER", "Skip this many");
  line.option("-s,--state", options->state, "STATE",
              "Show only jobs that are running, finished, completed (with any exit code), failed (killed, timed out, "
              "not started) or lost");
  line.option("-t,--text", options->text, "TEXT", "Show only jobs with this text in their command, name or label");
  line.option("--newer", options->newer, "SECONDS", "Show only jobs started within the last SECONDS");
  line.option("--older", options->older, "SECONDS", "Show only jobs started more than SECONDS ago");
  line.flag("-q,--quiet", options->quiet, "Print only the ids");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand ps_command = {
    "ps", "List the jobs of all sessions: all running jobs (up to 400), then the last 20 that ended",
    R"(  talaria ps
  talaria ps --running
  talaria ps --limit 50 --offset 70
  talaria ps --state failed --newer 3600   of the last hour
  talaria ps --text 'npm test' --json
  talaria ps --all | wc -l
  talaria kill $(talaria ps -rq)    end them all)",
    declare_ps};

}  // namespace talaria
