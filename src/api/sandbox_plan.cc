#include "api/sandbox_plan.h"

#include <unistd.h>

#include "api/inside_paths.h"
#include "base/text.h"
#include "base/unseen.h"
#include "guard/danger.h"
#include "guard/quarantine.h"
#include "sandbox/offline_lookup.h"
#include "sandbox/profile_choice.h"
#include "sandbox/view_facts.h"

namespace talaria {
namespace {

constexpr int landlock_with_scopes = 6;

std::vector<std::string> steps_for(const SessionPlan& plan) {
  std::vector<std::string> steps = {"identity", "mounts", "hygiene"};
  if (plan.space.own_network) steps.emplace_back("network");
  if (plan.command.limits) steps.emplace_back("limits");
  if (plan.command.landlock) steps.emplace_back("landlock");
  if (!plan.command.filter.empty()) steps.emplace_back("seccomp");
  return steps;
}

Result<Identity> identity_for(const SandboxQuestion& question) {
  IdentityFacts facts;
  facts.uid = ::geteuid();
  facts.gid = ::getegid();
  facts.profile = question.profile.kind;
  facts.root_identity = question.root_identity;
  facts.first_id = question.first_id;
  facts.ids = question.ids;
  facts.slot = question.slot;
  if (const Capability& mapping = question.probe.of("owner_mapping"); !mapping.ok) facts.no_mapping = mapping.detail;
  return plan_identity(facts);
}

std::string first_few(const std::vector<std::string>& paths) {
  constexpr size_t most = 5;
  std::vector<std::string> named(paths.begin(), paths.begin() + static_cast<long>(std::min(most, paths.size())));
  std::string text = shown_line(join(named, ", "));
  if (paths.size() > most) text += " and " + std::to_string(paths.size() - most) + " more";
  return text;
}

std::string foreign_note(const std::vector<std::string>& foreign) {
  return "Not writable inside, because they belong to another user or group than the workspace: " + first_few(foreign) +
         ".";
}

std::string closed_mounts_note(const std::vector<std::string>& mounts) {
  return "Read-only inside, because something else is mounted there: " + first_few(mounts) +
         ". If commands should write to one, the owner can add its path to sandbox.writable.";
}

// What is private to the sandbox goes with it, and is no place of the machine.
std::vector<std::string> open_places_in(const MountPlan& plan) {
  if (!plan.read_only_root) return {"/"};
  std::vector<std::string> places;
  for (const MountStep& step : plan.steps) {
    if (step.kind == MountKind::bind && step.writable) places.push_back(step.source);
  }
  return places;
}

// From the workspace.
std::vector<std::string> read_only_below(const ViewFacts& facts) {
  std::vector<std::string> names;
  for (const std::string& path : facts.protected_paths.read_only) {
    if (path != facts.workspace && is_within(path, facts.workspace))
      names.push_back(path.substr(facts.workspace.size() + 1));
  }
  return names;
}

// What the guard of this sandbox does about names that make other programs run something; null where there is none.
Json watched_by(const SandboxPlan& plan) {
  if (!plan.request.guard) return nullptr;
  JsonObject names;
  for (const Danger& danger : danger_table()) {
    Json& list = names[name_of(danger.kind)];
    if (!list.is_array()) list = JsonArray();
    list.get_array().emplace_back(danger.pattern);
  }
  for (const std::string& name : plan.request.guard->protected_names) names["locked"].get_array().emplace_back(name);
  const Quarantine::Limits limits;
  names["quarantine"] = JsonObject{
      {"folder", plan.request.guard->quarantine}, {"most_items", limits.most_items}, {"most_bytes", limits.most_bytes}};
  return names;
}

}  // namespace

Result<Profile> profile_for(const SandboxSettings& settings, const SandboxWish& wish, const std::string& home) {
  ProfileChoice choice;
  choice.profile = wish.profile.empty() ? settings.profile : wish.profile;
  choice.network = wish.network.empty() ? settings.network : wish.network;
  choice.readable = settings.readable;
  choice.writable = settings.writable;
  choice.protected_names = settings.protected_names;
  choice.custom = settings.custom_profiles;
  choice.home = home;
  return choose_profile(choice);
}

JsonObject sandbox_field(const Profile& profile, const Probe& probe) {
  JsonObject field{{"tier", 1}, {"profile", profile.name}, {"network", name_of(profile.network)}};
  JsonArray missing;
  std::vector<std::string> reasons;
  for (const Capability& one : probe.capabilities) {
    if (one.ok) continue;
    missing.push_back(Json(one.name));
    reasons.push_back(one.name + ": " + one.detail);
  }
  if (probe.landlock_abi > 0 && probe.landlock_abi < landlock_with_scopes) {
    missing.push_back(Json("landlock_scopes"));
    reasons.push_back("landlock_scopes: version " + std::to_string(probe.landlock_abi) +
                      " of Landlock does not know signals and abstract sockets; namespaces still keep them apart");
  }
  field["missing"] = std::move(missing);
  if (!reasons.empty()) field["reason"] = join(reasons, "; ");
  return field;
}

Result<SandboxPlan> plan_sandbox(const SandboxQuestion& question) {
  TRY(require(question.probe, question.profile.kind));
  const Identity identity = TRY(identity_for(question));
  Profile profile = question.profile;
  FactsQuestion ask;
  ask.workspace = question.workspace;
  ask.environment = question.environment;
  ask.own_home = question.home.root;
  ask.own_runtime = question.home.runtime;
  ask.own_programs = question.programs;
  ask.library = question.library;
  ask.shown = question.shown;
  const MachineFacts facts = TRY(look_at_machine(ask, identity, profile));
  SessionPlan session = TRY(plan_session(profile, identity, facts, space_limits(question.probe)));

  SandboxPlan plan;
  plan.steps = steps_for(session);
  plan.library = session.view.library;
  plan.environment = session.view.environment;
  if (profile.network == NetworkMode::off) plan.defaults.insert(offline_variables.begin(), offline_variables.end());
  plan.cwd = session.command.cwd;
  plan.open_places = open_places_in(session.view.mounts);
  plan.field = sandbox_field(profile, question.probe);
  plan.notes = session.view.notes;
  if (!facts.view.protected_paths.complete) {
    plan.first_notes.push_back(
        "The workspace has more files than are searched for protected names; the others are watched instead.");
  }
  if (!session.foreign.empty()) plan.first_notes.push_back(foreign_note(session.foreign));
  if (!session.view.closed_mounts.empty()) plan.first_notes.push_back(closed_mounts_note(session.view.closed_mounts));
  plan.view = std::move(session.view);
  session.command.argv = {"/bin/sh"};  // every command brings its own
  if (profile.kind == ProfileKind::workspace_write && plan.view.workspace_writable) {
    plan.steps.emplace_back("guard");
    plan.request.guard = GuardOrder{facts.view.workspace,
                                    question.home.quarantine(),
                                    question.space.substr(0, question.space.find('-')),
                                    profile.protected_names,
                                    read_only_below(facts.view),
                                    facts.view.home,
                                    facts.view.git_directory.value_or(""),
                                    facts.view.protected_paths.read_only,
                                    question.home.commits()};
  }
  plan.request.space = question.space;
  plan.request.plan = std::move(session.space);
  plan.request.command = std::move(session.command);
  plan.request.profile = std::move(profile);
  plan.request.workspace = question.workspace;
  plan.request.cgroups = question.probe.has("cgroups");
  return plan;
}

bool is_there_anyway(const SandboxPlan& plan, const ShownPath& path) {
  if (path.source != path.target) return false;
  const bool is_workspace = plan.view.workspace_shown && path.target == plan.request.workspace;
  return is_workspace || is_in_writable_place(plan.view, path.target);
}

JsonObject explain(const SandboxPlan& plan, const std::vector<ShownPath>& shown) {
  const Profile& profile = plan.request.profile;
  JsonArray hidden, readable, protected_paths;
  for (const MountStep& step : plan.view.mounts.steps) {
    const bool covers = step.kind == MountKind::hide || (step.kind == MountKind::tmpfs && step.sealed);
    if (covers) hidden.push_back(Json(step.target));
    if (step.kind == MountKind::bind && !step.writable) readable.push_back(Json(step.target));
    const bool inside = is_within(step.target, plan.request.workspace);
    if (step.kind == MountKind::mirror && !step.writable && inside) protected_paths.push_back(Json(step.target));
  }
  for (const ShownPath& path : shown) {
    if (!is_there_anyway(plan, path)) readable.push_back(Json(path.target));
  }
  JsonObject environment;
  for (const Environment* part : {&plan.defaults, &plan.environment}) {
    for (const auto& [name, value] : *part) environment[name] = value;
  }
  JsonObject all = plan.field;
  all["base"] = name_of(profile.kind);
  all["workspace"] = plan.request.workspace;
  all["workspace_writable"] = plan.view.workspace_writable;
  all["hidden"] = std::move(hidden);
  all["readable"] = std::move(readable);
  all["writable"] = JsonArray(plan.view.writable.begin(), plan.view.writable.end());
  all["protected"] = std::move(protected_paths);
  all["watched"] = watched_by(plan);
  all["environment"] = std::move(environment);
  all["limits"] = to_json(profile).at("limits");
  std::vector<std::string> notes = plan.notes;
  notes.insert(notes.end(), plan.first_notes.begin(), plan.first_notes.end());
  all["notes"] = JsonArray(notes.begin(), notes.end());
  all["uid"] = plan.request.plan.identity.uid;
  return all;
}

}  // namespace talaria
