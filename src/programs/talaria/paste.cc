#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct PasteOptions {
  std::string id;
  std::string text;
  bool plain = false;
  bool json = false;
};

int run(PasteOptions options) {
  if (options.text == "-") {
    Result<std::string> text = read_stdin();
    if (!text) return fail(text.error());
    options.text = *std::move(text);
  }
  JsonObject arguments{{"action", "paste"}, {"sessionId", options.id}, {"text", options.text}};
  if (options.plain) arguments["bracketed"] = false;
  return run_process(std::move(arguments), options.json);
}

Run declare_paste(CommandLine& line) {
  auto options = std::make_shared<PasteOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.required("TEXT", options->text, "What to paste; - takes stdin");
  line.flag("--plain", options->plain, "Send it without the marks of a bracketed paste");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand paste_command = {"paste", "Paste text into a job's terminal",
                                  R"(  talaria paste k3f9 'two words'
  talaria paste k3f9 - < snippet.py    the program sees a paste, not keys)",
                                  declare_paste};

}  // namespace talaria
