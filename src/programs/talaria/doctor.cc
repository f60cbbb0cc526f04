#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/gateway_process.h"
#include "talaria/local_checks.h"
#include "talaria/print.h"
#include "talaria/table.h"

namespace talaria {
namespace {

constexpr auto status_patience = 5s;
constexpr auto doctor_patience = 60s;  // it probes the machine

struct DoctorOptions {
  bool json = false;
};

Colour state_colour(const std::string& state) {
  if (state == "ok") return Colour::green;
  return state == "error" ? Colour::red : Colour::yellow;
}

int badness(const JsonObject& entry) {
  const std::string state = text_or(entry, "state");
  return state == "ok" ? 0 : state == "warning" ? 1 : 2;
}

// The gateway looks at some things that we looked at too: those are shown again only when it sees more.
void add_new(JsonArray& checks, const JsonObject& doctor) {
  const Json* theirs = doctor.if_contains("checks");
  if (!theirs || !theirs->is_array()) return;
  const size_t ours = checks.size();
  for (const Json& item : theirs->get_array()) {
    const JsonObject* entry = item.if_object();
    bool known = entry == nullptr;
    for (size_t i = 0; i < ours && !known; ++i) {
      const JsonObject& own = checks[i].get_object();
      known = text_or(own, "name") == text_or(*entry, "name") && badness(own) >= badness(*entry);
    }
    if (!known) checks.push_back(item);
  }
}

// What only the running gateway can tell; none running is fine, the next command starts one.
void add_gateway_checks(JsonArray& checks) {
  const Result<Home> home = find_home();
  Result<Gateway> gateway = Gateway::reach_running();
  if (!gateway) {
    if (gateway.error().code() == ErrorCode::not_found) {
      checks.push_back(check("gateway", "ok", "not running; any command that needs it starts it"));
    } else {
      const Error why = home ? silent_gateway(*home, gateway.error()) : gateway.error();
      checks.push_back(check("gateway", "error", why.message()));  // which says what to do
    }
    return;
  }
  Result<JsonObject> status = ask_within(gateway->client, "gateway/status", params_of({}), status_patience);
  Result<JsonObject> doctor =
      status ? ask_within(gateway->client, "gateway/doctor", params_of({}), doctor_patience) : status;
  if (!doctor) {
    const Error why = silent_gateway(gateway->home, doctor.error());
    checks.push_back(check("gateway", "error", why.message()));
    return;
  }
  const std::string version = text_or(*status, "version");
  const std::string running = "version " + version + ", pid " + std::to_string(integer_or(*status, "pid"));
  if (version == TALARIA_VERSION) checks.push_back(check("gateway", "ok", running));
  else
    checks.push_back(
        check("gateway", "warning", running + ", but this is " TALARIA_VERSION, "talaria serve --replace"));
  add_new(checks, *doctor);
}

int run(const DoctorOptions& options) {
  JsonArray checks = local_checks();
  add_gateway_checks(checks);
  bool errors = false;
  Table table({"STATE", "CHECK", "DETAIL"});
  table.colour_column(0, state_colour);
  table.wrap_last_column();
  for (const Json& item : checks) {
    const JsonObject& entry = item.get_object();
    const std::string state = text_or(entry, "state");
    const std::string fix = text_or(entry, "fix");
    errors = errors || state == "error";
    table.add({state, text_or(entry, "name"), text_or(entry, "detail") + (fix.empty() ? "" : "  → " + fix)});
  }
  if (options.json) print_json(JsonObject{{"checks", std::move(checks)}, {"ok", !errors}});
  else table.print_out();
  return errors ? 1 : 0;
}

Run declare_doctor(CommandLine& line) {
  auto options = std::make_shared<DoctorOptions>();
  line.flag("--json", options->json, "Print JSON");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand doctor_command = {"doctor", "Check that everything is in order, and say what to do where it is not",
                                   R"(  talaria doctor
  talaria doctor --json    exit code 1 when something is broken)",
                                   declare_doctor};

}  // namespace talaria
