#include "files/name_glob.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/text.h"
#include "policy/glob.h"

namespace talaria {
namespace {

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  for (std::string& part : split(path, '/')) {
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

NameGlob::NameGlob(std::string_view pattern, LetterCase letters)
    : flags_(letters == LetterCase::ignored ? FNM_CASEFOLD : 0) {
  if (pattern.starts_with('!')) {
    negated_ = true;
    pattern.remove_prefix(1);
  }
  for (const std::string& one : expand_braces(pattern)) {
    if (one.empty()) continue;
    Parts parts = parts_of(one);
    if (one.ends_with('/')) parts.emplace_back("**");
    // A single part in a folder, as in "/a.txt" and "./a.txt", means that folder only.
    if (parts.size() == 1 && one.find('/') != std::string::npos) parts.insert(parts.begin(), ".");
    alternatives_.push_back(std::move(parts));
  }
}

// One row of a table for each pattern, so that no pattern takes more time than its length times the path's.
bool NameGlob::one_means(const Parts& patterns, const Parts& parts) const {
  std::vector<bool> reached(parts.size() + 1, false);
  reached[0] = true;
  for (const std::string& pattern : patterns) {
    if (pattern == ".") continue;
    std::vector<bool> next(parts.size() + 1, false);
    bool open = false;
    for (size_t at = 0; at <= parts.size(); ++at) {
      if (pattern == "**") next[at] = open = open || reached[at];
      else if (at < parts.size() && reached[at])
        next[at + 1] = ::fnmatch(pattern.c_str(), parts[at].c_str(), flags_) == 0;
    }
    reached = std::move(next);
  }
  return reached.back();
}

bool NameGlob::means(std::string_view path) const {
  if (alternatives_.empty()) return true;
  const Parts parts = parts_of(path);
  if (parts.empty()) return false;
  return std::ranges::any_of(alternatives_, [&](const Parts& one) { return is_one(one, parts); }) != negated_;
}

std::vector<std::string> NameGlob::name_patterns() const {
  std::vector<std::string> names;
  for (const Parts& parts : alternatives_) {
    if (negated_ || flags_ != 0 || parts.empty() || parts.back() == "**") return {};
    names.push_back(parts.back());
  }
  return names;
}

bool NameGlob::is_hidden(const Parts& patterns) {
  return std::ranges::any_of(patterns, [](const std::string& part) { return part.size() > 1 && part[0] == '.'; });
}

bool NameGlob::names_hidden() const { return !negated_ && std::ranges::any_of(alternatives_, is_hidden); }

bool NameGlob::names_hidden(std::string_view path) const {
  const Parts parts = parts_of(path);
  return !negated_ && !parts.empty() &&
         std::ranges::any_of(alternatives_, [&](const Parts& one) { return is_hidden(one) && is_one(one, parts); });
}

std::string glob_of_word(std::string_view pattern) {
  if (pattern.empty() || pattern.find_first_of("*?[]{}!") != std::string_view::npos || pattern.ends_with('/'))
    return std::string(pattern);
  const size_t name = pattern.rfind('/') + 1;
  const std::string folder(pattern.substr(0, name)), word(pattern.substr(name));
  return folder + (word.starts_with('.') ? "{" + word + "*,*" + word + "*}" : "*" + word + "*");
}

std::string glob_within(std::string_view glob, std::string_view folder) {
  const std::string_view sign = glob.substr(0, glob.starts_with('!') ? 1 : 0), rest = glob.substr(sign.size());
  while (folder.ends_with('/')) folder.remove_suffix(1);
  const bool within =
      folder.starts_with('/') && rest.starts_with(folder) && rest.substr(folder.size()).starts_with('/');
  return std::string(sign) + std::string(within ? rest.substr(folder.size()) : rest);
}

}  // namespace talaria
