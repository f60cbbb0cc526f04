#include "guard/mounted_names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "guard/known_entry.h"
#include "guard/remedies.h"

namespace talaria {

MountedNames::Numbers MountedNames::numbers_of(int root, const std::string& path) {
  const UniqueFd folder = open_guarded_folder(root, folder_part(path));
  struct stat status {};
  if (!folder || ::fstatat(folder.get(), name_part(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return {status.st_dev, status.st_ino};
}

MountedNames::MountedNames(int root, const std::vector<std::string>& paths) : root_(root) {
  for (const std::string& path : paths) {
    if (const Numbers numbers = numbers_of(root, path); numbers != Numbers()) names_.emplace(path, numbers);
  }
}

// By another name of the same file it can be written to all the same.
bool MountedNames::has_other_names(const std::string& path) const {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  struct stat status {};
  const bool there = folder && ::fstatat(folder.get(), name_part(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  return there && S_ISREG(status.st_mode) && status.st_nlink > 1;
}

bool MountedNames::hold(const std::string& path) const {
  if (has_other_names(path)) return false;
  for (std::string above = path; !above.empty(); above = folder_part(above)) {
    const auto known = names_.find(above);
    if (known != names_.end()) return numbers_of(root_, above) == known->second;
  }
  return false;
}

}  // namespace talaria
