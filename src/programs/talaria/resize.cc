#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/terminal_mode.h"

namespace talaria {
namespace {

struct ResizeOptions {
  std::string id;
  std::optional<int64_t> rows;
  std::optional<int64_t> cols;
  bool json = false;
};

int run(ResizeOptions options) {
  if (!options.rows) {
    const std::optional<WindowSize> size = window_size();
    if (!size) return usage_error("resize", "there is no terminal here to take the size from; give ROWS and COLS");
    options.rows = size->rows;
    options.cols = size->cols;
  }
  if (!options.cols) return usage_error("resize", "give both ROWS and COLS, or neither");
  return run_process(
      {{"action", "resize"}, {"sessionId", options.id}, {"rows", *options.rows}, {"cols", *options.cols}},
      options.json);
}

Run declare_resize(CommandLine& line) {
  auto options = std::make_shared<ResizeOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.optional("ROWS", options->rows, "Lines (default: this terminal's)");
  line.optional("COLS", options->cols, "Columns");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand resize_command = {"resize", "Change the size of a job's terminal",
                                   R"(  talaria resize k3f9           as large as this terminal
  talaria resize k3f9 50 160    50 lines, 160 columns)",
                                   declare_resize};

}  // namespace talaria
