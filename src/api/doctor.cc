#include "api/doctor.h"

#include <sys/statvfs.h>

#include "api/exec_plan.h"
#include "api/scripts.h"
#include "api/web_call.h"
#include "api/write_behind.h"
#include "base/text.h"
#include "config/dotenv.h"
#include "os/daemon.h"
#include "os/file.h"
#include "os/pty.h"
#include "web/curl_library.h"
#include "web/private_hosts.h"

namespace talaria {
namespace {

constexpr uint64_t little_space = 256 << 20;

JsonObject check(std::string_view name, std::string_view state, const std::string& detail,
                 const std::string& fix = "") {
  JsonObject object = {{"name", name}, {"state", state}, {"detail", detail}};
  if (!fix.empty()) object["fix"] = fix;
  return object;
}

JsonObject check_config(Parts& parts) {
  const std::string& path = parts.settings.path();
  const auto settings = parts.settings.current();
  if (!settings)
    return check("config", "error", settings.error().message(), "mend the file; until then exec is refused");
  const Result<std::string> text = read_file(path);
  if (!text) return check("config", "ok", path + " is not there: all defaults");
  const Result<std::vector<UnknownKey>> unknown = unknown_keys(*text);
  if (!unknown || unknown->empty()) return check("config", "ok", path);
  std::vector<std::string> names;
  for (const UnknownKey& key : *unknown) {
    names.push_back(key.key + " (line " + std::to_string(key.line) +
                    (key.suggestion.empty() ? ")" : "; did you mean " + key.suggestion + "?)"));
  }
  return check("config", "warning", "keys that nothing reads: " + join(names, ", "),
               "correct or remove them in " + path);
}

// Settings that exist but that this version refuses, so that the owner hears it before an agent does.
JsonObject check_modes(Parts& parts) {
  const ExecSettings& exec = parts.settings.last_good().exec;
  std::vector<std::string> refused;
  if (exec.host == "node") refused.push_back("exec.host: " + exec.host);
  if (exec.security == "allowlist") refused.push_back("exec.security: allowlist");
  if (exec.ask != "off") refused.push_back("exec.ask: " + exec.ask);
  if (exec.sandbox.security == "allowlist") refused.push_back("exec.sandbox.security: allowlist");
  if (exec.sandbox.ask != "off") refused.push_back("exec.sandbox.ask: " + exec.sandbox.ask);
  if (exec.elevated.enabled && exec.elevated.mode == "ask") refused.push_back("exec.elevated.mode: ask");
  if (refused.empty()) return check("modes", "ok", "security " + exec.security + ", ask " + exec.ask);
  return check("modes", "error", "not available in this version: " + join(refused, ", "), "change them in config.yaml");
}

JsonObject check_keeper(Parts& parts) {
  Result<KeeperClient*> keeper = parts.jobs.keeper();
  if (!keeper) return check("keeper", "error", keeper.error().message(), "see keeper.log in the home's logs folder");
  return check("keeper", "ok", "pid " + std::to_string((*keeper)->keeper_pid()) + ", version " + (*keeper)->version());
}

JsonObject check_shell(Parts& parts) {
  const auto path = parts.environment.own().find("PATH");
  const std::string shell =
      find_program("bash", (path == parts.environment.own().end() ? "" : path->second) + ":/bin:/usr/bin");
  if (shell.empty()) return check("shell", "warning", "no bash: commands run with sh", "install bash");
  return check("shell", "ok", shell);
}

JsonObject check_environment(Parts& parts) {
  if (parts.environment.trouble().empty()) return check("login environment", "ok", "read from the login shell");
  return check("login environment", "warning", parts.environment.trouble(),
               "see what your shell's start-up files wait for");
}

JsonObject check_space(Parts& parts) {
  struct statvfs info {};
  const std::string& root = parts.jobs.home().root;
  if (::statvfs(root.c_str(), &info) != 0)
    return check("disk", "error", Error::from_errno("look at " + root).message());
  const uint64_t free = static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
  if (free > little_space) return check("disk", "ok", human_bytes(free) + " free for " + root);
  return check("disk", "warning", "only " + human_bytes(free) + " free for " + root,
               "free some space, or lower jobs.max_total_bytes");
}

JsonObject check_terminals() {
  const Result<Pty> pty = open_pty({});
  if (pty) return check("terminals", "ok", "available");
  return check("terminals", "warning", pty.error().message(),
               "pty=true runs with pipes until then; is /dev/pts mounted?");
}

JsonObject check_program(Parts& parts, const std::string& name, const std::string& without,
                         const std::string& package) {
  const auto path = parts.environment.own().find("PATH");
  const std::string found =
      find_program(name, "/usr/bin:/bin:" + (path == parts.environment.own().end() ? "" : path->second));
  if (!found.empty()) return check(name, "ok", found);
  return check(name, "warning", "not installed: " + without, "apt-get install " + package);
}

JsonObject check_web(Parts& parts) {
  const Result<const CurlLibrary*> curl = curl_library();
  if (!curl) return check("web tools", "warning", curl.error().message(), "apt-get install libcurl4");
  const WebSettings& settings = parts.settings.last_good().web;
  const std::vector<std::string> unreadable = PrivateHosts(settings.allow_private_hosts).unreadable();
  if (!unreadable.empty()) {
    return check("web tools", "warning", "web.allow_private_hosts has what is no host: " + join(unreadable, ", "),
                 "write names, host:port, addresses, networks such as 10.0.0.0/8, or *");
  }
  if (settings.search.provider == "none") {
    return check("web tools", "ok", "web_extract; no web_search: web.search.provider is none");
  }
  const std::string missing = why_no_web_search(parts);
  if (!missing.empty()) return check("web tools", "warning", missing);
  return check("web tools", "ok", "web_extract, and web_search by " + settings.search.provider);
}

JsonObject check_python(Parts& parts) {
  if (const std::string missing = Scripts::missing(); !missing.empty()) {
    return check("execute_code", "error", missing, "install Talaria again");
  }
  const JsonObject python = check_program(parts, "python3", "execute_code cannot run programs", "python3");
  if (text_or(python, "state") != "ok") return python;
  const bool warm = exists(Scripts::directory() + "/libtalaria-warm.so");
  return check("execute_code", "ok",
               text_or(python, "detail") + (warm ? "" : ", always started cold: libtalaria-warm.so is missing"));
}

JsonObject check_store(Parts& parts) {
  if (const std::string notice = write_notice(parts.store, Locks::all); !notice.empty()) {
    return check("store", "warning", notice);
  }
  if (parts.store.notices().empty()) return check("store", "ok", parts.store.path());
  return check("store", "warning", join(parts.store.notices(), " "));
}

}  // namespace

JsonObject check_variables(Parts& parts) {
  const std::string file = parts.jobs.home().root + "/.env";
  const Result<std::map<std::string, std::string>> stored = read_dotenv(file);
  if (!stored) return check(".env", "error", stored.error().message(), "chmod 600 " + shell_quote(file));
  if (!exists(file)) return check(".env", "ok", "none yet; talaria env set NAME makes it");
  return check(".env", "ok", std::to_string(stored->size()) + " variables for skills, commands and search providers");
}

JsonObject check_bundled_skills() {
  const std::string folder = library_directory() + "/skills";
  if (exists(folder)) return check("skills", "ok", "the bundled ones are in " + folder);
  return check("skills", "warning", "the bundled skills are missing: there is no " + folder,
               "install Talaria anew; skills of your own are not affected");
}

JsonArray examine(Parts& parts) {
  return {check_config(parts),
          check_modes(parts),
          check_store(parts),
          check_keeper(parts),
          check_shell(parts),
          check_environment(parts),
          check_terminals(),
          check_space(parts),
          check_program(parts, "rg", "search_files uses grep, which is slower and knows no .gitignore", "ripgrep"),
          check_program(parts, "pdftotext", "web_extract cannot read PDF documents", "poppler-utils"),
          check_python(parts),
          check_web(parts),
          check_variables(parts),
          check_bundled_skills()};
}

}  // namespace talaria
