#include "sandbox/offline_lookup.h"

#include <algorithm>

#include "base/text.h"

namespace talaria {
namespace {

// No route leads to this address, so that every look-up of a name counts as a try to reach another machine
// (RefusedRoutes); with the machine's own name server on 127.0.0.1 it would not.
constexpr std::string_view resolver_text =
    "# The network is off in this sandbox, so names of other machines are unknown here.\n"
    "nameserver 192.0.2.1\n"
    "options timeout:1 attempts:1\n";

MountStep step_of(MountKind kind, std::string target, std::string source) {
  MountStep step;
  step.kind = kind;
  step.target = std::move(target);
  step.source = std::move(source);
  step.optional = kind == MountKind::mirror;
  return step;
}

}  // namespace

std::vector<MountStep> offline_lookup(const ViewFacts& facts, const MountPlan& before) {
  std::vector<MountStep> steps;
  const auto replace = [&](const std::string& path, std::string text, const std::string& place) {
    const bool hidden = std::ranges::any_of(before.steps, [&](const MountStep& step) {
      return step.kind == MountKind::hide && is_within(path, step.target);
    });
    steps.push_back(step_of(MountKind::file, hidden ? path : place, std::move(text)));
    if (!hidden) steps.push_back(step_of(MountKind::mirror, path, place));
  };
  if (!facts.resolver_file.empty()) {
    replace(facts.resolver_file, std::string(resolver_text), "/run/resolver/resolv.conf");
  }
  if (!facts.name_switch.empty()) {
    replace("/etc/nsswitch.conf", offline_name_switch(facts.name_switch), "/run/resolver/nsswitch.conf");
  }
  return steps;
}

// The last word is that of `files`, which knows that there is no such name; that of `dns` alone would be "try again",
// and programs do. `myhostname` answers without a network.
std::string offline_name_switch(std::string_view text) {
  std::string others, hosts = "hosts: files dns files\n";
  for (const std::string& line : split(trim(text), '\n')) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, 6, "hosts:") != 0) {
      others += line + "\n";
    } else if (line.find("myhostname") != std::string::npos) {
      hosts = "hosts: files myhostname dns files\n";
    }
  }
  return others + hosts;
}

}  // namespace talaria
