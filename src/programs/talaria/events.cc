#include <time.h>

#include <algorithm>

#include "base/columns.h"
#include "base/text.h"
#include "rpc/gateway_start.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct EventsOptions {
  std::optional<std::string> session;
  bool json = false;
};

std::string local_time(int64_t epoch_ms) {
  const time_t seconds = static_cast<time_t>(epoch_ms / 1000);
  tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

// The text goes on below itself, further in than the next event begins; `used` columns stand before it on its line.
std::string fit_event(const std::string& text, size_t used) {
  constexpr size_t indent = 4, least = 20;
  const size_t room = std::max(terminal_width(), used + least) - used;
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line = wrap_to_columns(line, room, indent);
  return join(lines, "\n" + std::string(indent, ' '));
}

void show(const JsonObject& event, bool json) {
  if (json) return print_line(write_json(event));
  const std::string time = local_time(integer_or(event, "createdAt"));
  const std::string head = time + " " + text_or(event, "job") + " " + text_or(event, "kind") + " ";
  std::string text = for_terminal(text_or(event, "text"));
  if (is_terminal(STDOUT_FILENO)) text = fit_event(text, columns_of(head));
  print_line(coloured(Colour::dim, time) + " " + text_or(event, "job") + " " +
             coloured(Colour::bold, text_or(event, "kind")) + " " + text);
}

Result<> follow(RpcClient& client, const EventsOptions& options, Reconnects& tries) {
  JsonObject params{{"ack", true}};
  if (options.session) params["session"] = *options.session;
  else params["all"] = true;
  TRY(client.call("events/subscribe", params_of(std::move(params))));
  tries.progress();
  while (true) {
    const RpcMessage message = TRY(client.wait());
    const auto* notice = std::get_if<RpcNotification>(&message);
    if (!notice || notice->method != "events/event") continue;
    const JsonObject* event = object_or_null(notice->params, "event");
    if (!event) continue;
    show(*event, options.json);
    std::fflush(stdout);  // only what was really printed is ours
    TRY(client.send("events/ack", params_of({{"id", integer_or(*event, "id")}})));
  }
}

// Ends only when it is told to: a gateway that is restarted is found again.
int run(const EventsOptions& options) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  for (Reconnects tries;;) {
    const Result<> ended = follow(gateway->client, options, tries);
    if (!gateway->client.closed()) return fail(ended.error());
    if (Result<> found = gateway->find_again(tries, ended.error()); !found) return fail(found.error());
  }
}

Run declare_events(CommandLine& line) {
  auto options = std::make_shared<EventsOptions>();
  line.option("--session", options->session, "ID", "Print only the events of this session (default: of all)");
  line.flag("--json", options->json, "Print one JSON object per line");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand events_command = {"events", "Print what happens to jobs, as it happens",
                                   R"(  talaria events           exits and patterns seen
  talaria events --json    for a program

Each event is delivered once: what is printed here reaches no other listener.)",
                                   declare_events};

}  // namespace talaria
