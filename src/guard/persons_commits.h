#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "guard/commit_ledger.h"
#include "guard/own_commits.h"

namespace talaria {

// What the person committed in the repository of a workspace: what its references reached when no command of any
// sandbox had run yet, and what the person brought while none ran.
class PersonsCommits {
 public:
  // `ledgers` is the folder in which it is written down, for every later sandbox.
  PersonsCommits(std::string workspace, std::string ledgers);

  // Commands begin: what is new in the repository is the person's doing.
  void begin();
  // They have ended: what is new is theirs.
  void rest();

  // Removes what was made to look into commits.
  void close() { commits_.reset(); }

  bool hold(const std::string& path, const std::string& content);
  void expect(const std::vector<std::string>& contents);

 private:
  bool find_repository();
  void record(CommitsOf newcomers);
  OwnCommits* commits();

  std::string workspace_, ledgers_;
  std::string repository_;
  UniqueFd directory_;
  std::optional<CommitLedger> ledger_;
  std::optional<OwnCommits> commits_;
  std::vector<std::string> own_;
  uint64_t stamp_ = 0, quick_stamp_ = 0;
};

}  // namespace talaria
