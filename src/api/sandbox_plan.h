#pragma once
#include <memory>
#include <string>
#include <vector>

#include "api/sandbox_wish.h"
#include "config/settings.h"
#include "json/json.h"
#include "keeper/client.h"
#include "os/home.h"
#include "process/environment.h"
#include "sandbox/probe.h"
#include "sandbox/profile.h"
#include "sandbox/shown_path.h"

namespace talaria {

// Everything that is decided about the sandbox of one session, ready to be made.
struct SandboxPlan {
  SpaceRequest request;
  std::vector<std::string> steps;  // that must confine every command
  View view;
  std::string library;                   // the directory with hermes_tools and what goes with it, as seen inside
  Environment environment;               // where things are inside: HOME, TMPDIR, …
  Environment defaults;                  // what variables are that nobody has set
  std::string cwd;                       // where commands start that cannot start where they were asked to
  std::vector<std::string> open_places;  // of the machine, that commands can write in
  JsonObject field;                      // `sandbox` in results
  std::vector<std::string> notes;        // for every result
  std::vector<std::string> first_notes;  // for the first one
};
using SharedSandboxPlan = std::shared_ptr<const SandboxPlan>;

// What to plan from.
struct SandboxQuestion {
  std::string space;  // the keeper's name for it
  std::string workspace;
  Profile profile;
  RootIdentity root_identity = RootIdentity::mapped;
  uint32_t first_id = 64'000;
  uint32_t ids = 1000;
  uint32_t slot = 0;
  Environment environment;  // the login environment: HOME, PATH, VIRTUAL_ENV …
  Home home;
  std::string programs;            // the directory of ours
  std::string library;             // theirs, on the machine; empty: none
  std::vector<std::string> shown;  // further things it sees, read-only
  Probe probe;
};

// The profile that settings and a wish come to. `home` is the person's.
Result<Profile> profile_for(const SandboxSettings& settings, const SandboxWish& wish, const std::string& home);

// Looks at the machine, so it takes milliseconds: for a worker.
Result<SandboxPlan> plan_sandbox(const SandboxQuestion& question);

// `sandbox` of a result: {tier, profile, network, missing[], reason?}.
JsonObject sandbox_field(const Profile& profile, const Probe& probe);

// Whether commands have it without a mount of its own, which would be read-only: a session may work on what it loaded.
bool is_there_anyway(const SandboxPlan& plan, const ShownPath& path);

// For a person: what a command in it sees, writes and reaches. `shown` is what it shows beside its view.
JsonObject explain(const SandboxPlan& plan, const std::vector<ShownPath>& shown = {});

}  // namespace talaria
