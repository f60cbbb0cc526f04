#include "base/meant_name.h"

#include <algorithm>

#include "base/text.h"

namespace talaria {
namespace {

// Without what only separates words.
std::string bare_name(std::string_view name) {
  std::string bare = lower(name.substr(0, 64));
  std::erase_if(bare, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return bare;
}

bool letters_in_order(std::string_view few, std::string_view all) {
  size_t found = 0;
  for (const char c : all) {
    if (found < few.size() && few[found] == c) ++found;
  }
  return found == few.size();
}

// "cmd" of "command", "id" of "sessionid", "time" of "timeout".
bool shortens(std::string_view brief, std::string_view whole) {
  if (brief.size() < 2) return false;
  if (whole.starts_with(brief) || whole.ends_with(brief)) return true;
  return brief.size() > 2 && whole.starts_with(brief.front()) && letters_in_order(brief, whole);
}

}  // namespace

std::string meant_name(std::string_view word, const std::vector<std::string>& names) {
  const std::string wanted = bare_name(word);
  if (wanted.size() < 2) return "";
  std::string best;
  size_t least = std::string::npos;
  for (const std::string& name : names) {
    const std::string bare = bare_name(name);
    if (bare == wanted) return name;
    if (!shortens(wanted, bare) && !shortens(bare, wanted)) continue;
    const size_t missing = std::max(bare.size(), wanted.size()) - std::min(bare.size(), wanted.size());
    if (missing < least) least = missing, best = name;
  }
  if (!best.empty()) return best;
  const std::vector<std::string> near = nearest(word, names, 1);
  return near.empty() ? "" : near.front();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string meant = meant_name(word, names);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

std::string did_you_mean_one_of(std::string_view word, const std::vector<std::string>& names) {
  const std::string meant = did_you_mean(word, names);
  return meant + (meant.empty() ? "; there are " : " There are ") + join(names, ", ");
}

std::string did_you_mean_sentence(std::string_view word, const std::vector<std::string>& names) {
  const std::string meant = meant_name(word, names);
  return meant.empty() ? "" : " Did you mean " + meant + "?";
}

}  // namespace talaria
