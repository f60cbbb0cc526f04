#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// One simple command of a shell line, quotes taken off.
struct CommandPart {
  std::string separator;  // what stands before it: "", "|", "&&", "||", ";" or "&"
  std::vector<std::string> words;

  bool operator==(const CommandPart&) const = default;
};

// A rough look at a shell line, for names and notes only: it must never decide what may run. nullopt for anything but
// plain words, quotes, redirections and the separators above.
std::optional<std::vector<CommandPart>> split_command(std::string_view command);

// The words from the program on, its folder taken off: without VAR=x before it, and without sudo, env, time, nice,
// nohup and their options. Empty if there is no program.
std::vector<std::string> program_words(const std::vector<std::string>& words);

}  // namespace talaria
