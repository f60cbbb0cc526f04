#pragma once
#include <optional>
#include <string>
#include <vector>

namespace talaria {

// What a command takes, as its words are checked before the option parser sees them: what is wrong is then said in our
// words, with what was probably meant.
struct CommandGrammar {
  struct Option {
    std::vector<std::string> names;  // "-n", "--lines"
    std::string placeholder;         // of its value; empty for a flag
  };
  struct Word {
    std::string name;
    std::string help;
    bool required = false;
    bool repeated = false;
  };

  std::vector<Option> options;
  std::vector<Word> words;
  bool has_rest = false;  // another program's words follow, which are not among those that are checked

  // The option of this name, or null.
  const Option* find(const std::string& name) const;
  // "--name value" and "-n value", but neither "--name=value" nor "-nvalue".
  bool takes_next_word(const std::string& word) const;
};

// What the words ask for beside the command's own work, and what is wrong with them (empty: nothing).
struct WordCheck {
  bool help = false;
  bool version = false;
  std::string wrong;
};
WordCheck check_words(const CommandGrammar& grammar, const std::vector<std::string>& words);

// "there is no action lst; did you mean list? There are list, view, run".
std::string no_such(const std::string& kind, const std::string& given, const std::vector<std::string>& known);
// "list, view and run".
std::string listed(const std::vector<std::string>& words);

}  // namespace talaria
