#include "sandbox/probe.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/text.h"
#include "base/unseen.h"
#include "json/fields.h"
#include "os/file.h"
#include "sandbox/landlock.h"
#include "sandbox/probe_attempts.h"

namespace talaria {
namespace {

constexpr const char* needs_user_namespaces = "needs user namespaces";

std::string setting(const std::string& path) {
  Result<std::string> text = read_file(path, 4096);
  return text ? std::string(trim(*text)) : "";
}

// The switches that take user namespaces away, in the order in which they are most often found.
std::string user_namespace_fix() {
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (AppArmor restricts them; to keep it so, put "
           "the line into /etc/sysctl.d/60-talaria.conf)";
  }
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  }
  if (setting("/proc/sys/user/max_user_namespaces") == "0") return "sudo sysctl -w user.max_user_namespaces=10000";
  return "in a container: allow user namespaces in its seccomp profile (docker: --security-opt seccomp=unconfined), or "
         "run Talaria outside of it";
}

std::string fix_of(const std::string& name) {
  if (name == "user_namespaces") return user_namespace_fix();
  if (name == "namespaces" || name == "command_namespaces")
    return "raise the limits in /proc/sys/user/max_*_namespaces";
  if (name == "mounts") return "use Linux 5.12 or later, and start Talaria outside of a chroot";
  if (name == "proc") return "in a container: leave /proc unmasked (docker: --security-opt systempaths=unconfined)";
  if (name == "owner_mapping") {
    return "run as an ordinary user, move the workspace to ext4, xfs or btrfs, or set sandbox.root_identity: same";
  }
  if (name == "devpts") return "in a container: let it mount devpts (docker: the default seccomp profile does)";
  if (name == "seccomp") return "use a kernel with CONFIG_SECCOMP_FILTER";
  if (name == "landlock") return "use Linux 5.13 or later and start it with landlock in lsm=";
  if (name == "cgroups")
    return "run Talaria as a systemd user service with Delegate=yes; limits hold without, less exactly";
  return "";
}

Capability owner_mapping(const ProbeQuestion& question) {
  Capability found{"owner_mapping", true, "not needed by an ordinary user", ""};
  if (::geteuid() != 0) return found;
  const std::optional<std::string> problem = why_owners_cannot_be_mapped(question.workspace);
  found.ok = !problem;
  found.detail = problem ? *problem : "owners of " + shown_line(question.workspace) + " can be mapped";
  return found;
}

Capability landlock(int abi) {
  if (abi <= 0) return {"landlock", false, "this kernel has no Landlock", ""};
  return {"landlock", true, "version " + std::to_string(abi), ""};
}

// The controllers below our own cgroup, where we may make groups.
Capability cgroups(const ProbeQuestion& question) {
  Capability found{"cgroups", false, "", ""};
  std::string root = question.cgroup_root;
  if (!exists(root + "/cgroup.controllers")) root += "/unified";
  if (!exists(root + "/cgroup.controllers")) {
    found.detail = "there is no cgroup v2 tree in " + question.cgroup_root;
    return found;
  }
  for (const std::string& line : split(setting(question.own_cgroup), '\n')) {
    if (line.starts_with("0::/")) root += line.substr(3);
  }
  while (root.ends_with('/')) root.pop_back();
  const std::vector<std::string> there = split(setting(root + "/cgroup.controllers"), ' ');
  std::vector<std::string> absent;
  for (const char* name : {"memory", "pids"}) {
    if (std::ranges::find(there, name) == there.end()) absent.push_back(name);
  }
  if (!absent.empty()) {
    found.detail = root + " has no controller for " + join(absent, ", ");
  } else if (::access((root + "/cgroup.procs").c_str(), W_OK) != 0 || ::access(root.c_str(), W_OK) != 0) {
    found.detail = root + " is not delegated to us";
  } else {
    found.ok = true;
    found.detail = root;
  }
  return found;
}

void take_away(const ProbeQuestion& question, std::vector<Capability>& capabilities) {
  for (Capability& one : capabilities) {
    if (question.without.contains(one.name)) {
      one.ok = false;
      one.detail = "switched off for a test";
    }
    // What is built on it goes with it.
    const bool built_on = one.name == "namespaces" || one.name == "mounts" || one.name == "proc" ||
                          one.name == "loopback" || one.name == "devpts" || one.name == "command_namespaces";
    if (built_on && question.without.contains("user_namespaces")) {
      one.ok = false;
      one.detail = needs_user_namespaces;
    }
  }
}

}  // namespace

const Capability& Probe::of(std::string_view name) const {
  const auto found = std::ranges::find(capabilities, name, &Capability::name);
  CHECK(found != capabilities.end());
  return *found;
}

std::vector<std::string> Probe::missing() const {
  std::vector<std::string> names;
  for (const Capability& one : capabilities) {
    if (!one.ok) names.push_back(one.name);
  }
  return names;
}

Probe probe_machine(const ProbeQuestion& question) {
  Probe probe;
  probe.capabilities = try_namespaces();
  probe.capabilities.push_back(owner_mapping(question));
  probe.landlock_abi = question.without.contains("landlock") ? 0 : std::min(landlock_abi(), question.newest_landlock);
  probe.capabilities.push_back(landlock(probe.landlock_abi));
  probe.capabilities.push_back(try_seccomp());
  probe.capabilities.push_back(cgroups(question));
  take_away(question, probe.capabilities);
  for (Capability& one : probe.capabilities) {
    if (!one.ok && one.detail != needs_user_namespaces) one.fix = fix_of(one.name);
  }
  return probe;
}

Result<> require(const Probe& probe, ProfileKind profile) {
  for (const char* name : {"user_namespaces", "namespaces", "mounts", "devpts", "command_namespaces", "seccomp"}) {
    const Capability& needed = probe.of(name);
    // Full needs namespaces for a /proc of its own and to cover our own home, and nothing else. Root makes them as it
    // is; for everybody else they come with a user namespace.
    const bool in_full = ::geteuid() != 0 && needed.name.ends_with("namespaces");
    if (needed.ok || (profile == ProfileKind::full && !in_full)) continue;
    return Error(ErrorCode::unavailable, "the profile " + std::string(name_of(profile)) + " needs " + needed.name +
                                             ", which this machine refuses (" + needed.detail +
                                             "). Fix: " + (needed.fix.empty() ? "none known" : needed.fix));
  }
  return ok;
}

SpaceLimits space_limits(const Probe& probe) {
  return {.loopback = probe.has("loopback"), .landlock_abi = probe.landlock_abi, .seccomp = probe.has("seccomp")};
}

JsonObject to_json(const Probe& probe) {
  JsonArray list;
  for (const Capability& one : probe.capabilities) {
    JsonObject object{{"name", one.name}, {"ok", one.ok}, {"detail", one.detail}};
    if (!one.fix.empty()) object["fix"] = one.fix;
    list.push_back(std::move(object));
  }
  return {{"capabilities", std::move(list)}, {"landlock_abi", probe.landlock_abi}};
}

Result<Probe> probe_from_json(const JsonObject& object) {
  Probe probe;
  const Json* list = object.if_contains("capabilities");
  if (!list || !list->is_array()) return invalid("what the machine can do is no list");
  for (const Json& one : list->get_array()) {
    if (!one.is_object()) return invalid("what the machine can do is no list of objects");
    const JsonObject& fields = one.get_object();
    probe.capabilities.push_back(
        {text_or(fields, "name"), boolean_or(fields, "ok"), text_or(fields, "detail"), text_or(fields, "fix")});
  }
  probe.landlock_abi = static_cast<int>(integer_or(object, "landlock_abi"));
  return probe;
}

JsonObject to_json(const ProbeQuestion& question) {
  JsonArray without(question.without.begin(), question.without.end());
  if (question.newest_landlock < any_landlock) {
    without.push_back(Json("landlock-" + std::to_string(question.newest_landlock)));
  }
  return {{"workspace", question.workspace}, {"without", std::move(without)}};
}

Result<ProbeQuestion> probe_question_from(const JsonObject& object) {
  ProbeQuestion question;
  question.workspace = text_or(object, "workspace", "/usr");
  Fields fields(object, "probe question");
  for (const std::string& name : TRY(fields.texts("without")).value_or(std::vector<std::string>())) {
    const bool version = name.starts_with("landlock-");
    if (!version) question.without.insert(name);
    const char* const end = name.data() + name.size();
    if (version && std::from_chars(name.data() + 9, end, question.newest_landlock).ptr != end) {
      return invalid("\"" + name + "\" must be landlock- and a number");
    }
  }
  return question;
}

}  // namespace talaria
