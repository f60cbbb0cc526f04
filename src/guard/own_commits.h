#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "guard/clean_git.h"

namespace talaria {

// The commits that a repository had at one moment: those that are reached from ids that its references had then. What
// is committed later, also by moving a reference, is not among them.
//
// The folder of objects may be written by somebody hostile meanwhile. So nothing of it is believed: git only fetches
// bytes and proposes where to look, and a yes stands on a chain of ids, from a reference over commits and folders to
// the content, each of which we have computed from the bytes ourselves. What is missing or broken is a no.
class OwnCommits {
 public:
  struct Options {
    std::string scratch = "/tmp";  // where a small folder may be kept as long as this object lives
    std::string program = "/usr/bin/git";
    Clock::duration patience = 5s;  // for one question
  };

  // Of a git directory, the common one where there are worktrees, and the ids that count.
  static Result<OwnCommits> take(int git_directory, std::vector<std::string> tips, const Options& options);
  static Result<OwnCommits> take(int git_directory, std::vector<std::string> tips) {
    return take(git_directory, std::move(tips), Options{});
  }

  // Whether one of the commits has a file with exactly this content at this path. No when that cannot be found out in
  // time. Blocks meanwhile.
  bool holds(const std::string& path, std::string_view content);
  // Many questions will follow: which of these contents the repository does not have at all is found out at once.
  void expect(const std::vector<std::string>& contents);

 private:
  OwnCommits(CleanGit git, std::vector<std::string> tips, Clock::duration patience)
      : git_(std::move(git)), tips_(std::move(tips)), patience_(patience) {}

  Result<bool> find(const std::vector<std::string>& names, const std::string& path, const std::string& blob,
                    Clock::time_point deadline);
  // References may lead to tags; only commits are left of them.
  Result<> peel_tips(Clock::time_point deadline);
  // Those of the commits that have the blob at the path.
  Result<std::vector<std::string>> holders(const std::vector<std::string>& commits,
                                           const std::vector<std::string>& names, const std::string& blob,
                                           Clock::time_point deadline) const;
  Result<bool> is_reached(const std::string& commit, Clock::time_point deadline) const;
  Result<std::vector<std::string>> lines_of(const std::vector<std::string>& arguments, std::string_view input,
                                            size_t most, Clock::time_point deadline) const;

  CleanGit git_;
  std::vector<std::string> tips_;
  bool peeled_ = false;
  std::set<std::string> absent_;  // blobs that the repository does not have
  Clock::duration patience_;
};

}  // namespace talaria
