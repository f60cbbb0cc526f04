#include "sandbox/space_plan.h"

#include <sys/socket.h>

#include <csignal>
#include <system_error>

#include "os/socket.h"
#include "sandbox/seccomp.h"

namespace talaria {
namespace {

LandlockRules landlock_rules(const View& view, NetworkMode network, int abi) {
  LandlockRules rules;
  rules.abi = abi;
  rules.scope_abstract_sockets = network == NetworkMode::on;
  rules.paths.push_back({.access = PathAccess::read, .path = "/"});
  rules.paths.push_back({.access = PathAccess::devices, .path = "/dev"});
  rules.paths.push_back({.access = PathAccess::devices, .path = "/proc"});
  for (const std::string& path : view.writable) rules.paths.push_back({.access = PathAccess::write, .path = path});
  return rules;
}

Error failure_of(const CommandReport& report) {
  const std::string reason = std::generic_category().message(report.other);
  return to_error({static_cast<SpaceStep>(report.value), report.other, std::string(report.detail) + ": " + reason});
}

}  // namespace

ResourceLimits resource_limits(const Limits& limits) {
  ResourceLimits resources;
  const auto or_as_it_is = [](uint64_t value) { return value == 0 ? ResourceLimits::as_it_is : value; };
  resources.processes = or_as_it_is(limits.processes);
  resources.data = ResourceLimits::as_it_is;  // sanitizers reserve terabytes; what is really used is watched
  resources.file_size = or_as_it_is(limits.file_bytes);
  resources.open_files_at_first = or_as_it_is(limits.open_files);
  return resources;
}

Result<SessionPlan> plan_session(const Profile& profile, const Identity& identity, const MachineFacts& facts,
                                 const SpaceLimits& machine) {
  SessionPlan plan;
  plan.view = TRY(plan_view(profile, facts.view));
  if (plan.view.workspace_writable) plan.foreign = facts.foreign;
  plan.space.identity = identity;
  plan.space.mounts = plan.view.mounts;
  plan.space.own_network = profile.network == NetworkMode::off;
  plan.space.loopback_required = machine.loopback;
  plan.command.keeps_capabilities = identity.keeps_capabilities;
  plan.command.cwd = plan.view.cwd;
  for (const auto& [name, value] : plan.view.environment) plan.command.environment.push_back(name + "=" + value);
  if (profile.kind == ProfileKind::full) {
    plan.space.own_ipc = false;
    plan.command.no_new_privileges = false;
    return plan;
  }
  plan.space.segment_bytes = profile.limits.memory_bytes;
  plan.command.limits = resource_limits(profile.limits);
  if (machine.landlock_abi > 0) {
    plan.command.landlock = landlock_rules(plan.view, profile.network, machine.landlock_abi);
  }
  // A group that is the person's own may be given on; what root's sandbox makes belongs to the machine's groups.
  FilterOptions filter;
  filter.set_group_id = !identity.mapped_owners;
  if (machine.seccomp) plan.command.filter = TRY(compile_filter(filter));
  return plan;
}

Result<int> run_in_space(SessionSpace& space, const CommandOrder& order, CommandStreams streams) {
  auto [mine, theirs] = TRY(socket_pair(SOCK_SEQPACKET));
  TRY(prepare_control(mine.get()));
  TRY(space.command(order, std::move(theirs), std::move(streams)));
  while (true) {
    Result<CommandReport> report = receive_report(mine.get());
    if (!report) return std::move(report).error();
    switch (report->kind) {
      case CommandReport::Kind::started:
      case CommandReport::Kind::wrote: break;
      case CommandReport::Kind::failed: return failure_of(*report);
      case CommandReport::Kind::ended: return report->value;
    }
  }
}

Result<int> run_in_sandbox(const SessionPlan& plan, const CommandOrder& order, CommandStreams streams) {
  SessionSpace space = TRY(SessionSpace::start(plan.space));
  return run_in_space(space, order, std::move(streams));
}

}  // namespace talaria
