#pragma once
#include <optional>
#include <string>
#include <vector>

#include "os/fd.h"

namespace talaria {

enum class CommitsOf { person, commands };

// Which references of a repository lead to commits of the person's, over the lives of all sandboxes: what commands
// committed does not become the person's when the next sandbox is made.
//
// It is a file in our home, one for each repository, shared by all who guard it. Where it cannot be written, what was
// learned holds as long as this object lives.
class CommitLedger {
 public:
  // `repository` is the path of the common git directory. Without a folder nothing is written down.
  CommitLedger(std::string folder, const std::string& repository);

  // Commands of ours begin. Whose the references are that are new by now: the commands' if commands of another sandbox
  // run, or if nobody was left to look when the last ones ended.
  CommitsOf begin();
  // They have ended, and what they did is recorded.
  void rest();
  // Records the references that are there now. Returns those that lead to the person's commits.
  std::vector<std::string> record(const std::vector<std::string>& tips, CommitsOf newcomers);

 private:
  struct Page {
    std::vector<std::string> own, inside;
  };
  bool load();
  void save() const;
  void make_room() const;

  std::string folder_, path_, repository_;
  UniqueFd busy_;  // locked while commands run; "1" in it means that they may have left what nobody recorded
  Page page_;
  bool stored_ = false;
};

}  // namespace talaria
