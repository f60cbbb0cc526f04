#include "talaria/commands.h"
#include "talaria/each_job.h"

namespace talaria {
namespace {

struct KillOptions {
  std::vector<std::string> ids;
  std::optional<std::string> signal;
  bool json = false;
};

int run(const KillOptions& options) {
  JsonObject arguments{{"action", "kill"}};
  set_if(arguments, "signal", options.signal);
  return process_each(options.ids, arguments, options.json);
}

Run declare_kill(CommandLine& line) {
  auto options = std::make_shared<KillOptions>();
  line.list("ID", options->ids, CommandLine::AtLeast::one, "Jobs, or the beginnings of their ids");
  line.option("-s,--signal", options->signal, "SIGNAL", "Only send this signal, such as INT, HUP, KILL or 15");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand kill_command = {"kill", "End jobs with everything they started",
                                 R"(  talaria kill k3f9           SIGTERM, five seconds, SIGKILL
  talaria kill k3f9 p7xc      several
  talaria kill -s HUP k3f9    only a signal)",
                                 declare_kill};

}  // namespace talaria
