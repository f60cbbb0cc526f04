#include "guard/git_rebase.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "guard/git_config.h"
#include "guard/hostile_file.h"

namespace talaria {
namespace {

// More than are listed of a git directory: of so many, the new ones are taken away whole.
constexpr size_t most_worktrees = 1'000'000;

// By git's rule: blanks, then the word or its letter, then a blank or the line's end.
bool runs_a_command(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  for (const std::string_view word : {"exec", "x"})
    if (line.starts_with(word) &&
        (line.size() == word.size() || std::string_view(" \t\r\n").find(line[word.size()]) != std::string_view::npos))
      return true;
  return false;
}

// The strategies that come with git. Of another, git runs the program git-merge-<name>, by a path if it holds a slash.
bool is_own_strategy(std::string_view name) {
  static constexpr std::array<std::string_view, 7> own = {"",        "ort",  "recursive", "resolve",
                                                          "octopus", "ours", "subtree"};
  return std::ranges::find(own, name) != own.end();
}

void judge_links(int directory, const std::string& prefix, std::vector<GitFinding>& findings) {
  for (const std::string name : {"rebase-merge", "rebase-apply", "sequencer"}) {
    const EntryKind kind = kind_below(directory, name);
    if (kind != EntryKind::link && kind != EntryKind::other) continue;
    findings.push_back({prefix + name, "git-rebase",
                        prefix + name + " is not a folder but leads elsewhere, to what git would do next.",
                        GitCure::take_away, ""});
  }
}

void judge_strategy(int directory, const std::string& prefix, std::vector<GitFinding>& findings) {
  const auto refuse = [&](const std::string& name) {
    findings.push_back({prefix + name, "git-rebase",
                        "Git would run a program that " + prefix + name + " names when it goes on.", GitCure::take_away,
                        ""});
  };
  for (const std::string name : {"rebase-merge/strategy", "sequencer/opts"}) {
    const EntryKind kind = kind_below(directory, name);
    if (kind == EntryKind::absent || kind_below(directory, name.substr(0, name.find('/'))) != EntryKind::folder)
      continue;
    const Result<PlainFile> file = read_plain_file(directory, name, 64 << 10);
    if (!file && file.error().code() == ErrorCode::not_found) continue;
    if (!file) refuse(name);
    else if (name.starts_with("rebase")) {
      if (!is_own_strategy(trim(file->content))) refuse(name);
    } else {
      const Result<std::vector<GitConfigEntry>> options = read_git_config(file->content);
      const auto fine = [](const GitConfigEntry& entry) {
        return entry.name != "strategy" || is_own_strategy(entry.value.value_or(""));
      };
      if (!options || !std::ranges::all_of(*options, fine)) refuse(name);
    }
  }
}

}  // namespace

void judge_rebase_todo(int directory, const std::string& prefix, std::vector<GitFinding>& findings) {
  judge_links(directory, prefix, findings);
  judge_strategy(directory, prefix, findings);
  for (const std::string name : {"rebase-merge/git-rebase-todo", "rebase-apply/git-rebase-todo"}) {
    if (kind_below(directory, name) == EntryKind::absent) continue;
    const std::string path = prefix + name;
    const Result<PlainFile> file = read_plain_file(directory, name, 16 << 20);
    if (!file && file.error().code() == ErrorCode::not_found) continue;
    if (!file || file->content.find('\0') != std::string::npos) {
      findings.push_back({path, "git-rebase", "Nobody can say what `git rebase --continue` would do by " + path + ".",
                          GitCure::take_away, ""});
      continue;
    }
    std::string kept;
    std::string first;
    const std::string_view text = file->content;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      const std::string_view line = text.substr(begin, end - begin);
      begin = end;
      if (!runs_a_command(line)) kept += line;
      else if (first.empty()) first = line.substr(0, line.find_last_not_of("\r\n") + 1);
    }
    if (first.empty()) continue;
    findings.push_back({path, "git-rebase",
                        "The next `git rebase --continue` would run commands that stand in " + path + ": " +
                            first.substr(0, 200) + ".",
                        GitCure::rewrite, std::move(kept)});
  }
}

std::vector<GitFinding> judge_rebase_state(int directory) {
  std::vector<GitFinding> findings;
  judge_rebase_todo(directory, "", findings);
  if (kind_below(directory, "worktrees") != EntryKind::folder) return findings;
  const Result<std::vector<std::string>> names = names_below(directory, "worktrees", most_worktrees);
  if (!names) return findings;
  for (const std::string& name : *names) {
    const std::string path = "worktrees/" + name;
    if (const UniqueFd inner = open_below(directory, path, O_RDONLY | O_DIRECTORY))
      judge_rebase_todo(inner.get(), path + "/", findings);
  }
  return findings;
}

}  // namespace talaria
