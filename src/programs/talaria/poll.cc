#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct PollOptions {
  std::string id;
  std::optional<double> timeout;
  std::optional<int64_t> offset;
  bool json = false;
};

ToldOutput poll_apart(const JsonObject& result) {
  return split_poll(text_of(result), text_or(details_of(result), "output"));
}

int run(const PollOptions& options) {
  JsonObject arguments{{"action", "poll"}, {"sessionId", options.id}};
  if (options.timeout) arguments["timeout"] = *options.timeout * 1000;
  set_if(arguments, "offset", options.offset);
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  Result<JsonObject> result = call_process(*gateway, std::move(arguments));
  if (!result) return fail(result.error());
  // What the lost answer held counts as read.
  if (gateway->asked_again && !options.offset)
    remark("(the gateway was restarted meanwhile; talaria log " + options.id + " has what may be missing here)");
  if (options.json || boolean_or(*result, "isError")) return show_result(*result, options.json);
  return show_told(poll_apart(*result));
}

Run declare_poll(CommandLine& line) {
  auto options = std::make_shared<PollOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.option("--timeout", options->timeout, "SECONDS", "Wait up to this long for output or the end (at most 120)");
  line.option("--offset", options->offset, "BYTES", "Show the output from this byte on instead of what is new");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand poll_command = {"poll", "Show what a job printed since the last poll",
                                 R"(  talaria poll k3f9                 new output, if any, and the status
  talaria poll k3f9 --timeout 30    wait for some)",
                                 declare_poll};

}  // namespace talaria
