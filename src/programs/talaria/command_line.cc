#include "talaria/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/number_text.h"
#include "base/text.h"
#include "talaria/ending.h"
#include "talaria/print.h"

namespace talaria {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const std::string& words) : words_(words) { column_width(30); }
  std::string make_usage(const CLI::App* app, std::string) const override {
    return "\nUsage: " + app->get_name() + " [OPTIONS]" + words_ + "\n";
  }

 private:
  const std::string& words_;
};

}  // namespace

struct CommandLine::Impl {
  Impl(const std::string& given_name, const std::string& summary) : name(given_name), app(summary, "talaria " + name) {}

  void usage_word(const std::string& word) { usage += " " + word; }
  void cut_rest(std::vector<std::string>& words);
  bool takes_next_word(const std::string& word) const;
  struct Action {
    std::string help;
    bool is_whole = false;  // the command's own help does not follow
  };
  // That of the first word which is no option, where it is an action.
  Action action_of(const std::vector<std::string>& words) const;
  void note_valued(const std::string& names) {
    for (const std::string& written : split(names, ',')) valued.insert(written);
  }

  std::string name;
  CLI::App app;
  std::string usage;
  std::set<std::string> valued;  // names of options with a value, as they are written: "-n", "--lines"
  std::vector<std::string>* rest = nullptr;
  size_t words_before_rest = 0;
  std::map<std::string, Action> actions;
};

CommandLine::CommandLine(const std::string& name, const std::string& summary, const std::string& examples)
    : impl_(std::make_unique<Impl>(name, summary)) {
  impl_->app.footer("Examples:\n" + examples);
  impl_->app.set_help_flag("-h,--help", "Show this help");
  impl_->app.formatter(std::make_shared<HelpFormatter>(impl_->usage));
}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  impl_->app.add_flag(names, value, help);
}

namespace {

CLI::Option* add_text_option(CLI::App& app, const std::string& names,
                             const std::function<void(const std::string&)>& take, const std::string& placeholder,
                             const std::string& help) {
  return app.add_option_function<std::string>(names, take, help)
      ->type_name(placeholder)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// The last of "-n,--lines".
std::string long_name(const std::string& names) { return names.substr(names.find_last_of(',') + 1); }

// The parser's own reading takes nan, inf and 0x10 for numbers.
std::function<void(const std::string&)> whole_number(std::optional<int64_t>& value, const std::string& name) {
  return [&value, name](const std::string& given) {
    value = parse_whole_number(given);
    if (!value) throw CLI::ValidationError(name + " must be a whole number, got \"" + given + "\"");
  };
}

}  // namespace

void CommandLine::option(const std::string& names, std::optional<std::string>& value, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_valued(names);
  add_text_option(
      impl_->app, names, [&value](const std::string& given) { value = given; }, placeholder, help);
}
void CommandLine::option(const std::string& names, std::optional<int64_t>& value, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_valued(names);
  add_text_option(impl_->app, names, whole_number(value, long_name(names)), placeholder, help);
}
void CommandLine::option(const std::string& names, std::optional<double>& value, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_valued(names);
  const auto take = [&value, name = long_name(names)](const std::string& given) {
    value = parse_seconds(given);
    if (!value)
      throw CLI::ValidationError(name + " must be a number of seconds, such as 90 or 0.5, got \"" + given + "\"");
  };
  add_text_option(impl_->app, names, take, placeholder, help);
}
void CommandLine::option(const std::string& names, std::vector<std::string>& values, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_valued(names);
  // One value each time, so that a word after it is not swallowed.
  impl_->app.add_option(names, values, help)
      ->type_name(placeholder)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::required(const std::string& name, std::string& value, const std::string& help) {
  impl_->app.add_option(name, value, help)->required()->type_name("");
  impl_->usage_word(name);
  ++impl_->words_before_rest;
}
void CommandLine::optional(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  impl_->app
      .add_option_function<std::string>(
          name, [&value](const std::string& given) { value = given; }, help)
      ->type_name("");
  impl_->usage_word("[" + name + "]");
}
void CommandLine::optional(const std::string& name, std::optional<int64_t>& value, const std::string& help) {
  impl_->app.add_option_function<std::string>(name, whole_number(value, name), help)->type_name("");
  impl_->usage_word("[" + name + "]");
}
void CommandLine::list(const std::string& name, std::vector<std::string>& values, AtLeast least,
                       const std::string& help) {
  CLI::Option* option = impl_->app.add_option(name, values, help)->type_name("");
  if (least == AtLeast::one) option->required();
  impl_->usage_word(least == AtLeast::one ? name + "..." : "[" + name + "...]");
}
void CommandLine::rest(const std::string& name, std::vector<std::string>& words) {
  impl_->rest = &words;
  impl_->usage_word("[--] " + name + "...");
}

void CommandLine::action(const std::string& name, const std::string& usage) {
  impl_->actions[name] = {usage + "\n\n", false};
}

void CommandLine::action_help(const std::string& name, const std::string& help) { impl_->actions[name] = {help, true}; }

CommandLine::Impl::Action CommandLine::Impl::action_of(const std::vector<std::string>& words) const {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with('-')) {
      if (takes_next_word(words[i])) ++i;
      continue;
    }
    const auto found = actions.find(words[i]);
    return found == actions.end() ? Action() : found->second;
  }
  return {};
}

// The parser cannot be told where another program's words begin, so it gets only what stands before them.
void CommandLine::Impl::cut_rest(std::vector<std::string>& words) {
  size_t end = 0;
  size_t ours = words_before_rest;
  while (end < words.size()) {
    const std::string& word = words[end];
    if (word == "--") break;
    const bool option = word.starts_with('-') && word != "-";
    if (!option && ours-- == 0) break;
    end += option && takes_next_word(word) ? 2 : 1;
  }
  if (end >= words.size()) return;
  const auto cut = words.begin() + static_cast<std::ptrdiff_t>(end);
  rest->assign(cut + (*cut == "--" ? 1 : 0), words.end());
  words.erase(cut, words.end());
}

// "--name value" and "-n value", but neither "--name=value" nor "-nvalue".
bool CommandLine::Impl::takes_next_word(const std::string& word) const {
  if (word.starts_with("--")) return valued.contains(word);
  for (size_t i = 1; i < word.size(); ++i) {
    if (valued.contains(std::string("-") + word[i])) return i + 1 == word.size();
  }
  return false;
}

std::optional<int> CommandLine::parse(std::vector<std::string> words) {
  if (impl_->rest) impl_->cut_rest(words);
  const Impl::Action action = impl_->action_of(words);
  std::reverse(words.begin(), words.end());
  try {
    impl_->app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    std::fputs((action.help + (action.is_whole ? "" : impl_->app.help())).c_str(), stdout);
    return 0;
  } catch (const CLI::ExtrasError& error) {
    const std::string hint = impl_->rest ? "; put -- before a command that begins with a dash" : "";
    return usage_error(impl_->name, error.what() + hint);
  } catch (const CLI::Error& error) {
    return usage_error(impl_->name, error.what());
  }
  return std::nullopt;
}

std::vector<std::string> CommandLine::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : impl_->app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool CommandLine::has_option(const std::string& name) const {
  const std::vector<std::string> names = option_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

int usage_error(const std::string& command, const std::string& message) {
  complain(command + ": " + message + "\nTry: talaria " + command + " --help");
  // The exit codes of exec and sandbox run are the command's own, 2 among them.
  return command == "exec" || command == "sandbox" ? exit_own_failure : 2;
}

}  // namespace talaria
