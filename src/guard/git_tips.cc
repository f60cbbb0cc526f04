#include "guard/git_tips.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <unordered_set>

#include "base/text.h"
#include "guard/hostile_file.h"

namespace talaria {
namespace {

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
    if (tips_.size() < most_git_tips && known_.insert(id).second) tips_.push_back(id);
  }

  void add_file(int directory, const std::string& path) {
    if (const Result<PlainFile> file = read_plain_file(directory, path, 4096)) add(std::string(trim(file->content)));
  }

  void add_folder(int directory, int depth) {
    if (depth > most_ref_depth || tips_.size() >= most_git_tips) return;
    const Result<std::vector<std::string>> names = names_below(directory, ".", most_git_tips);
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

class TipStamp {
 public:
  void add(int directory, const char* name) {
    struct stat status {};
    if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return add(0);
    add(status.st_ino);
    add(static_cast<uint64_t>(status.st_ctim.tv_sec));
    add(static_cast<uint64_t>(status.st_ctim.tv_nsec));
    add(static_cast<uint64_t>(status.st_size));
  }
  void add_folder(int directory, int depth) {
    if (depth > most_ref_depth || count_ >= most_git_tips) return;
    const Result<std::vector<std::string>> names = names_below(directory, ".", most_git_tips);
    if (!names) return add(0);
    for (const std::string& name : *names) {
      add(directory, name.c_str());
      ++count_;
      if (const UniqueFd inner = open_below(directory, name, O_RDONLY | O_DIRECTORY))
        add_folder(inner.get(), depth + 1);
    }
  }
  uint64_t value() const { return value_; }

 private:
  void add(uint64_t number) {
    value_ ^= number;
    value_ *= 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 29;
  }

  uint64_t value_ = 1;
  size_t count_ = 0;
};

}  // namespace

std::vector<std::string> read_git_tips(int git_directory) { return TipReader(git_directory).read(); }

uint64_t stamp_of_git_tips(int git_directory) {
  TipStamp stamp;
  for (const char* name : {"HEAD", "packed-refs"}) stamp.add(git_directory, name);
  if (const Result<std::vector<std::string>> names = names_below(git_directory, "worktrees", 4096))
    for (const std::string& name : *names) stamp.add(git_directory, ("worktrees/" + name + "/HEAD").c_str());
  if (const UniqueFd refs = open_below(git_directory, "refs", O_RDONLY | O_DIRECTORY)) stamp.add_folder(refs.get(), 0);
  return stamp.value();
}

uint64_t quick_stamp_of_git_tips(int git_directory) {
  TipStamp stamp;
  for (const char* name : {"HEAD", "logs/HEAD", "packed-refs", "FETCH_HEAD", "refs/heads", "refs/tags", "refs/remotes"})
    stamp.add(git_directory, name);
  return stamp.value();
}

}  // namespace talaria
