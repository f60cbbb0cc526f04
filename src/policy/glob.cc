#include "policy/glob.h"

#include <fnmatch.h>

#include <algorithm>

namespace talaria {
namespace {

// Where the brace that opens at `open` closes, and the commas in between that are its own.
struct Braces {
  size_t close = std::string_view::npos;
  std::vector<size_t> commas;
};
Braces braces_at(std::string_view pattern, size_t open) {
  Braces braces;
  int depth = 0;
  for (size_t at = open; at < pattern.size(); ++at) {
    if (pattern[at] == '{') ++depth;
    if (pattern[at] == ',' && depth == 1) braces.commas.push_back(at);
    if (pattern[at] == '}' && --depth == 0) {
      braces.close = at;
      break;
    }
  }
  return braces;
}

}  // namespace

std::vector<std::string> expand_braces(std::string_view pattern, size_t most) {
  std::vector<std::string> done, todo = {std::string(pattern)};
  while (!todo.empty() && done.size() + todo.size() <= most) {
    const std::string one = std::move(todo.back());
    todo.pop_back();
    const size_t open = one.find('{');
    const Braces braces = open == std::string::npos ? Braces() : braces_at(one, open);
    if (braces.close == std::string::npos || braces.commas.empty()) {
      done.push_back(one);
      continue;
    }
    std::vector<size_t> ends = braces.commas;
    ends.push_back(braces.close);
    size_t begin = open + 1;
    std::vector<std::string> choices;
    for (const size_t end : ends) {
      choices.push_back(one.substr(0, open) + one.substr(begin, end - begin) + one.substr(braces.close + 1));
      begin = end + 1;
    }
    todo.insert(todo.end(), choices.rbegin(), choices.rend());
  }
  if (!todo.empty()) return {std::string(pattern)};
  return done;
}

std::vector<std::string_view> names_in(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, slash);
    if (!name.empty() && name != ".") names.push_back(name);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return names;
}

Glob::Glob(std::string_view pattern, std::string_view home) {
  if (pattern.empty()) return;
  for (const std::string& one : expand_braces(pattern)) {
    const bool in_home = one == "~" || one.starts_with("~/");
    if (!in_home || !home.empty()) forms_.push_back(form_of(one, home));
  }
}

Glob::Form Glob::form_of(std::string_view pattern, std::string_view home) {
  std::string whole(pattern);
  if (whole == "~" || whole.starts_with("~/")) whole = std::string(home) + whole.substr(1);
  Form form;
  form.anywhere = !whole.starts_with('/');
  for (const std::string_view name : names_in(whole)) {
    const size_t special = std::min(name.find_first_of("*?[\\"), name.size());
    const bool plain = special == name.size();
    const Part::Kind kind = name == "**" ? Part::Kind::any_number : plain ? Part::Kind::name : Part::Kind::pattern;
    form.parts.push_back({kind, std::string(name), special});
  }
  return form;
}

bool Glob::Part::fits(std::string_view name) const {
  if (kind == Kind::name) return text == name;
  if (name.substr(0, plain) != std::string_view(text).substr(0, plain)) return false;
  return ::fnmatch(text.c_str(), std::string(name).c_str(), 0) == 0;
}

// One row of a table for each part, so that no pattern takes more time than its length times the path's.
bool Glob::means(const Form& form, const std::vector<std::string_view>& names) {
  std::vector<bool> reached(names.size() + 1, form.anywhere);
  reached.back() = form.anywhere && names.empty();
  reached[0] = true;
  for (const Part& part : form.parts) {
    std::vector<bool> next(names.size() + 1, false);
    bool open = false;
    for (size_t at = 0; at <= names.size(); ++at) {
      if (part.kind == Part::Kind::any_number) next[at] = open = open || reached[at];
      else if (at < names.size() && reached[at]) next[at + 1] = part.fits(names[at]);
    }
    reached = std::move(next);
  }
  return std::find(reached.begin(), reached.end(), true) != reached.end();
}

bool Glob::means(const std::vector<std::string_view>& names) const {
  for (const Form& form : forms_) {
    if (form.anywhere && form.parts.size() == 1 && form.parts[0].kind != Part::Kind::any_number) {  // most of them
      if (std::any_of(names.begin(), names.end(), [&](auto name) { return form.parts[0].fits(name); })) return true;
    } else if (means(form, names)) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> Glob::needed_names() const {
  std::vector<std::string> names;
  for (const Form& form : forms_) {
    const auto plain = std::find_if(form.parts.begin(), form.parts.end(),
                                    [](const Part& part) { return part.kind == Part::Kind::name; });
    if (plain == form.parts.end()) return {};
    names.push_back(plain->text);
  }
  return names;
}

GlobSet::GlobSet(const std::vector<Glob>& globs) : globs_(globs) {
  for (size_t at = 0; at < globs_.size(); ++at) {
    const std::vector<std::string> needed = globs_[at].needed_names();
    if (needed.empty()) others_.push_back(at);
    for (const std::string& name : needed) by_name_[name].push_back(at);
  }
}

bool GlobSet::means(const std::vector<std::string_view>& names) const {
  const auto one_of = [&](const std::vector<size_t>& some) {
    return std::any_of(some.begin(), some.end(), [&](size_t at) { return globs_[at].means(names); });
  };
  for (const std::string_view name : names) {
    if (const auto found = by_name_.find(name); found != by_name_.end() && one_of(found->second)) return true;
  }
  return one_of(others_);
}

}  // namespace talaria
