#include "talaria/commands.h"
#include "talaria/each_job.h"

namespace talaria {
namespace {

struct ClearOptions {
  std::vector<std::string> ids;
  bool json = false;
};

Run declare_clear(CommandLine& line) {
  auto options = std::make_shared<ClearOptions>();
  line.list("ID", options->ids, CommandLine::AtLeast::one, "Finished jobs, or the beginnings of their ids");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return process_each(options->ids, {{"action", "clear"}}, options->json); };
}

}  // namespace

const CliCommand clear_command = {"clear", "Forget finished jobs with their output",
                                  R"(  talaria clear k3f9
  talaria clear k3f9 p7xc)",
                                  declare_clear};

}  // namespace talaria
