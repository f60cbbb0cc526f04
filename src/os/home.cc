#include "os/home.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>

#include "base/unseen.h"
#include "base/utf8.h"
#include "os/file.h"
#include "os/reserve.h"

namespace talaria {
namespace {

constexpr size_t longest_socket_path = 108;  // sockaddr_un, with its final NUL
constexpr size_t longest_socket_name = std::string_view("/gateway.sock").size();

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string user_home() {
  std::string home = from_environment("HOME");
  if (!home.empty()) return home;
  const passwd* entry = ::getpwuid(::getuid());
  return entry && entry->pw_dir ? entry->pw_dir : "";
}

// Stable across versions and programs: 64-bit FNV-1a in hex.
std::string hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

// In the home: the runtime directory of a login goes away at logout, with jobs running on, and is not known to cron.
std::string find_runtime(const std::string& root) {
  const std::string own = root + "/run";
  const std::string shared = from_environment("XDG_RUNTIME_DIR");
  const bool fits = own.size() + longest_socket_name < longest_socket_path;
  return fits || shared.empty() ? own : shared + "/talaria/" + hash_of(root);
}

std::string owner_name(uid_t uid) {
  const passwd* entry = ::getpwuid(uid);
  return entry ? entry->pw_name : "uid " + std::to_string(uid);
}

Result<> refuse_foreign(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return Error::from_errno("look at " + path);
  if (info.st_uid != ::geteuid()) {
    return Error(ErrorCode::denied, shown_line(path) + " belongs to " + owner_name(info.st_uid) + ", and you are " +
                                        owner_name(::geteuid()) +
                                        ". Run as its owner, or set TALARIA_HOME to a directory of your own");
  }
  return ok;
}

// What keeps us from making the folders, and what a person can do about it.
Error cannot_write(const Error& error, const std::string& root) {
  const int number = error.number();
  if (number != EROFS && number != EACCES && number != EPERM) return error;
  return {error.code(), error.message() + ". Talaria writes into its home " + root +
                            ": make it writable, or set TALARIA_HOME to a directory that is"};
}

Result<> prepare_private(const std::string& path) {
  TRY(make_directories(path));
  TRY(refuse_foreign(path));
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && (info.st_mode & 077) && ::chmod(path.c_str(), 0700) != 0) {
    return Error::from_errno("make " + path + " private");
  }
  return ok;
}

Result<> make_folders(const Home& home) {
  TRY(prepare_private(home.root));
  TRY(prepare_private(home.runtime));
  for (const std::string& folder : {home.jobs(), home.cache(), home.logs()}) TRY(make_directories(folder));
  return ok;
}

}  // namespace

Result<Home> Home::find() {
  std::string root = from_environment("TALARIA_HOME");
  if (root.empty()) {
    const std::string user = user_home();
    if (user.empty()) return Error(ErrorCode::unavailable, "no home directory: set HOME or TALARIA_HOME");
    root = user + "/.talaria";
  }
  if (root.front() != '/') {
    char here[PATH_MAX];
    if (!::getcwd(here, sizeof here)) return Error::from_errno("find the current directory");
    root = std::string(here) + "/" + root;
  }
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  // It is part of what gateway, keeper and clients tell each other, and that is text.
  if (!is_utf8(root)) {
    return invalid("Talaria's home has a name that is not valid UTF-8: " + shown_line(root) +
                   ". Set TALARIA_HOME to a directory with a valid UTF-8 name");
  }
  return Home{root, find_runtime(root)};
}

Result<> Home::prepare_runtime() const {
  if (!exists(root)) return Error(ErrorCode::not_found, shown_line(root) + " is gone");
  return prepare_private(runtime);
}

Result<> Home::prepare() const {
  Result<> prepared = make_folders(*this);
  if (!prepared && prepared.error().number() == ENOSPC) {
    give_up_reserve(root);
    prepared = make_folders(*this);
  }
  // All may be there already, on a file system that was mounted to be read only.
  if (prepared && ::access(root.c_str(), W_OK) != 0) prepared = Error::from_errno("write into " + root);
  if (!prepared) return cannot_write(prepared.error(), root);
  return ok;
}

}  // namespace talaria
