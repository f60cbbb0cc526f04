#include "talaria/env_words.h"

#include <algorithm>

#include "config/dotenv_text.h"

namespace talaria {
namespace {

Error no_name() {
  return invalid("that is not a name for a variable; names have letters, digits and _, and begin with no digit");
}

bool is_option(const std::string& word) { return word.starts_with('-'); }

Error misplaced_option(const std::string& action) {
  return invalid("options stand before the names: talaria env --json " + action + " NAME");
}

}  // namespace

Result<std::string> name_to_set(const std::vector<std::string>& words) {
  if (words.empty()) return invalid("set needs the name of a variable");
  // Another second word may be a value, whatever it begins with.
  if (is_option(words[0]) || (words.size() == 2 && words[1] == "--json")) return misplaced_option("set");
  const size_t equals = words[0].find('=');
  if (words.size() > 1 || equals != std::string::npos) {
    const std::string name = words[0].substr(0, equals);
    return invalid(
        "a value is not taken from the command line, where every user sees it in the list of processes and the shell "
        "writes it into its history. Give only the name, and type the value when you are asked, or pipe it in: talaria "
        "env set " +
        (is_variable_name(name) ? name : "NAME") + " < FILE");
  }
  if (!is_variable_name(words[0])) return no_name();
  return words[0];
}

Result<std::vector<std::string>> names_to_unset(const std::vector<std::string>& words) {
  if (words.empty()) return invalid("unset needs the name of a variable");
  if (std::any_of(words.begin(), words.end(), is_option)) return misplaced_option("unset");
  if (!std::all_of(words.begin(), words.end(), [](const std::string& word) { return is_variable_name(word); })) {
    return no_name();
  }
  return words;
}

}  // namespace talaria
