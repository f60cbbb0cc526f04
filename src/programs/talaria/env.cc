#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/meant_name.h"
#include "config/dotenv.h"
#include "config/settings.h"
#include "config/wipe.h"
#include "talaria/commands.h"
#include "talaria/env_list.h"
#include "talaria/env_words.h"
#include "talaria/gateway.h"
#include "talaria/hidden_input.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/table.h"

namespace talaria {
namespace {

struct EnvOptions {
  std::string action;
  std::vector<std::string> words;
  bool json = false;
};

std::string env_file(const Home& home) { return home.root + "/.env"; }

// One line and no byte more: the next one may be for someone else.
Result<std::string> read_one_line() {
  constexpr size_t longest = 128 << 10;
  std::string line;
  line.reserve(4096);
  for (char byte = 0; line.size() <= longest;) {
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("read stdin");
    if (count == 0 || byte == '\n') break;
    line += byte;
  }
  if (line.size() > longest) {
    wipe(line);
    return invalid("the first line of stdin is longer than any variable can be");
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// Nothing when nothing was entered.
Result<std::optional<std::string>> read_value(const std::string& name) {
  if (is_terminal(STDIN_FILENO)) return ask_hidden("Value of " + name + " (it is not shown): ");
  std::string line = TRY(read_one_line());
  if (line.empty()) return std::optional<std::string>();
  int waiting = 0;
  if (::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0) complain("only the first line of stdin was taken");
  return std::optional(std::move(line));
}

Result<int> set(const Home& home, const std::string& name, bool json) {
  TRY(home.prepare());
  TRY(check_dotenv(env_file(home)));  // nobody is asked in vain
  std::optional<std::string> value = TRY(read_value(name));
  if (!value) {
    complain("nothing was entered, so " + name + " stays as it was");
    return 1;
  }
  const Result<> stored = set_dotenv(env_file(home), name, *value);
  wipe(*value);
  if (!stored) return stored.error();
  if (json) print_json(JsonObject{{"path", env_file(home)}, {"name", name}});
  else print_line(name + " is set in " + env_file(home));
  return 0;
}

Result<int> unset(const Home& home, const std::vector<std::string>& names, bool json) {
  TRY(home.prepare());
  const std::vector<std::string> removed = TRY(unset_dotenv(env_file(home), names));
  int code = 0;
  for (const std::string& name : names) {
    if (std::find(removed.begin(), removed.end(), name) != removed.end()) continue;
    complain(name + " is not in " + env_file(home));
    code = 1;
  }
  if (json) print_json(JsonObject{{"path", env_file(home)}, {"removed", JsonArray(removed.begin(), removed.end())}});
  return code;
}

Result<int> list(const Home& home, bool json) {
  // A broken config.yaml is not what this is about.
  const Result<Settings> settings = load_settings(home.config());
  const std::vector<std::string> passthrough =
      settings ? settings->terminal.env_passthrough : std::vector<std::string>();
  const std::vector<EnvRow> rows = env_rows(TRY(read_dotenv(env_file(home))), passthrough);
  if (json) {
    print_json(env_json(env_file(home), rows));
    return 0;
  }
  Table table({"NAME", "VALUE", "COMMANDS"});
  for (const EnvRow& row : rows) {
    const std::string refused = row.refused.empty() ? "" : "never get it: " + row.refused;
    table.add({row.name, row.empty ? "empty" : "set", row.passed ? "get it (terminal.env_passthrough)" : refused});
  }
  table.wrap_last_column();
  if (rows.empty()) remark("no variables in " + env_file(home));
  else table.print_out();
  return 0;
}

int give(const Result<int>& code) { return code ? *code : fail(code.error()); }

int run(const EnvOptions& options) {
  if (const Result<> allowed = refuse_inside_job("the variables in .env can be neither seen nor changed"); !allowed) {
    return fail(allowed.error());
  }
  const std::vector<std::string> actions = {"set", "unset", "list"};
  if (std::find(actions.begin(), actions.end(), options.action) == actions.end()) {
    // Not repeated: it may be a value.
    return usage_error(
        "env", "there is no such action" + did_you_mean(options.action, actions) + "\nActions: set, unset and list");
  }
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  if (options.action == "list") {
    if (!options.words.empty()) return usage_error("env", "list takes no names");
    return give(list(*home, options.json));
  }
  if (options.action == "unset") {
    const Result<std::vector<std::string>> names = names_to_unset(options.words);
    return names ? give(unset(*home, *names, options.json)) : usage_error("env", names.error().message());
  }
  const Result<std::string> name = name_to_set(options.words);
  return name ? give(set(*home, *name, options.json)) : usage_error("env", name.error().message());
}

Run declare_env(CommandLine& line) {
  auto options = std::make_shared<EnvOptions>();
  line.required("ACTION", options->action, "set, unset or list");
  line.rest("NAME", options->words);
  line.flag("--json", options->json, "Print JSON; must come before the names");
  line.action("set", "talaria env set NAME");
  line.action("unset", "talaria env unset NAME...");
  line.action("list", "talaria env list [--json]");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand env_command = {"env", "Set and list the variables in .env, without showing a value",
                                R"(  talaria env set TENOR_API_KEY            asks for the value, which is not shown
  pass show tenor | talaria env set TENOR_API_KEY    the first line of stdin
  talaria env unset TENOR_API_KEY
  talaria env list                         names only)",
                                declare_env};

}  // namespace talaria
