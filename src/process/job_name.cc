#include "process/job_name.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"
#include "process/command_words.h"

namespace talaria {
namespace {

constexpr size_t most_characters = 48;
// A name needs no more than this of a command, and some commands are whole files.
constexpr size_t most_read = 4096;

std::vector<std::string> words_of(std::string_view command) {
  if (const auto parts = split_command(command)) {
    for (const CommandPart& part : *parts) {
      std::vector<std::string> words = program_words(part.words);
      if (!words.empty() && (words.front() != "cd" || &part == &parts->back())) return words;
    }
  }
  std::vector<std::string> words;
  for (std::string& word : split(command, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  std::vector<std::string> program = program_words(words);
  return program.empty() ? words : program;
}

std::string on_one_line(std::string_view text) {
  std::string line = clean(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return std::string(trim(line));
}

std::string shorten_middle(const std::string& text) {
  if (count_characters(text) <= most_characters) return text;
  constexpr size_t tail = most_characters / 2 - 1;
  constexpr size_t head = most_characters - 1 - tail;
  return std::string(first_characters(text, head)) + "…" + std::string(last_characters(text, tail));
}

}  // namespace

std::string job_name(std::string_view command) {
  const std::string start(first_characters(trim(command.substr(0, most_read)), most_read));
  const std::vector<std::string> words = words_of(start);
  if (words.empty()) return "command";
  std::string name = words.front();
  const auto target =
      std::find_if(words.begin() + 1, words.end(), [](const std::string& word) { return !word.starts_with("-"); });
  if (target != words.end()) name += " " + *target;
  const std::string line = on_one_line(name);
  return line.empty() ? "command" : shorten_middle(line);
}

}  // namespace talaria
