#include "config/file.h"

#include <climits>
#include <optional>

#include "config/yaml.h"
#include "os/file.h"

namespace talaria {

namespace {

// The file at the end of a chain of links, whether it exists or not.
Result<std::string> follow_links(std::string path) {
  for (int hops = 0; hops < 40; ++hops) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length < 0 && (errno == EINVAL || errno == ENOENT)) return path;
    if (length < 0) return Error::from_errno("read the link " + path);
    const std::string next(target, static_cast<size_t>(length));
    const size_t slash = path.find_last_of('/');
    const bool beside = !next.starts_with('/') && slash != std::string::npos;
    path = beside ? path.substr(0, slash + 1) + next : next;
  }
  return Error::from_number(ELOOP, "read the link " + path);
}

struct Current {
  std::string text;
  std::optional<mode_t> mode;  // nothing: there is no file yet
};

Result<Current> read_current(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return Current{};
    return Error::from_errno("read " + path);
  }
  return Current{TRY(read_file(path)), info.st_mode & 07777};
}

Result<> check_parses(const std::string& path, std::string_view text) {
  const Result<YamlDocument> document = YamlDocument::parse(text);
  if (!document) return Error(document.error().code(), path + ":" + document.error().message());
  return ok;
}

}  // namespace

Result<> edit_config_file(const std::string& path, const TextEdit& edit) {
  const FileLock lock = TRY(FileLock::take(path + ".lock"));
  const std::string target = TRY(follow_links(path));
  const Current current = TRY(read_current(target));
  TRY(check_parses(path, current.text));
  const std::string edited = TRY(edit(current.text));
  if (edited == current.text) return ok;
  TRY(check_parses(path + " after this edit", edited));
  const mode_t mode = current.mode.value_or(0600);
  // Written narrow, then widened: the umask must not narrow what was there before.
  TRY(write_file_atomically(target, edited, mode & 0700));
  if (mode != (mode & 0700) && ::chmod(target.c_str(), mode) != 0)
    return Error::from_errno("restore the mode of " + target);
  return ok;
}

}  // namespace talaria
