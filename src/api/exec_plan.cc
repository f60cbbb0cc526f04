#include "api/exec_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/unseen.h"
#include "os/file.h"

namespace talaria {
namespace {

Result<> check_elevation(const ElevatedSettings& elevated) {
  std::vector<std::string> off;
  if (!elevated.enabled) off.push_back("exec.elevated.enabled");
  if (!elevated.allowed) off.push_back("exec.elevated.allowed");
  if (!off.empty()) {
    return Error(ErrorCode::denied, "elevated is not available right now: " + join(off, " and ") +
                                        (off.size() == 1 ? " is" : " are") +
                                        " false in the configuration; the owner can set " +
                                        (off.size() == 1 ? "it" : "them") + " to true");
  }
  if (elevated.mode == "ask") {
    return Error(
        ErrorCode::denied,
        "elevated is not available right now: exec.elevated.mode is ask, and this version cannot ask a person; "
        "the owner can set it to on or full");
  }
  return ok;
}

Result<Host> resolve_host(const ExecArguments& arguments, const ExecSettings& settings) {
  const Host configured = TRY(parse_host(settings.host));
  if (arguments.elevated) return Host::gateway;
  Host host = arguments.host.value_or(Host::automatic);
  if (host == Host::automatic) host = configured;
  if (configured != Host::automatic && host != configured) {
    return Error(ErrorCode::denied, "exec host not allowed (requested " + std::string(name_of(host)) +
                                        "; configured host is " + std::string(name_of(configured)) +
                                        "; set exec.host to auto to allow this override)");
  }
  if (host == Host::automatic) host = Host::sandbox;
  if (host == Host::node) {
    return Error(ErrorCode::unavailable, "host=node is not available in this version; use host=sandbox or gateway");
  }
  return host;
}

Error no_directory(const std::string& path, const std::string& session_cwd, const std::string& why) {
  return Error(ErrorCode::not_found, "workdir \"" + shown_line(path) + "\" " + why +
                                         "; nothing was run. Give an existing directory, or leave workdir out to use " +
                                         shown_line(session_cwd));
}

// The path without "." and ".." in it; as it is when there are none, so that a link in it keeps its name.
std::string tidy(const std::string& path) {
  if ((path + "/").find("/.") == std::string::npos) return path;
  return real_or_given_path(path);
}

}  // namespace

std::string workdir_inside(const std::optional<std::string>& workdir, const std::string& session_cwd) {
  std::string path = workdir.value_or(session_cwd);
  if (path.empty() || path.front() != '/') path = session_cwd + "/" + path;
  // The way there may be hidden inside, the place shown.
  if (std::string real = real_path(path); !real.empty()) return real;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<std::string> resolve_workdir(const std::optional<std::string>& workdir, const std::string& session_cwd) {
  std::string path = workdir.value_or(session_cwd);
  if (path.empty() || path.front() != '/') path = session_cwd + "/" + path;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return no_directory(
        path, session_cwd,
        errno == ENOENT ? "does not exist" : "cannot be used: " + Error::from_errno("look at it").message());
  }
  if (!S_ISDIR(info.st_mode)) return no_directory(path, session_cwd, "is not a directory");
  if (::access(path.c_str(), X_OK) != 0)
    return no_directory(path, session_cwd, "cannot be entered (permission denied)");
  return tidy(path);
}

Result<ExecPlan> plan_exec(const ExecArguments& arguments, const ExecSettings& settings, const std::string& session_cwd,
                           const Environment& environment) {
  ExecPlan plan;
  plan.background = arguments.background;
  if (arguments.background && !settings.allow_background) {
    plan.background = false;
    plan.notes.push_back("exec.allow_background is false in the configuration, so the command ran in the foreground.");
  }
  plan.yield_ms = yield_window(arguments.yield_ms, settings.yield_ms, environment);
  plan.timeout_seconds = arguments.timeout_seconds.value_or(settings.timeout);

  plan.elevated = arguments.elevated;
  if (arguments.elevated) TRY(check_elevation(settings.elevated));
  plan.through_sudo = arguments.elevated && settings.elevated.via == "sudo";
  plan.host = TRY(resolve_host(arguments, settings));

  // The owner's `full` stands in for what is configured; a call can still tighten it.
  const bool full = arguments.elevated && settings.elevated.mode == "full";
  const bool inside = plan.host == Host::sandbox;
  const Security security =
      full ? Security::full : TRY(parse_security(inside ? settings.sandbox.security : settings.security));
  const Ask ask = full ? Ask::off : TRY(parse_ask(inside ? settings.sandbox.ask : settings.ask));
  plan.security = tighter(security, arguments.security.value_or(security));
  plan.ask = stricter(ask, arguments.ask.value_or(ask));

  // What is there inside a sandbox only the sandbox knows.
  if (inside) plan.workdir = workdir_inside(arguments.workdir, session_cwd);
  else plan.workdir = TRY(resolve_workdir(arguments.workdir, session_cwd));
  return plan;
}

std::string elevation_hint(const ExecPlan& plan, uid_t user, std::optional<int> exit_code) {
  if (!plan.elevated || plan.through_sudo || user == 0 || exit_code == 0) return "";
  return "Elevated, it still ran as the gateway's own user, not as root. If it needs root, the owner can set "
         "exec.elevated.via: sudo in the configuration.";
}

std::string find_program(const std::string& name, const std::string& path) {
  for (const std::string& folder : split(path, ':')) {
    if (folder.empty() || folder.front() != '/') continue;
    std::string candidate = folder + "/" + name;
    struct stat info {};
    if (::access(candidate.c_str(), X_OK) == 0 && ::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      return candidate;
    }
  }
  return "";
}

}  // namespace talaria
