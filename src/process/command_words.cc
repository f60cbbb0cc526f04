#include "process/command_words.h"

#include <algorithm>
#include <array>

namespace talaria {
namespace {

// Reads one command line, part by part. `understood_` turns false at the first thing that is not plain.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : rest_(text) {}

  std::optional<std::vector<CommandPart>> run() {
    while (understood_ && !rest_.empty()) step();
    end_part("");
    if (!understood_ || parts_.empty()) return std::nullopt;
    return std::move(parts_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (c == ' ' || c == '\t') return end_word(), advance(1);
    if (c == '\'') return single_quotes();
    if (c == '"') return double_quotes();
    if (c == '\\') return backslash();
    if (c == '>' || c == '<' || rest_.starts_with("&>")) return redirection();
    for (std::string_view separator : {"&&", "||", "|&", ";;", "|", ";", "&", "\n"}) {
      if (!rest_.starts_with(separator)) continue;
      advance(separator.size());
      understood_ &= separator != "|&" && separator != ";;";
      return end_part(separator == "\n" ? ";" : separator);
    }
    // Substitutions, groups, comments: not plain.
    if (c == '$' && rest_.size() > 1 && (rest_[1] == '(' || rest_[1] == '\'')) understood_ = false;
    if (c == '`' || c == '(' || c == ')' || (c == '#' && !in_word_)) understood_ = false;
    take(1);
  }

  void single_quotes() {
    const size_t end = rest_.find('\'', 1);
    if (end == std::string_view::npos) return give_up();
    word_ += rest_.substr(1, end - 1);
    in_word_ = true;
    advance(end + 1);
  }

  void double_quotes() {
    in_word_ = true;
    advance(1);
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '`' || rest_.starts_with("$(")) return give_up();
      if (rest_.front() == '\\' && rest_.size() > 1) advance(1);
      take(1);
    }
    if (rest_.empty()) return give_up();
    advance(1);
  }

  void backslash() {
    if (rest_.size() < 2) return give_up();
    if (rest_[1] == '\n') return advance(2);
    advance(1);
    take(1);
  }

  // The target is one more word, and no argument. A number right before is part of the redirection.
  void redirection() {
    if (std::all_of(word_.begin(), word_.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      word_.clear();
      in_word_ = false;
    }
    end_word();
    if (rest_.starts_with("<<") || rest_.starts_with("<(") || rest_.starts_with(">(")) return give_up();
    while (!rest_.empty() && (rest_.front() == '>' || rest_.front() == '<' || rest_.front() == '&')) advance(1);
    target_next_ = true;
  }

  void end_word() {
    if (in_word_ && !target_next_) words_.push_back(word_);
    if (in_word_) target_next_ = false;
    word_.clear();
    in_word_ = false;
  }

  void end_part(std::string_view separator) {
    end_word();
    if (!words_.empty()) parts_.push_back({separator_, std::move(words_)});
    words_.clear();
    separator_ = separator;
  }

  void take(size_t count) {
    word_ += rest_.substr(0, count);
    in_word_ = true;
    advance(count);
  }

  void advance(size_t count) { rest_.remove_prefix(count); }

  void give_up() {
    understood_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool understood_ = true;
  std::vector<CommandPart> parts_;
  std::string separator_;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
  bool target_next_ = false;
};

bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos || (word[0] >= '0' && word[0] <= '9')) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

std::string base_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

struct Wrapper {
  std::string_view name;
  std::string_view options_with_value;  // letters
};

constexpr std::array<Wrapper, 7> wrappers = {{
    {"sudo", "ugphrtCD"},
    {"env", "uCS"},
    {"time", "fo"},
    {"nice", "n"},
    {"nohup", ""},
    {"command", ""},
    {"exec", "a"},
}};

}  // namespace

std::optional<std::vector<CommandPart>> split_command(std::string_view command) { return Splitter(command).run(); }

std::vector<std::string> program_words(const std::vector<std::string>& words) {
  size_t i = 0;
  while (i < words.size() && is_assignment(words[i])) ++i;
  while (i < words.size()) {
    const std::string name = base_name(words[i]);
    const auto wrapper = std::find_if(wrappers.begin(), wrappers.end(), [&](auto& w) { return w.name == name; });
    if (wrapper == wrappers.end()) break;
    // `command -v x` asks about a program and does not run it.
    if (name == "command" && i + 1 < words.size() && words[i + 1].starts_with("-")) break;
    for (++i; i < words.size() && (words[i].starts_with("-") || is_assignment(words[i])); ++i) {
      const bool takes_value =
          words[i].size() == 2 && wrapper->options_with_value.find(words[i][1]) != std::string_view::npos;
      if (takes_value) ++i;
    }
  }
  if (i >= words.size()) return {};
  std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  rest.front() = base_name(rest.front());
  return rest;
}

}  // namespace talaria
