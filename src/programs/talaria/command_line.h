#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talaria {

// The options of one command. The one place that knows the option parser; commands only say what they take.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& summary, const std::string& examples);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names` as in "-b,--background"; `value` must outlive parse.
  void flag(const std::string& names, bool& value, const std::string& help);
  void option(const std::string& names, std::optional<std::string>& value, const std::string& placeholder,
              const std::string& help);
  void option(const std::string& names, std::optional<int64_t>& value, const std::string& placeholder,
              const std::string& help);
  // Seconds.
  void option(const std::string& names, std::optional<double>& value, const std::string& placeholder,
              const std::string& help);
  void option(const std::string& names, std::vector<std::string>& values, const std::string& placeholder,
              const std::string& help);

  // Words without a dash, in the order they are declared here.
  void required(const std::string& name, std::string& value, const std::string& help);
  void optional(const std::string& name, std::optional<std::string>& value, const std::string& help);
  void optional(const std::string& name, std::optional<int64_t>& value, const std::string& help);
  enum class AtLeast { none, one };
  void list(const std::string& name, std::vector<std::string>& values, AtLeast least, const std::string& help);
  // Everything from the first word that is neither an option nor a required word of ours, whatever it looks like:
  // another program's command line.
  void rest(const std::string& name, std::vector<std::string>& words);

  // How a command's first word goes on: its help begins with this when that word is given.
  void action(const std::string& name, const std::string& usage);
  // A first word, or the first two, that are explained by a help of their own, instead of the command's. Without a
  // name, the help that stands for the command's own.
  void action_help(const std::string& name, const std::string& help);

  // The words after the command's name. An exit code when there is nothing left to do: help was asked for and printed
  // (0), or the words make no sense and a hint was printed (as usage_error).
  std::optional<int> parse(std::vector<std::string> words);

  // Every option's long name, for completion.
  std::vector<std::string> option_names() const;
  bool has_option(const std::string& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What a command does once its options are read; gives the exit code.
using Run = std::function<int()>;

// One word of `talaria WORD …`.
struct CliCommand {
  const char* name;
  const char* summary;
  const char* examples;
  Run (*declare)(CommandLine& line);
};

// Wrong usage found after parsing: prints it with the hint and gives 2; for exec and sandbox 125, as every failure of
// their own.
int usage_error(const std::string& command, const std::string& message);

}  // namespace talaria
