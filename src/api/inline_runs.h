#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/place.h"
#include "skills/inline_shell.h"

namespace talaria {

// Runs the snippets of one skill, a few at a time, where the session's commands run, and judged as they are. Dropping
// it ends those under way.
class InlineRuns {
 public:
  using Done = std::function<void(std::vector<SnippetResult>)>;
  InlineRuns(Parts& parts, SessionRow session, Caller caller)
      : parts_(parts), session_(std::move(session)), caller_(std::move(caller)) {}
  ~InlineRuns();
  InlineRuns(const InlineRuns&) = delete;
  InlineRuns& operator=(const InlineRuns&) = delete;

  // In `directory`, each for at most so many seconds. `done` comes from the loop; results in the order of `commands`.
  void run(const Place& place, std::string directory, int seconds, std::vector<std::string> commands, Done done);

 private:
  struct Running {
    std::string errand;
    UniqueFd errors;  // a file in memory with what it prints on stderr
  };
  void start_more();
  Result<> start(size_t index);
  void ended(size_t index, const Result<Jobs::ErrandEnd>& end);
  std::string masked(std::string text) const;

  Parts& parts_;
  SessionRow session_;
  Caller caller_;
  Place place_;
  std::string directory_;
  int seconds_ = 0;
  std::vector<std::string> commands_;
  std::vector<SnippetResult> results_;
  std::vector<Running> running_;  // by command
  Environment environment_;
  SharedEnvironment secrets_;
  size_t next_ = 0;
  size_t under_way_ = 0;
  Done done_;
  Later later_;
};

}  // namespace talaria
