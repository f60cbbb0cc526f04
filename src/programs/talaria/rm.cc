#include "talaria/commands.h"
#include "talaria/each_job.h"

namespace talaria {
namespace {

struct RemoveOptions {
  std::vector<std::string> ids;
  bool json = false;
};

Run declare_rm(CommandLine& line) {
  auto options = std::make_shared<RemoveOptions>();
  line.list("ID", options->ids, CommandLine::AtLeast::one, "Jobs, or the beginnings of their ids");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return process_each(options->ids, {{"action", "remove"}}, options->json); };
}

}  // namespace

const CliCommand rm_command = {"rm", "End jobs if they still run, and forget them with their output",
                               R"(  talaria rm k3f9
  talaria rm k3f9 p7xc)",
                               declare_rm};

}  // namespace talaria
