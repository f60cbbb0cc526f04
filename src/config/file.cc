#include "config/file.h"

#include <optional>

#include "config/links.h"
#include "os/file.h"
#include "yaml/yaml.h"

namespace talaria {

namespace {

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
