#include "talaria/commands.h"
#include "talaria/gateway.h"

namespace talaria {
namespace {

struct KeysOptions {
  std::string id;
  std::vector<std::string> keys;
  std::optional<std::string> literal;
  std::vector<std::string> hex;
  bool json = false;
};

int run(const KeysOptions& options) {
  if (options.keys.empty() && !options.literal && options.hex.empty()) {
    return usage_error("keys", "give the keys to press, --literal TEXT or --hex BYTES");
  }
  JsonObject arguments{{"action", "send-keys"}, {"sessionId", options.id}};
  set_if(arguments, "literal", options.literal);
  if (!options.keys.empty()) arguments["keys"] = JsonArray(options.keys.begin(), options.keys.end());
  if (!options.hex.empty()) arguments["hex"] = JsonArray(options.hex.begin(), options.hex.end());
  return run_process(std::move(arguments), options.json);
}

Run declare_keys(CommandLine& line) {
  auto options = std::make_shared<KeysOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.list("KEY", options->keys, CommandLine::AtLeast::none, "Key names as in tmux: Enter Up C-c M-x F5 S-Tab");
  line.option("--literal", options->literal, "TEXT", "Type this text");
  line.option("--hex", options->hex, "BYTE", "Send this byte, such as 1b (may be repeated)");
  line.flag("--json", options->json, "Print the raw result");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand keys_command = {"keys", "Press keys in a job's terminal",
                                 R"(  talaria keys k3f9 C-c                      interrupt
  talaria keys k3f9 Down Down Enter          choose the third entry
  talaria keys k3f9 --literal ':wq' Enter    type, then Enter)",
                                 declare_keys};

}  // namespace talaria
