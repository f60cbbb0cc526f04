#include "talaria/commands.h"
#include "talaria/gateway.h"

namespace talaria {
namespace {

struct SubmitOptions {
  std::string id;
  bool json = false;
};

Run declare_submit(CommandLine& line) {
  auto options = std::make_shared<SubmitOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run_process({{"action", "submit"}, {"sessionId", options->id}}, options->json); };
}

}  // namespace

const CliCommand submit_command = {"submit", "Press Enter in a job's terminal",
                                   R"(  talaria paste k3f9 'git log' && talaria submit k3f9)", declare_submit};

}  // namespace talaria
