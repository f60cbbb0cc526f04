#include "guard/git_rebase.h"

#include <fcntl.h>

#include "guard/hostile_file.h"

namespace talaria {
namespace {

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

}  // namespace

void judge_rebase_todo(int directory, const std::string& prefix, std::vector<GitFinding>& findings) {
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
  const Result<std::vector<std::string>> names = names_below(directory, "worktrees", 4096);
  if (!names) return findings;
  for (const std::string& name : *names) {
    const std::string path = "worktrees/" + name;
    if (const UniqueFd inner = open_below(directory, path, O_RDONLY | O_DIRECTORY))
      judge_rebase_todo(inner.get(), path + "/", findings);
  }
  return findings;
}

}  // namespace talaria
