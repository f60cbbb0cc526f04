#include "talaria/word_check.h"

#include <algorithm>
#include <cctype>

#include "base/meant_name.h"
#include "base/text.h"
#include "base/unseen.h"

namespace talaria {
namespace {

constexpr size_t longest_shown = 60;

std::string in_quotes(const std::string& word) { return "\"" + shown_line(word.substr(0, longest_shown)) + "\""; }

bool looks_like_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

// "The job, or …" goes on behind a colon as "the job, or …"; "JSON: …" stays.
std::string inside_sentence(std::string text) {
  const bool lower_follows = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]));
  if (lower_follows) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

class Checker {
 public:
  explicit Checker(const CommandGrammar& grammar) : grammar_(grammar) {}

  WordCheck run(const std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--") {
        for (++i; i < words.size(); ++i) take_word(words[i]);
      } else if (looks_like_option(words[i])) {
        const bool value_follows = grammar_.takes_next_word(words[i]);
        take_option(words[i], !value_follows || i + 1 < words.size());
        if (value_follows) ++i;
      } else {
        take_word(words[i]);
      }
    }
    for (size_t i = count_; i < grammar_.words.size(); ++i) {
      const CommandGrammar::Word& word = grammar_.words[i];
      if (word.required) complain_of(word.name + " is missing: " + inside_sentence(word.help));
    }
    return check_;
  }

 private:
  // Of several mistakes the first is told.
  void complain_of(const std::string& message) {
    if (check_.wrong.empty()) check_.wrong = message;
  }

  bool is_known(const std::string& name) {
    if (grammar_.find(name)) return true;
    const bool version = name == "-v" || name == "-V" || name == "--version";
    check_.version = check_.version || version;
    return version;
  }

  void take_option(const std::string& word, bool value_is_there) {
    if (word.starts_with("--")) return take_long(word, value_is_there);
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string name = std::string("-") + word[i];
      const CommandGrammar::Option* option = grammar_.find(name);
      if (!is_known(name)) return complain_of("there is no option " + shown_of(word) + hint(word));
      if (!option) continue;
      note_help(*option);
      if (option->placeholder.empty()) continue;
      if (i + 1 == word.size() && !value_is_there) needs_value(name, *option);
      return;
    }
  }

  void take_long(const std::string& word, bool value_is_there) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CommandGrammar::Option* option = grammar_.find(name);
    if (!is_known(name)) return complain_of("there is no option " + shown_of(name) + hint(name));
    if (!option) return;
    note_help(*option);
    if (option->placeholder.empty() && equals != std::string::npos) complain_of(name + " takes no value");
    const bool empty = equals != std::string::npos && equals + 1 == word.size();  // the next word is not its value
    if (!option->placeholder.empty() && (empty || !value_is_there)) needs_value(name, *option);
  }

  void take_word(const std::string& word) {
    ++count_;
    const std::vector<CommandGrammar::Word>& words = grammar_.words;
    if (count_ <= words.size() || (!words.empty() && words.back().repeated)) return;
    std::vector<std::string> names;
    for (const CommandGrammar::Word& one : words) names.push_back(one.name);
    complain_of("unexpected word " + in_quotes(word) + "; " +
                (names.empty() ? "only options are taken here" : "what is taken is " + listed(names)));
  }

  void note_help(const CommandGrammar::Option& option) {
    check_.help = check_.help || std::find(option.names.begin(), option.names.end(), "--help") != option.names.end();
  }

  void needs_value(const std::string& name, const CommandGrammar::Option& option) {
    complain_of(name + " needs a value: " + name + " " + option.placeholder);
  }

  static std::string shown_of(const std::string& word) { return shown_line(word.substr(0, longest_shown)); }

  std::string hint(const std::string& word) const {
    std::vector<std::string> names;
    for (const CommandGrammar::Option& option : grammar_.options) {
      for (const std::string& name : option.names) {
        if (name.starts_with("--")) names.push_back(name.substr(2));
      }
    }
    const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    const std::string meant = meant_name(word.substr(dashes), names);
    return (meant.empty() ? "" : "; did you mean --" + meant + "?") +
           (grammar_.has_rest
                ? std::string(meant.empty() ? "; put" : " Put") + " -- before a command that begins with a dash"
                : "");
  }

  const CommandGrammar& grammar_;
  WordCheck check_;
  size_t count_ = 0;
};

}  // namespace

const CommandGrammar::Option* CommandGrammar::find(const std::string& name) const {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

bool CommandGrammar::takes_next_word(const std::string& word) const {
  const auto has_value = [&](const std::string& name) {
    const Option* option = find(name);
    return option && !option->placeholder.empty();
  };
  if (word.starts_with("--")) return has_value(word);
  for (size_t i = 1; i < word.size(); ++i) {
    if (has_value(std::string("-") + word[i])) return i + 1 == word.size();
  }
  return false;
}

WordCheck check_words(const CommandGrammar& grammar, const std::vector<std::string>& words) {
  return Checker(grammar).run(words);
}

std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words, "");
  return join({words.begin(), words.end() - 1}, ", ") + " and " + words.back();
}

std::string no_such(const std::string& kind, const std::string& given, const std::vector<std::string>& known) {
  return "there is no " + kind + " " + in_quotes(given) + did_you_mean_one_of(given, known);
}

}  // namespace talaria
