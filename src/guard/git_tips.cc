#include "guard/git_tips.h"

#include <fcntl.h>

#include <unordered_set>

#include "base/text.h"
#include "guard/hostile_file.h"

namespace talaria {
namespace {

constexpr size_t most_tips = 50'000;
constexpr int most_ref_depth = 32;

class TipReader {
 public:
  explicit TipReader(int directory) : directory_(directory) {}

  std::vector<std::string> read() {
    add_file(directory_, "HEAD");
    if (const Result<std::vector<std::string>> names = names_below(directory_, "worktrees", 4096))
      for (const std::string& name : *names) add_file(directory_, "worktrees/" + name + "/HEAD");
    if (const UniqueFd refs = open_below(directory_, "refs", O_RDONLY | O_DIRECTORY)) add_folder(refs.get(), 0);
    if (const Result<PlainFile> packed = read_plain_file(directory_, "packed-refs", 64 << 20))
      for (const std::string& line : split(packed->content, '\n'))
        if (const size_t blank = line.find(' '); blank != std::string::npos) add(line.substr(0, blank));
    return std::move(tips_);
  }

 private:
  void add(const std::string& id) {
    if (id.size() != 40 && id.size() != 64) return;
    if (id.find_first_not_of("0123456789abcdef") != std::string::npos) return;
    // One repository has ids of one kind.
    if (!tips_.empty() && tips_.front().size() != id.size()) return;
    if (tips_.size() < most_tips && known_.insert(id).second) tips_.push_back(id);
  }

  void add_file(int directory, const std::string& path) {
    if (const Result<PlainFile> file = read_plain_file(directory, path, 4096)) add(std::string(trim(file->content)));
  }

  void add_folder(int directory, int depth) {
    if (depth > most_ref_depth || tips_.size() >= most_tips) return;
    const Result<std::vector<std::string>> names = names_below(directory, ".", most_tips);
    if (!names) return;
    for (const std::string& name : *names) {
      if (const UniqueFd inner = open_below(directory, name, O_RDONLY | O_DIRECTORY))
        add_folder(inner.get(), depth + 1);
      else add_file(directory, name);
    }
  }

  int directory_;
  std::vector<std::string> tips_;
  std::unordered_set<std::string> known_;
};

}  // namespace

std::vector<std::string> read_git_tips(int git_directory) { return TipReader(git_directory).read(); }

}  // namespace talaria
