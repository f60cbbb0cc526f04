#pragma once
#include <functional>
#include <string>
#include <vector>

#include "api/output.h"
#include "api/patterns.h"
#include "process/clean_text.h"

namespace talaria {

// Finds lines that match patterns in output that comes in pieces. Lines are cleaned as a reader sees them. The last
// line counts before it is finished, for a prompt never is. Memory is bounded.
class LineMatcher {
 public:
  explicit LineMatcher(std::vector<Pattern> patterns) : patterns_(std::move(patterns)) {}

  struct Match {
    std::string expression;
    std::string line;
    bool operator==(const Match&) const = default;
  };
  // The matches in what is new. Each pattern is found once.
  std::vector<Match> feed(std::string_view bytes);
  bool done() const { return patterns_.empty(); }

 private:
  void look_at(std::string_view line, std::vector<Match>& matches);

  std::vector<Pattern> patterns_;  // those not found yet
  TextCleaner cleaner_;
  std::string line_;  // the unfinished one
};

// Follows a job's output until each pattern was found once or no output can come any more. Drop it to stop.
class PatternSearch {
 public:
  struct Events {
    std::function<void(const LineMatcher::Match&)> on_match;
    std::function<void()> on_end;  // every pattern was found, or the output is complete; called last
  };
  PatternSearch(Outputs& outputs, std::string job, uint64_t offset, std::vector<Pattern> patterns, Events events);
  PatternSearch(const PatternSearch&) = delete;
  PatternSearch& operator=(const PatternSearch&) = delete;

 private:
  void read_on();
  void take(Result<OutputPart> part);

  Outputs& outputs_;
  std::string job_;
  uint64_t offset_;
  LineMatcher matcher_;
  Events events_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Outputs::Pending reading_;

 public:
  ~PatternSearch() { *alive_ = false; }
};

}  // namespace talaria
