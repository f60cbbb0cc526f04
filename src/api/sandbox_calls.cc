#include "api/sandbox_calls.h"

#include <unistd.h>

#include "api/doctor.h"
#include "api/later.h"
#include "api/skill_grants.h"
#include "base/text.h"

namespace talaria {
namespace {

std::string home_of(Parts& parts) {
  const auto found = parts.environment.own().find("HOME");
  return found == parts.environment.own().end() ? "/" : found->second;
}

// Who a command is inside, as one sentence.
std::string identity_sentence(const SandboxSettings& settings, const Probe& probe) {
  if (::geteuid() != 0) return "Commands run as user " + std::to_string(::geteuid()) + ", without capabilities.";
  if (settings.root_identity == "same")
    return "Commands run as root without capabilities (sandbox.root_identity: same).";
  if (!probe.has("owner_mapping"))
    return "None: as root a sandbox needs owner_mapping, or sandbox.root_identity: same.";
  return "Commands run as an unprivileged user from " + std::to_string(settings.first_id) +
         " on; what they make belongs to the workspace's owner outside.";
}

JsonArray profiles_in(const SandboxSettings& settings, const Probe& probe, const std::string& home) {
  JsonArray list;
  std::vector<std::string> names = {"read-only", "workspace-write", "full"};
  for (const auto& custom : settings.custom_profiles) names.emplace_back(custom.key());
  for (const std::string& name : names) {
    const Result<Profile> profile = profile_for(settings, {name, ""}, home);
    const Result<> holds = profile ? require(probe, profile->kind) : Result<>(profile.error());
    list.push_back(JsonObject{
        {"name", name}, {"holds", static_cast<bool>(holds)}, {"reason", holds ? "" : holds.error().message()}});
  }
  return list;
}

class ProbeCall : public Operation {
 public:
  ProbeCall(Parts& parts, Done<JsonObject> done) : parts_(parts), done_(std::move(done)) {}

  void begin() {
    Result<std::shared_ptr<const Settings>> settings = parts_.settings.current();
    if (!settings) return answer_soon(settings.error());
    settings_ = *std::move(settings);
    probing_ = parts_.sandboxes.probe(settings_->sandbox.without, home_of(parts_), [this](Result<Probe> probe) {
      answer_soon(probe ? Result<JsonObject>(shown(*probe)) : Result<JsonObject>(probe.error()));
    });
  }

 private:
  JsonObject shown(const Probe& probe) const {
    JsonObject all{{"capabilities", to_json(probe).at("capabilities")},
                   {"profiles", profiles_in(settings_->sandbox, probe, home_of(parts_))},
                   {"identity", identity_sentence(settings_->sandbox, probe)},
                   {"limits", probe.has("cgroups") ? "cgroups" : "rlimits and watchdog"}};
    return all;
  }

  void answer_soon(Result<JsonObject> result) {
    later_ = Later(parts_.loop, [this, result = std::move(result)] {
      const Done<JsonObject> done = std::move(done_);
      done(result);
    });
  }

  Parts& parts_;
  Done<JsonObject> done_;
  std::shared_ptr<const Settings> settings_;
  Sandboxes::ProbeWaiter probing_;
  Later later_;
};

class ExplainCall : public Operation {
 public:
  ExplainCall(Parts& parts, SessionRow session, SandboxWish wish, Done<JsonObject> done)
      : parts_(parts),
        session_(std::move(session)),
        wish_(std::move(wish)),
        done_(std::move(done)),
        granting_(parts, session_) {}

  void begin() {
    const SharedEnvironment known = parts_.environment.known();
    if (known) return with_environment(known);
    waiting_ = parts_.environment.when_known([this] { begin(); });
  }

 private:
  void with_environment(const SharedEnvironment& environment) {
    Result<std::shared_ptr<const Settings>> settings = parts_.settings.current();
    if (!settings) return answer_soon(settings.error());
    granting_.find(*settings, environment, [this, settings = *settings, environment](const SkillGrants& grants) {
      preparing_ = parts_.sandboxes.plan(
          {session_, wish_, settings, environment},
          [this, shown = grants.shown](const Result<SharedSandboxPlan>& plan) {
            answer_soon(plan ? Result<JsonObject>(explain(**plan, shown)) : Result<JsonObject>(plan.error()));
          });
    });
  }

  void answer_soon(Result<JsonObject> result) {
    later_ = Later(parts_.loop, [this, result = std::move(result)] {
      const Done<JsonObject> done = std::move(done_);
      done(result);
    });
  }

  Parts& parts_;
  SessionRow session_;
  SandboxWish wish_;
  Done<JsonObject> done_;
  LoginEnvironment::Waiter waiting_;
  GrantFinder granting_;
  Sandboxes::Waiter preparing_;
  Later later_;
};

JsonObject check_of(const Capability& one) {
  std::string name = one.name;
  for (char& c : name) c = c == '_' ? ' ' : c;
  // Limits hold without cgroups too, less exactly: nothing to worry about.
  const char* state = one.ok ? "ok" : one.name == "cgroups" ? "ok" : "warning";
  JsonObject check{{"name", "sandbox: " + name}, {"state", state}, {"detail", one.detail}};
  if (one.name == "cgroups" && !one.ok)
    check["detail"] = "not used (" + one.detail + "): rlimits and a watchdog hold the limits";
  if (!one.ok && !one.fix.empty()) check["fix"] = one.fix;
  return check;
}

class DoctorCall : public Operation {
 public:
  DoctorCall(Parts& parts, Done<JsonArray> done) : parts_(parts), done_(std::move(done)) {}

  void begin() {
    const SandboxSettings& settings = parts_.settings.last_good().sandbox;
    probing_ = parts_.sandboxes.probe(settings.without, home_of(parts_),
                                      [this](const Result<Probe>& probe) { finish(probe); });
  }

 private:
  void finish(const Result<Probe>& probe) {
    JsonArray checks = examine(parts_);
    if (!probe) {
      checks.push_back(JsonObject{{"name", "sandbox"}, {"state", "error"}, {"detail", probe.error().message()}});
    } else {
      checks.push_back(verdict(*probe));
      for (const Capability& one : probe->capabilities) checks.push_back(check_of(one));
    }
    later_ = Later(parts_.loop, [this, checks = std::move(checks)] {
      const Done<JsonArray> done = std::move(done_);
      done(checks);
    });
  }

  JsonObject verdict(const Probe& probe) {
    if (const auto current = parts_.settings.current(); !current) {
      return {{"name", "sandbox"}, {"state", "error"}, {"detail", current.error().message()}};
    }
    const SandboxSettings& settings = parts_.settings.last_good().sandbox;
    const Result<Profile> profile = profile_for(settings, {}, home_of(parts_));
    Result<> holds = profile ? require(probe, profile->kind) : Result<>(profile.error());
    const bool nobody = ::geteuid() == 0 && settings.root_identity == "mapped" && !probe.has("owner_mapping");
    if (holds && nobody && profile->kind != ProfileKind::full) {
      holds = Error(ErrorCode::denied,
                    "as root: " + probe.of("owner_mapping").detail + ". Fix: " + probe.of("owner_mapping").fix);
    }
    if (!holds) {
      return {{"name", "sandbox"},
              {"state", "error"},
              {"detail", "commands with host=sandbox are refused: " + holds.error().message()},
              {"fix", "the lines below say what is missing; until then host=gateway runs without a sandbox"}};
    }
    return {{"name", "sandbox"},
            {"state", "ok"},
            {"detail", "profile " + profile->name + ", network " + std::string(name_of(profile->network)) + ". " +
                           identity_sentence(settings, probe)}};
  }

  Parts& parts_;
  Done<JsonArray> done_;
  Sandboxes::ProbeWaiter probing_;
  Later later_;
};

}  // namespace

OperationPtr start_sandbox_probe(Parts& parts, Done<JsonObject> done) {
  auto call = std::make_unique<ProbeCall>(parts, std::move(done));
  call->begin();
  return call;
}

OperationPtr start_sandbox_explain(Parts& parts, SessionRow session, SandboxWish wish, Done<JsonObject> done) {
  auto call = std::make_unique<ExplainCall>(parts, std::move(session), std::move(wish), std::move(done));
  call->begin();
  return call;
}

OperationPtr start_doctor(Parts& parts, Done<JsonArray> done) {
  auto call = std::make_unique<DoctorCall>(parts, std::move(done));
  call->begin();
  return call;
}

}  // namespace talaria
