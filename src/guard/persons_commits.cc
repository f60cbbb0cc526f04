#include "guard/persons_commits.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "guard/git_tips.h"
#include "guard/named_paths.h"

namespace talaria {

PersonsCommits::PersonsCommits(std::string workspace, std::string ledgers)
    : workspace_(std::move(workspace)), ledgers_(std::move(ledgers)) {
  // Also where no command will run for long: what is there now is theirs only if nobody else's commands run.
  begin();
  if (ledger_) ledger_->rest();
}

// The git directory of a workspace that has one, or the common one of a linked worktree. False where it is the one we
// know, or none.
bool PersonsCommits::find_repository() {
  struct stat known {
  }, there{};
  const bool same = directory_ && ::fstat(directory_.get(), &known) == 0 && ::stat(repository_.c_str(), &there) == 0 &&
                    known.st_ino == there.st_ino && known.st_dev == there.st_dev;
  if (same) return false;
  const std::string git = git_directory_at(workspace_);
  if (git.empty()) return false;
  repository_ = common_directory_of(git);
  directory_ = UniqueFd(::open(repository_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  commits_.reset();
  own_.clear();
  if (!directory_) return false;
  ledger_.emplace(ledgers_, repository_);
  return true;
}

void PersonsCommits::begin() {
  const bool found = find_repository();
  if (!directory_) return;
  const CommitsOf newcomers = ledger_->begin();
  if (found || quick_stamp_of_git_tips(directory_.get()) != quick_stamp_) record(newcomers);
}

void PersonsCommits::rest() {
  const bool found = find_repository();
  if (!directory_) return;
  if (found || stamp_of_git_tips(directory_.get()) != stamp_) record(CommitsOf::commands);
  ledger_->rest();
}

void PersonsCommits::record(CommitsOf newcomers) {
  stamp_ = stamp_of_git_tips(directory_.get());
  quick_stamp_ = quick_stamp_of_git_tips(directory_.get());
  const std::vector<std::string> tips = read_git_tips(directory_.get());
  // There may be more, of which we would learn too late.
  if (tips.size() >= most_git_tips) newcomers = CommitsOf::commands;
  std::vector<std::string> own = ledger_->record(tips, newcomers);
  if (own == own_) return;
  own_ = std::move(own);
  commits_.reset();
}

// None where there is nothing to find.
OwnCommits* PersonsCommits::commits() {
  if (!directory_ || own_.empty()) return nullptr;
  if (commits_) return &*commits_;
  Result<OwnCommits> taken = OwnCommits::take(directory_.get(), own_);
  return taken ? &commits_.emplace(*std::move(taken)) : nullptr;
}

bool PersonsCommits::hold(const std::string& path, const std::string& content) {
  OwnCommits* own = commits();
  return own && own->holds(path, content);
}

void PersonsCommits::expect(const std::vector<std::string>& contents) {
  if (OwnCommits* own = commits()) own->expect(contents);
}

}  // namespace talaria
