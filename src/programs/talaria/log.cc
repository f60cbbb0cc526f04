#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/job_stream.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct LogOptions {
  std::string id;
  std::optional<int64_t> offset;
  std::optional<int64_t> limit;
  std::optional<std::string> grep;
  bool follow = false;
  bool raw = false;
  bool json = false;
};

JsonObject log_arguments(const LogOptions& options) {
  JsonObject arguments{{"action", "log"}, {"sessionId", options.id}};
  set_if(arguments, "offset", options.offset);
  set_if(arguments, "limit", options.limit);
  set_if(arguments, "grep", options.grep);
  return arguments;
}

ToldOutput log_apart(const JsonObject& result) {
  const JsonObject& details = details_of(result);
  return split_log(text_of(result), integer_or(details, "shownLines"), text_or(details, "note"));
}

// The bytes as the job wrote them: all there are now, or until it ends.
int run_raw(const LogOptions& options) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  StreamOptions stream;
  stream.job = options.id;
  stream.owns_job = false;
  stream.until_gone = true;
  stream.skip_lines = options.offset.value_or(0);
  std::string note;  // on how it ended, where that matters for its output
  if (!options.follow) {
    Result<JsonObject> now = call_process(*gateway, {{"action", "log"}, {"sessionId", options.id}, {"limit", 1}});
    if (!now) return fail(now.error());
    if (boolean_or(*now, "isError")) return show_result(*now, false);
    stream.stop_at = static_cast<uint64_t>(integer_or(details_of(*now), "totalBytes"));
    note = text_or(details_of(*now), "note");
  }
  const bool nothing = stream.stop_at == uint64_t{0};
  const int code = nothing ? 0 : JobStream(gateway->home, std::move(gateway->client), std::move(stream)).run();
  if (!note.empty()) remark(note);
  return code;
}

int run(const LogOptions& options) {
  if (!options.follow && !options.raw) return run_process(log_arguments(options), options.json, log_apart);
  if (options.grep || options.limit || options.json) {
    return usage_error("log",
                       "--follow and --raw give the whole output as it is; leave out --grep, --limit and --json");
  }
  return run_raw(options);
}

Run declare_log(CommandLine& line) {
  auto options = std::make_shared<LogOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.option("--offset", options->offset, "LINES", "Skip this many lines at the beginning");
  line.option("--limit", options->limit, "LINES", "Show at most this many lines (default: the last 200)");
  line.option("--grep", options->grep, "PATTERN", "Show only lines that match this regular expression");
  line.flag("-f,--follow", options->follow,
            "Print the whole output byte for byte, and what follows until the job is gone");
  line.flag("--raw", options->raw, "Print the whole output byte for byte, as it is now");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand log_command = {"log", "Show a job's output",
                                R"(  talaria log k3f9                          the last 200 lines
  talaria log k3f9 --offset 0 --limit 50    the first 50
  talaria log k3f9 --grep 'error|warning'   lines that match
  talaria log -f k3f9                       follow it)",
                                declare_log};

}  // namespace talaria
