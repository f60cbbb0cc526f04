// talaria: the person's command line. Thin: everything happens in the gateway, which is started when it is needed.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "base/meant_name.h"
#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "json/json.h"
#include "os/standard_streams.h"
#include "talaria/commands.h"
#include "talaria/completion.h"
#include "talaria/print.h"

namespace talaria {
namespace {

std::vector<const CliCommand*> all_commands();

Run declare_completion(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  line.required("SHELL", *shell, "bash or zsh");
  return [shell] { return print_completion(*shell, all_commands()); };
}

// Here, because it is about all the others.
const CliCommand completion_command = {"completion", "Print a script that completes commands, options and job ids",
                                       R"(  source <(talaria completion bash)    in ~/.bashrc
  source <(talaria completion zsh)     in ~/.zshrc)",
                                       declare_completion};

struct Group {
  const char* title;
  std::vector<const CliCommand*> commands;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"Run and watch", {&exec_command, &ps_command, &log_command, &poll_command, &wait_command}},
      {"Talk to a job",
       {&write_command, &keys_command, &paste_command, &submit_command, &resize_command, &kill_command, &rm_command,
        &clear_command}},
      {"Files and the web", {&read_command, &grep_command, &patch_command, &fetch_command, &search_command}},
      {"Programs that call tools", {&code_command}},
      {"Skills", {&skills_command}},
      {"For programs", {&tool_command, &tools_command, &events_command}},
      {"The sandbox", {&sandbox_command}},
      {"Talaria itself",
       {&serve_command, &config_command, &env_command, &import_command, &logs_command, &doctor_command,
        &completion_command}},
  };
  return all;
}

std::vector<const CliCommand*> all_commands() {
  std::vector<const CliCommand*> all;
  for (const Group& group : groups()) all.insert(all.end(), group.commands.begin(), group.commands.end());
  return all;
}

const CliCommand* find_command(const std::string& name) {
  for (const CliCommand* command : all_commands()) {
    if (name == command->name) return command;
  }
  return nullptr;
}

void print_help() {
  std::string text = "Talaria runs what an agent asks for, and keeps it.\n\nUsage: talaria COMMAND [OPTIONS]\n";
  for (const Group& group : groups()) {
    text += "\n" + coloured(Colour::bold, group.title) + "\n";
    for (const CliCommand* command : group.commands) {
      text += "  " + std::string(command->name) + std::string(12 - std::string(command->name).size(), ' ') +
              command->summary + "\n";
    }
  }
  text +=
      "\nhelp COMMAND explains one, --version tells the version.\n\nExamples:\n  talaria exec 'make test'     run it "
      "and wait\n"
      "  talaria exec -b ./server     leave it running\n  talaria ps                   see what runs\n"
      "  talaria help exec            every option of exec\n";
  print(fit_lines(text, terminal_width()));
}

// What is written to a job's stdin goes in base64; all else is text in the protocol, and in what we store.
std::optional<std::string> why_not_text(const CliCommand& command, const std::vector<std::string>& words) {
  if (command.name == std::string_view("write")) return std::nullopt;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t good = utf8_prefix(words[i]);
    if (good == words[i].size()) continue;
    const bool shell = command.name == std::string_view("exec");
    return "argument " + std::to_string(i + 1) + " is not valid UTF-8 (byte " + std::to_string(good + 1) +
           "): " + shown_line(words[i]) + ". Talaria takes text only." +
           (shell ? " Write the byte inside the quoted command as $'\\xff', or match the file with ?" : "");
  }
  return std::nullopt;
}

// Who asked for JSON gets some, also when it went wrong.
int with_json_error(int code) {
  if (code != 0 && !has_printed() && !complaints().empty())
    print_json(JsonObject{{"error", terminal_text(complaints())}});
  return code;
}

int run_command(const CliCommand& command, std::vector<std::string> words) {
  CommandLine line(command.name, command.summary, command.examples);
  const Run run = command.declare(line);
  const auto ours = std::find(words.begin(), words.end(), "--");
  const bool json = line.has_option("--json") && std::find(words.begin(), ours, "--json") != ours;
  const auto act = [&] {
    if (const auto why = why_not_text(command, words)) return usage_error(command.name, *why);
    const std::optional<int> code = line.parse(std::move(words));
    return code ? *code : run();
  };
  return json ? with_json_error(act()) : act();
}

int unknown_command(const std::string& name) {
  std::vector<std::string> names;
  for (const CliCommand* command : all_commands()) names.emplace_back(command->name);
  const bool is_option = name.starts_with('-');
  complain((is_option ? "there is no option " : "unknown command ") + std::string("\"") + shown_line(name) + "\"" +
           (is_option ? "; options follow a command" : did_you_mean(name, names)) + "\nTry: talaria help");
  return 2;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_help();
    return 2;
  }
  const std::string& name = words.front();
  if (name == "--version" || name == "-V" || name == "-v" || name == "version") {
    print_line("talaria " TALARIA_VERSION);
    return 0;
  }
  if (name == "--help" || name == "-h" || (name == "help" && words.size() == 1)) {
    print_help();
    return 0;
  }
  // `help skills view` is `skills --help view`: what follows the option names an action and runs nothing.
  const bool help = name == "help";
  const std::string& wanted = help ? words[1] : name;
  if (help && wanted.starts_with('-')) return print_help(), 0;
  const CliCommand* command = find_command(wanted);
  if (!command) return unknown_command(wanted);
  std::vector<std::string> own(words.begin() + (help ? 2 : 1), words.end());
  if (help) own.insert(own.begin(), "--help");
  return run_command(*command, std::move(own));
}

}  // namespace
}  // namespace talaria

int main(int count, char** arguments) {
  if (auto reserved = talaria::reserve_standard_streams(); !reserved) return talaria::fail(reserved.error());
  return talaria::dispatch({arguments + 1, arguments + count});
}
