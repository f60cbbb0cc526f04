#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "skills/front_matter.h"
#include "skills/skill_walk.h"

namespace talaria {

// The SKILL.md files that a person has answered for by trusting them, or the project they lie in. Whoever works in a
// project can write there, agents too: what such a skill declares counts only while it says what it said then.
// Kept in .talaria/trusted.json below `root`, $TALARIA_HOME/skills: {"<real path>": "<text>"}.

// All skills that a root at one of the folders would have now, in place of those that were known below them; how many
// there are.
Result<size_t> trust_texts(const std::string& root, const std::vector<std::string>& folders);
// None below `folder`, or that file, any more; how many there were.
Result<size_t> forget_texts(const std::string& root, const std::string& folder);

// As they are in the file now. Any thread may ask.
class TrustedTexts {
 public:
  explicit TrustedTexts(std::string root);

  // `file` is its real path.
  bool has(const std::string& file, const FrontMatter& matter);
  // With the text that the file has now. `stamp` is the file's: while it stays, the file is read once.
  bool has(const std::string& file, const FileStamp& stamp);

 private:
  struct Answer {
    FileStamp stamp;
    bool trusted = false;
  };
  std::shared_ptr<const JsonObject> texts();

  const std::string path_;
  std::mutex mutex_;
  Sighting seen_;                            // of the file at path_
  std::shared_ptr<const JsonObject> texts_;  // what it says
  std::unordered_map<std::string, Answer> answers_;
};

}  // namespace talaria
