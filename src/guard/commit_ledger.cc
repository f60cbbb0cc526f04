#include "guard/commit_ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "guard/digest.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr std::string_view own_word = "own ", inside_word = "inside ", repository_word = "repository ";
constexpr size_t most_ledger_bytes = 8 << 20;
constexpr ptrdiff_t most_own = 50'000;
constexpr size_t most_ledgers = 2000;  // with their two further files
constexpr char marked = '1', unmarked = '0';

using Ids = std::unordered_set<std::string>;

Ids set_of(const std::vector<std::string>& ids) { return {ids.begin(), ids.end()}; }

}  // namespace

CommitLedger::CommitLedger(std::string folder, const std::string& repository)
    : folder_(std::move(folder)), repository_(repository) {
  if (folder_.empty()) return;
  Digest name;
  name.add(repository);
  path_ = folder_ + "/" + name.hex().substr(0, 32);
  if (!exists(path_)) make_room();
  (void)make_directories(folder_);
  if (Result<UniqueFd> busy = open_file(path_ + ".busy", O_RDWR | O_CREAT | O_NOFOLLOW)) busy_ = *std::move(busy);
}

CommitsOf CommitLedger::begin() {
  if (!busy_) return CommitsOf::person;
  CommitsOf whose = CommitsOf::commands;
  if (::flock(busy_.get(), LOCK_EX | LOCK_NB) == 0) {
    char mark = unmarked;
    const bool told = ::pread(busy_.get(), &mark, 1, 0) >= 0;
    if (told && mark != marked) whose = CommitsOf::person;
  }
  (void)!::pwrite(busy_.get(), &marked, 1, 0);
  // Another one may hold it whole for the moment of its own question.
  ::flock(busy_.get(), LOCK_SH);
  return whose;
}

void CommitLedger::rest() {
  if (!busy_) return;
  const bool alone = ::flock(busy_.get(), LOCK_EX | LOCK_NB) == 0;
  if (alone) (void)!::pwrite(busy_.get(), &unmarked, 1, 0);
  ::flock(busy_.get(), LOCK_UN);
}

// False where there is one that cannot be read.
bool CommitLedger::load() {
  if (path_.empty()) return true;
  const Result<std::string> text = read_file(path_, most_ledger_bytes);
  if (!text) return text.error().code() == ErrorCode::not_found;
  page_ = {};
  stored_ = true;
  for (const std::string& line : split(*text, '\n')) {
    if (line.starts_with(own_word)) page_.own.push_back(line.substr(own_word.size()));
    if (line.starts_with(inside_word)) page_.inside.push_back(line.substr(inside_word.size()));
  }
  return true;
}

void CommitLedger::save() const {
  if (path_.empty()) return;
  std::string text = std::string(repository_word) + repository_ + "\n";
  for (const std::string& id : page_.own) text += std::string(own_word) + id + "\n";
  for (const std::string& id : page_.inside) text += std::string(inside_word) + id + "\n";
  (void)write_file_atomically(path_, text, 0600, Durable::no);
}

std::vector<std::string> CommitLedger::record(const std::vector<std::string>& tips, CommitsOf newcomers) {
  const Result<FileLock> lock = path_.empty() ? FileLock() : FileLock::take(path_ + ".lock");
  const bool readable = load();
  if (!readable) newcomers = CommitsOf::commands;  // they may be
  const Page before = page_;
  const Ids known = set_of(page_.own), inside = set_of(page_.inside);
  page_.inside.clear();
  std::vector<std::string> fresh;
  for (const std::string& tip : tips) {
    if (known.contains(tip)) continue;
    if (inside.contains(tip) || newcomers == CommitsOf::commands) page_.inside.push_back(tip);
    else fresh.push_back(tip);
  }
  // Where commands moved a reference on, what it was at before leads to the person's commits.
  const bool all_the_persons = newcomers == CommitsOf::person && page_.inside.empty();
  if (all_the_persons) page_.own = tips;
  else page_.own.insert(page_.own.end(), fresh.begin(), fresh.end());
  if (std::ssize(page_.own) > most_own) page_.own.erase(page_.own.begin(), page_.own.end() - most_own);
  if (readable && (!stored_ || page_.own != before.own || page_.inside != before.inside)) save();
  return page_.own;
}

// Those that were changed longest ago go.
void CommitLedger::make_room() const {
  const Result<std::vector<std::string>> names = list_directory(folder_);
  if (!names || names->size() < 3 * most_ledgers) return;
  std::vector<std::pair<time_t, std::string>> by_age;
  for (const std::string& name : *names) {
    struct stat status {};
    if (name.find('.') == std::string::npos && ::lstat((folder_ + "/" + name).c_str(), &status) == 0)
      by_age.emplace_back(status.st_mtime, name);
  }
  std::ranges::sort(by_age);
  by_age.resize(by_age.size() / 2);
  for (const auto& [time, name] : by_age) {
    const Result<FileLock> idle = FileLock::try_take(folder_ + "/" + name + ".busy");
    if (!idle || !idle->held()) continue;
    for (const char* part : {"", ".lock", ".busy"}) ::unlink((folder_ + "/" + name + part).c_str());
  }
}

}  // namespace talaria
