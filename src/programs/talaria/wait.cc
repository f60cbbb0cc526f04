#include <algorithm>

#include "talaria/commands.h"
#include "talaria/ending.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct WaitOptions {
  std::string id;
  std::optional<std::string> until;
  std::optional<double> timeout;
  bool json = false;
};

constexpr int64_t longest_turn_ms = 3'600'000;

// The gateway waits a limited time for each call, so a long wait is several of them. One that is restarted meanwhile is
// asked again, at first only how it stands: the answer tells that this one works, however many went before.
Result<JsonObject> wait_in_turns(Gateway& gateway, const WaitOptions& options) {
  const auto begin = Clock::now();
  Reconnects tries;
  for (bool look = false;;) {
    const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
    const double left_ms = options.timeout ? *options.timeout * 1000 - passed.count() : longest_turn_ms + 1.0;
    const int64_t turn = look ? 0 : std::clamp<int64_t>(static_cast<int64_t>(left_ms), 0, longest_turn_ms);
    JsonObject arguments{{"action", "wait"}, {"sessionId", options.id}, {"timeout", turn}};
    set_if(arguments, "until", options.until);
    Result<JsonObject> result =
        gateway.client.call_object("jobs/process", params_of({{"arguments", std::move(arguments)}}));
    if (!result && gateway.client.closed()) {
      TRY(gateway.find_again(tries, result.error()));
      look = true;
      continue;
    }
    if (!result) return result;
    tries.progress();
    const bool last_turn = !look && left_ms <= static_cast<double>(turn) + 1;
    if (!boolean_or(details_of(*result), "timedOut") || last_turn) return result;
    look = false;
  }
}

int run(const WaitOptions& options) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error(), exit_own_failure);
  Result<JsonObject> result = wait_in_turns(*gateway, options);
  if (!result) return fail(result.error(), exit_own_failure);
  const JsonObject& details = details_of(*result);
  if (options.json || boolean_or(*result, "isError")) {
    if (show_result(*result, options.json) != 0) return exit_own_failure;
  } else {
    std::string found = text_or(details, "found");
    if (details.contains("found")) found += '\n';
    show_told(split_poll(text_of(*result), found));
  }
  if (details.contains("found")) return 0;
  if (text_or(details, "status") == "running") return exit_timeout;
  if (options.until) return std::max(exit_code_of(details), 1);  // it ended without saying what was waited for
  return exit_code_of(details);
}

Run declare_wait(CommandLine& line) {
  auto options = std::make_shared<WaitOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.option("--until", options->until, "PATTERN",
              "Wait until its output matches this regular expression, or it ends");
  line.option("--timeout", options->timeout, "SECONDS", "Give up after this long, with exit code 124");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand wait_command = {"wait", "Wait until a job ends, or prints something",
                                 R"(  talaria wait k3f9                              its exit code becomes ours
  talaria wait k3f9 --until 'listening on \d+'   0 as soon as that is printed
  talaria wait k3f9 --timeout 60                 124 if it is not over by then)",
                                 declare_wait};

}  // namespace talaria
