#include "talaria/local_checks.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "base/text.h"
#include "config/settings.h"
#include "os/daemon.h"
#include "os/file.h"
#include "os/home.h"
#include "talaria/gateway.h"

namespace talaria {
namespace {

constexpr uint64_t little_space = uint64_t{1} << 30;
constexpr uint64_t no_space = 16 << 20;  // less, and the database or a job's log cannot be written
constexpr rlim_t few_descriptors = 1024;
constexpr rlim_t fewest_for_sandbox = 80;  // as sandbox/numbered_fd.cc says

// The path itself, or the part of it that is there already.
std::string existing_part(std::string path) {
  while (path.size() > 1 && !exists(path)) path.resize(std::max<size_t>(path.rfind('/'), 1));
  return path;
}

// Why nothing can be made in the folder; nothing when it can.
std::optional<JsonObject> check_writable(const std::string& folder) {
  if (::faccessat(AT_FDCWD, folder.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0) return std::nullopt;
  const bool read_only = errno == EROFS;
  const std::string detail = folder + " cannot be written: " + std::string(std::strerror(errno));
  return check("home", "error", detail,
               read_only ? "mount it writable, or set TALARIA_HOME to a directory elsewhere"
                         : "chmod u+rwx " + shell_quote(folder) + ", or set TALARIA_HOME to a directory of your own");
}

JsonObject check_home(const Home& home) {
  struct stat info {};
  if (::stat(home.root.c_str(), &info) != 0) {
    if (errno != ENOENT) {
      return check("home", "error", Error::from_errno("look at " + home.root).message(), "set TALARIA_HOME");
    }
    if (std::optional<JsonObject> problem = check_writable(existing_part(home.root))) return *std::move(problem);
    return check("home", "ok", home.root + " does not exist yet; the first command makes it");
  }
  if (info.st_uid != ::geteuid()) {
    return check("home", "error", home.root + " belongs to another user",
                 "set TALARIA_HOME to a directory of your own");
  }
  // Also what is in it: one of them may be a mount of its own.
  for (const std::string& folder : {home.root, home.jobs(), home.logs(), home.cache(), home.runtime}) {
    if (!exists(folder)) continue;
    if (std::optional<JsonObject> problem = check_writable(folder)) return *std::move(problem);
  }
  if (info.st_mode & 077) {
    return check("home", "warning", home.root + " can be entered by other users",
                 "chmod 700 " + shell_quote(home.root));
  }
  return check("home", "ok", home.root);
}

JsonObject check_socket_path(const Home& home) {
  constexpr size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  const size_t length = std::max(home.gateway_socket().size(), home.keeper_socket().size());
  if (length <= longest) return check("socket path", "ok", home.gateway_socket());
  return check(
      "socket path", "error",
      home.gateway_socket() + " is " + std::to_string(length) + " bytes long; Linux allows " + std::to_string(longest),
      "set TALARIA_HOME or XDG_RUNTIME_DIR to a shorter path");
}

void check_config(const Home& home, JsonArray& checks) {
  if (!exists(home.config())) {
    checks.push_back(check("config", "ok", home.config() + " is not there: everything has its default"));
    return;
  }
  Result<std::string> text = read_file(home.config());
  if (!text) {
    checks.push_back(check("config", "error", text.error().message()));
    return;
  }
  Result<Settings> settings = load_settings(home.config());
  checks.push_back(settings ? check("config", "ok", home.config())
                            : check("config", "error", settings.error().message(), "talaria config edit"));
  Result<std::vector<UnknownKey>> unknown = unknown_keys(*text);
  if (!unknown) return;
  for (const UnknownKey& key : *unknown) {
    const std::string where = "line " + std::to_string(key.line) + ": nothing reads the key " + key.key;
    checks.push_back(check("config", "warning", where,
                           key.suggestion.empty() ? "talaria config unset " + shell_quote(key.key)
                                                  : "did you mean " + key.suggestion + "?"));
  }
}

JsonObject check_disk(const Home& home) {
  struct statvfs info {};
  const std::string place = existing_part(home.root);
  if (::statvfs(place.c_str(), &info) != 0)
    return check("disk", "warning", Error::from_errno("look at " + place).message());
  const uint64_t free = static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
  const std::string detail = human_bytes(free) + " free for " + home.root;
  if (free >= little_space) return check("disk", "ok", detail);
  return check("disk", free < no_space ? "error" : "warning", detail,
               "make room: output of jobs is kept there (talaria ps, talaria clear ID)");
}

JsonObject check_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const std::string detail = "up to " + with_commas(limit.rlim_max) + " open files";
  if (limit.rlim_max > few_descriptors) return check("open files", "ok", detail);
  if (limit.rlim_max < fewest_for_sandbox) {
    return check("open files", "error",
                 "the limit of open files is " + std::to_string(limit.rlim_max) +
                     ": commands cannot start in the sandbox below " + std::to_string(fewest_for_sandbox),
                 "raise it (ulimit -n 1024), then: talaria serve --stop --end-jobs");
  }
  return check("open files", "warning", detail + ": too few for hundreds of jobs", "raise the hard limit (ulimit -Hn)");
}

JsonObject check_programs() {
  for (const char* name : {"talaria-gateway", "talaria-keeper"}) {
    const std::string path = sibling_program(name);
    if (::access(path.c_str(), X_OK) != 0) {
      return check("programs", "error", path + " is missing or cannot be run", "install all three programs together");
    }
  }
  return check("programs", "ok", sibling_program(""));
}

JsonObject check_shell() {
  for (const char* path : {"/bin/bash", "/usr/bin/bash"}) {
    if (::access(path, X_OK) == 0) return check("shell", "ok", path);
  }
  return check("shell", "error", "there is no /bin/bash, and commands run in it", "install bash");
}

}  // namespace

JsonObject check(const std::string& name, const std::string& state, const std::string& detail, const std::string& fix) {
  JsonObject entry{{"name", name}, {"state", state}, {"detail", detail}};
  if (!fix.empty()) entry["fix"] = fix;
  return entry;
}

JsonArray local_checks() {
  JsonArray checks;
  checks.push_back(check_programs());
  checks.push_back(check_shell());
  checks.push_back(check_descriptors());
  Result<Home> home = find_home();
  if (!home) {
    checks.push_back(check("home", "error", home.error().message(), "set TALARIA_HOME"));
    return checks;
  }
  checks.push_back(check_home(*home));
  checks.push_back(check_socket_path(*home));
  check_config(*home, checks);
  checks.push_back(check_disk(*home));
  return checks;
}

}  // namespace talaria
