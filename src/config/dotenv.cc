#include "config/dotenv.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>

#include "base/text.h"
#include "config/links.h"
#include "config/wipe.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t largest = 1 << 20;

std::string user_name(uid_t uid) {
  const passwd* entry = ::getpwuid(uid);
  return entry ? entry->pw_name : "uid " + std::to_string(uid);
}

Result<> check_private(const std::string& path, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) {
    return Error(ErrorCode::conflict, path + " is a directory, where a file of variables belongs; move it away");
  }
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::conflict, path + " is not a file; move it away");
  if ((info.st_mode & 077) != 0) {
    return Error(ErrorCode::denied, path + " can be read by others; run: chmod 600 " + shell_quote(path));
  }
  return ok;
}

Result<> check_own(const std::string& path, const struct stat& info) {
  if (info.st_uid == ::geteuid()) return ok;
  return Error(ErrorCode::denied, path + " belongs to " + user_name(info.st_uid) + ", and you are " +
                                      user_name(::geteuid()) + "; run as its owner, or move it away");
}

enum class Purpose { read, change };

// Nothing for a file that is not there. What is checked is what is read: one descriptor for both.
Result<std::optional<std::string>> read_private(const std::string& path, Purpose purpose) {
  // Nonblocking, because opening a pipe in the file's place would wait for its other end.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ENOENT) return std::optional<std::string>();
  if (!fd) return Error::from_errno("open " + path);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno("look at " + path);
  if (purpose == Purpose::change) TRY(check_own(path, info));
  TRY(check_private(path, info));
  const size_t expected = std::min<size_t>(static_cast<size_t>(info.st_size), largest);
  std::string text = TRY(read_at(fd.get(), 0, expected + 1));
  if (text.size() > largest) return invalid("read " + path + ": larger than " + std::to_string(largest) + " bytes");
  return std::optional(std::move(text));
}

using Change = std::function<Result<std::string>(std::string_view)>;

Result<> change_dotenv(const std::string& path, const Change& change) {
  const FileLock lock = TRY(FileLock::take(path + ".lock"));
  const std::string target = TRY(follow_links(path));
  std::optional<std::string> before = TRY(read_private(target, Purpose::change));
  std::string text = std::move(before).value_or("");
  const WipedAtEnd text_wiped(text);
  std::string changed = TRY(change(text));
  const WipedAtEnd changed_wiped(changed);
  if (changed == text) return ok;
  if (changed.size() > largest) return invalid(path + " would become larger than " + human_bytes(largest));
  return write_file_atomically(target, changed, 0600);
}

}  // namespace

Result<std::map<std::string, std::string>> read_dotenv(const std::string& path) {
  std::optional<std::string> text = TRY(read_private(path, Purpose::read));
  if (!text) return std::map<std::string, std::string>();
  const WipedAtEnd wiped(*text);
  return parse_dotenv(*text);
}

Result<> check_dotenv(const std::string& path) {
  const std::string target = TRY(follow_links(path));
  std::optional<std::string> text = TRY(read_private(target, Purpose::change));
  if (text) wipe(*text);
  const std::string folder = target.substr(0, target.find_last_of('/') + 1);
  if (::access(folder.c_str(), W_OK) != 0) return Error::from_errno("write into " + folder);
  return ok;
}

Result<> set_dotenv(const std::string& path, const std::string& name, std::string_view value) {
  return change_dotenv(path, [&](std::string_view text) { return set_variable(text, name, value); });
}

Result<> set_dotenv(const std::string& path, const std::map<std::string, std::string>& variables, Existing existing) {
  return change_dotenv(path, [&](std::string_view before) -> Result<std::string> {
    const std::map<std::string, std::string> there = parse_dotenv(before);
    std::string text(before);
    for (const auto& [name, value] : variables) {
      const auto now = there.find(name);
      if (existing == Existing::keep && now != there.end() && !now->second.empty()) continue;
      Result<std::string> changed = set_variable(text, name, value);
      wipe(text);
      text = TRY(std::move(changed));
    }
    return text;
  });
}

Result<std::vector<std::string>> unset_dotenv(const std::string& path, const std::vector<std::string>& names) {
  std::vector<std::string> removed;
  TRY(change_dotenv(path, [&](std::string_view before) -> Result<std::string> {
    const std::map<std::string, std::string> there = parse_dotenv(before);
    std::string text(before);
    for (const std::string& name : names) {
      if (!there.contains(name) || std::find(removed.begin(), removed.end(), name) != removed.end()) continue;
      text = TRY(unset_variable(text, name));
      removed.push_back(name);
    }
    return text;
  }));
  return removed;
}

}  // namespace talaria
