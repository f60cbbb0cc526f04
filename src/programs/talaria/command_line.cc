#include "talaria/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

#include "base/columns.h"
#include "base/number_text.h"
#include "base/text.h"
#include "talaria/ending.h"
#include "talaria/print.h"
#include "talaria/word_check.h"

namespace talaria {
namespace {

constexpr size_t help_column = 30;
constexpr size_t narrow_terminal = 60;

// The parser's own lines know no width.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const std::string& words) : words_(words) { label("Positionals", "Arguments"); }

  std::string make_usage(const CLI::App* app, std::string) const override {
    return fit_lines("\nUsage: " + app->get_name() + " [OPTIONS]" + words_ + "\n", terminal_width());
  }
  std::string make_description(const CLI::App* app) const override {
    return fit_lines(app->get_description() + "\n", terminal_width());
  }
  std::string make_footer(const CLI::App* app) const override {
    return fit_lines(app->get_footer(), terminal_width()) + "\n";
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string placeholder = option->get_type_name();
    const std::string name =
        "  " + make_option_name(option, is_positional) + (placeholder.empty() ? "" : " " + placeholder);
    const size_t width = terminal_width();
    const size_t column = width < narrow_terminal ? 6 : help_column;
    const std::string blanks =
        name.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - name.size(), ' ');
    return name + blanks + wrap_to_columns(option->get_description(), std::max(width, column) - column, column) + "\n";
  }

 private:
  const std::string& words_;
};

}  // namespace

struct CommandLine::Impl {
  Impl(const std::string& given_name, const std::string& summary) : name(given_name), app(summary, "talaria " + name) {}

  void usage_word(const std::string& word) { usage += " " + word; }
  void cut_rest(std::vector<std::string>& words);
  struct Action {
    std::string help;
    bool is_whole = false;  // the command's own help does not follow
  };
  // That of the first word which is no option, where it is an action.
  Action action_of(const std::vector<std::string>& words) const;
  void note_option(const std::string& names, const std::string& placeholder) {
    grammar.options.push_back({split(names, ','), placeholder});
  }
  // `talaria skills help view` is the same as --help. The first word must not be able to mean anything else.
  void read_help_word(std::vector<std::string>& words) const;

  std::string name;
  CLI::App app;
  std::string usage;
  CommandGrammar grammar;
  std::vector<std::string>* rest = nullptr;
  size_t words_before_rest = 0;
  std::map<std::string, Action> actions;
};

CommandLine::CommandLine(const std::string& name, const std::string& summary, const std::string& examples)
    : impl_(std::make_unique<Impl>(name, summary)) {
  impl_->app.footer("Examples:\n" + examples);
  impl_->app.set_help_flag("-h,--help", "Show this help");
  impl_->note_option("-h,--help", "");
  impl_->app.formatter(std::make_shared<HelpFormatter>(impl_->usage));
}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  impl_->note_option(names, "");
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
  impl_->note_option(names, placeholder);
  add_text_option(
      impl_->app, names, [&value](const std::string& given) { value = given; }, placeholder, help);
}
void CommandLine::option(const std::string& names, std::optional<int64_t>& value, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_option(names, placeholder);
  add_text_option(impl_->app, names, whole_number(value, long_name(names)), placeholder, help);
}
void CommandLine::option(const std::string& names, std::optional<double>& value, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_option(names, placeholder);
  const auto take = [&value, name = long_name(names)](const std::string& given) {
    value = parse_seconds(given);
    if (!value)
      throw CLI::ValidationError(name + " must be a number of seconds, such as 90 or 0.5, got \"" + given + "\"");
  };
  add_text_option(impl_->app, names, take, placeholder, help);
}
void CommandLine::option(const std::string& names, std::vector<std::string>& values, const std::string& placeholder,
                         const std::string& help) {
  impl_->note_option(names, placeholder);
  // One value each time, so that a word after it is not swallowed.
  impl_->app.add_option(names, values, help)
      ->type_name(placeholder)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::required(const std::string& name, std::string& value, const std::string& help) {
  impl_->app.add_option(name, value, help)->required()->type_name("");
  impl_->usage_word(name);
  impl_->grammar.words.push_back({name, help, true, false});
  ++impl_->words_before_rest;
}
void CommandLine::optional(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  impl_->app
      .add_option_function<std::string>(
          name, [&value](const std::string& given) { value = given; }, help)
      ->type_name("");
  impl_->usage_word("[" + name + "]");
  impl_->grammar.words.push_back({name, help, false, false});
}
void CommandLine::optional(const std::string& name, std::optional<int64_t>& value, const std::string& help) {
  impl_->app.add_option_function<std::string>(name, whole_number(value, name), help)->type_name("");
  impl_->usage_word("[" + name + "]");
  impl_->grammar.words.push_back({name, help, false, false});
}
void CommandLine::list(const std::string& name, std::vector<std::string>& values, AtLeast least,
                       const std::string& help) {
  CLI::Option* option = impl_->app.add_option(name, values, help)->type_name("");
  if (least == AtLeast::one) option->required();
  impl_->usage_word(least == AtLeast::one ? name + "..." : "[" + name + "...]");
  impl_->grammar.words.push_back({name, help, least == AtLeast::one, true});
}
void CommandLine::rest(const std::string& name, std::vector<std::string>& words) {
  impl_->rest = &words;
  impl_->grammar.has_rest = true;
  impl_->usage_word("[--] " + name + "...");
}

void CommandLine::action(const std::string& name, const std::string& usage) {
  impl_->actions[name] = {usage + "\n\n", false};
}

void CommandLine::action_help(const std::string& name, const std::string& help) { impl_->actions[name] = {help, true}; }

// The first two words that are not options may name an action together, or the first alone.
CommandLine::Impl::Action CommandLine::Impl::action_of(const std::vector<std::string>& words) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < words.size() && words[i] != "--" && names.size() < 2; ++i) {
    if (!words[i].starts_with('-')) names.push_back(words[i]);
    else if (grammar.takes_next_word(words[i])) ++i;
  }
  for (; !names.empty(); names.pop_back()) {
    if (const auto found = actions.find(join(names, " ")); found != actions.end()) return found->second;
  }
  const auto own = actions.find("");
  return own == actions.end() ? Action() : own->second;
}

void CommandLine::Impl::read_help_word(std::vector<std::string>& words) const {
  const bool takes_nothing = grammar.words.empty() && !grammar.has_rest;
  if (words.empty() || words.front() != "help" || (actions.empty() && !takes_nothing)) return;
  words.front() = "--help";
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
    end += option && grammar.takes_next_word(word) ? 2 : 1;
  }
  if (end >= words.size()) return;
  const auto cut = words.begin() + static_cast<std::ptrdiff_t>(end);
  rest->assign(cut + (*cut == "--" ? 1 : 0), words.end());
  words.erase(cut, words.end());
}

std::optional<int> CommandLine::parse(std::vector<std::string> words) {
  impl_->read_help_word(words);
  const Impl::Action action = impl_->action_of(words);
  if (impl_->rest) impl_->cut_rest(words);
  const WordCheck check = check_words(impl_->grammar, words);
  if (check.help) {
    print(fit_lines(action.help, terminal_width()) + (action.is_whole ? "" : impl_->app.help()));
    return 0;
  }
  if (check.version) {
    print_line("talaria " TALARIA_VERSION);
    return 0;
  }
  if (!check.wrong.empty()) return usage_error(impl_->name, check.wrong);
  std::reverse(words.begin(), words.end());
  try {
    impl_->app.parse(std::move(words));
  } catch (const CLI::ValidationError& error) {
    return usage_error(impl_->name, error.what());  // a value: the words are ours
  } catch (const CLI::Error&) {
    return usage_error(impl_->name, "these words cannot be read as options of it");
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
