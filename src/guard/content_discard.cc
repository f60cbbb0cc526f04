#include <fcntl.h>
#include <unistd.h>

#include "base/id.h"
#include "guard/content.h"
#include "os/random.h"

namespace talaria {
namespace {

// A round goes this deep, with a file descriptor for each level; what is deeper moves to the top for the next round.
constexpr int levels_a_round = 64;
// Names read at once; a folder may have millions.
constexpr uint64_t names_a_round = 10'000;
// Somebody who makes new files as fast as we remove them does not keep us for ever.
constexpr int most_rounds = 20'000;

bool is_no_folder(int number) { return number != EISDIR && number != EPERM && number != ENOTEMPTY; }

class DiscardRound {
 public:
  explicit DiscardRound(const UniqueFd& top) : top_(top) { below(top, 0); }
  // Whether anything went or moved: another round without that would find the same.
  bool moved() const { return moved_; }

 private:
  void below(const UniqueFd& folder, int level) {
    for (const std::string& name : names_in(folder, names_a_round)) entry(folder, name, level);
  }
  void entry(const UniqueFd& folder, const std::string& name, int level);

  const UniqueFd& top_;
  bool moved_ = false;
};

void DiscardRound::entry(const UniqueFd& folder, const std::string& name, int level) {
  if (::unlinkat(folder.get(), name.c_str(), 0) == 0) {
    moved_ = true;
    return;
  }
  if (is_no_folder(errno)) return;
  if (level >= levels_a_round) {
    const std::string raised = ".talaria-deep-" + id_from(random_u64());
    if (::renameat(folder.get(), name.c_str(), top_.get(), raised.c_str()) == 0) moved_ = true;
    return;
  }
  const Result<UniqueFd> handle = handle_of(folder.get(), name);
  if (!handle) return;
  const struct stat info = facts_of(*handle);
  if (!S_ISDIR(info.st_mode)) return;
  const UniqueFd child = reopen(*handle, info, Reading::private_);
  if (child) below(child, level + 1);
  if (::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR) == 0) moved_ = true;
}

}  // namespace

Result<> discard_content(int directory, const std::string& name) {
  if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return ok;
  if (is_no_folder(errno)) return Error::from_errno("remove " + name);
  const UniqueFd handle = TRY(handle_of(directory, name));
  const struct stat info = facts_of(handle);
  if (!S_ISDIR(info.st_mode)) return Error::from_number(EPERM, "remove " + name);
  const UniqueFd top = reopen(handle, info, Reading::private_);
  if (!top) return Error::from_errno("open " + name);
  for (int round = 0; round < most_rounds; ++round) {
    const bool moved = DiscardRound(top).moved();
    if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return ok;
    if (!moved || (errno != ENOTEMPTY && errno != EEXIST)) return Error::from_errno("remove " + name);
  }
  return Error::from_number(ENOTEMPTY, "remove " + name);
}

}  // namespace talaria
