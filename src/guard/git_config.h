#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// One setting of a git configuration, as git understands it.
struct GitConfigEntry {
  std::string section;               // lower case: "remote"
  std::string subsection;            // as it is written: "origin"; empty where there is none
  std::string name;                  // lower case: "url"
  std::optional<std::string> value;  // none for a name that stands alone, which git reads as true
  // Where it stands in the text: from the name, or the blanks before it when nothing else is on its line, to behind the
  // line's end.
  size_t begin = 0;
  size_t end = 0;

  // "remote.origin.url".
  std::string key() const;
  // The same for people, as git's documentation writes it where we know that: "core.hooksPath".
  std::string documented_key() const;
  bool operator==(const GitConfigEntry&) const = default;
};

// Reads a configuration by git's own grammar. What git refuses is an error, and so is what its versions read in
// different ways: nobody may then say what git would do.
Result<std::vector<GitConfigEntry>> read_git_config(std::string_view text);

// What only the place of a configuration can decide.
struct GitConfigPlace {
  // Whether core.worktree may have this value; without it, it may have none.
  std::function<bool(const std::string& value)> allows_worktree;
};

// Why git may run something, or read or write elsewhere, because of this entry; empty for those that are known to be
// harmless. What is not known is not harmless: later versions of git have more settings.
std::optional<std::string> danger_in(const GitConfigEntry& entry, const GitConfigPlace& place = {});

// Why git may start a program of somebody's choice when it talks to this address; empty for the usual kinds of address.
std::optional<std::string> danger_in_git_address(std::string_view address);

// The same text without the lines of these entries, which were read from it.
std::string without_entries(std::string_view text, const std::vector<GitConfigEntry>& dropped);

}  // namespace talaria
