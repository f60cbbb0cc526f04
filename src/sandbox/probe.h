#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "sandbox/profile.h"
#include "sandbox/space_plan.h"

namespace talaria {

// One thing a sandbox is made of, and whether this machine has it.
struct Capability {
  std::string name;
  bool ok = false;
  std::string detail;  // what was found, or why it is missing
  std::string fix;     // what a person can do about it; empty when nothing or nothing is needed
  bool operator==(const Capability&) const = default;
};

inline constexpr int any_landlock = 1000;

struct ProbeQuestion {
  std::string workspace = "/usr";  // where root asks whether owners can be mapped
  std::string cgroup_root = "/sys/fs/cgroup";
  std::string own_cgroup = "/proc/self/cgroup";
  // To see how one does without: these are reported as missing, and Landlock as no newer than this.
  std::set<std::string> without = {};
  int newest_landlock = any_landlock;
};

// What this machine can do. Names: user_namespaces, namespaces, mounts, proc, loopback, devpts, command_namespaces,
// owner_mapping, landlock, seccomp, cgroups.
struct Probe {
  std::vector<Capability> capabilities;
  int landlock_abi = 0;

  const Capability& of(std::string_view name) const;
  bool has(std::string_view name) const { return of(name).ok; }
  std::vector<std::string> missing() const;
  bool operator==(const Probe&) const = default;
};

// Tries it all in children of its own, in a few milliseconds. The process must have one thread.
Probe probe_machine(const ProbeQuestion& question = {});

// Refuses a profile that this machine cannot hold, with the fix.
Result<> require(const Probe& probe, ProfileKind profile);
SpaceLimits space_limits(const Probe& probe);

JsonObject to_json(const Probe& probe);
Result<Probe> probe_from_json(const JsonObject& object);

// {"workspace", "without": [names]}; "landlock-3" is a machine whose Landlock is no newer than version 3.
JsonObject to_json(const ProbeQuestion& question);
Result<ProbeQuestion> probe_question_from(const JsonObject& object);

}  // namespace talaria
