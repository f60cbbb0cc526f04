#include "api/exec_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {
namespace {

using testing::HasSubstr;

ExecArguments running(const std::string& command) {
  ExecArguments arguments;
  arguments.command = command;
  return arguments;
}

std::string refusal(const ExecArguments& arguments, const ExecSettings& settings) {
  Result<ExecPlan> plan = plan_exec(arguments, settings, "/", {});
  return plan ? "no refusal" : plan.error().message();
}

TEST(ExecPlanTest, TheDefaultsRunEverythingInTheSandbox) {
  const Result<ExecPlan> plan = plan_exec(running("true"), ExecSettings(), "/tmp", {});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->host, Host::sandbox);
  EXPECT_EQ(plan->security, Security::full);
  EXPECT_EQ(plan->ask, Ask::off);
  EXPECT_EQ(plan->workdir, "/tmp");
  EXPECT_EQ(plan->timeout_seconds, 1800);
  EXPECT_EQ(plan->yield_ms, 10'000);
}

TEST(ExecPlanTest, TheSandboxHasAPolicyOfItsOwn) {
  ExecSettings settings;
  settings.security = "deny";
  EXPECT_EQ(plan_exec(running("true"), settings, "/", {})->security, Security::full);
  settings.sandbox.security = "deny";
  settings.sandbox.ask = "always";
  settings.security = "full";
  EXPECT_EQ(plan_exec(running("true"), settings, "/", {})->security, Security::deny);
  EXPECT_EQ(plan_exec(running("true"), settings, "/", {})->ask, Ask::always);
}

TEST(ExecPlanTest, ADirectoryOfTheSandboxNeedNotBeThereOutside) {
  ExecArguments arguments = running("true");
  arguments.workdir = "made-inside";
  EXPECT_EQ(plan_exec(arguments, {}, "/tmp/nowhere", {})->workdir, "/tmp/nowhere/made-inside");
  arguments.host = Host::gateway;
  EXPECT_THAT(plan_exec(arguments, {}, "/tmp/nowhere", {}).error().message(), HasSubstr("does not exist"));
}

TEST(ExecPlanTest, ACallOnlyTightens) {
  ExecArguments arguments = running("true");
  arguments.host = Host::gateway;
  ExecSettings settings;
  settings.security = "deny";
  arguments.security = Security::full;
  EXPECT_EQ(plan_exec(arguments, settings, "/", {})->security, Security::deny);
  settings.security = "full";
  arguments.security = Security::deny;
  arguments.ask = Ask::always;
  EXPECT_EQ(plan_exec(arguments, settings, "/", {})->security, Security::deny);
  EXPECT_EQ(plan_exec(arguments, settings, "/", {})->ask, Ask::always);
}

TEST(ExecPlanTest, RefusesHostsThatAreNotThere) {
  ExecArguments arguments = running("true");
  arguments.host = Host::node;
  EXPECT_THAT(refusal(arguments, {}), HasSubstr("host=node is not available"));
}

TEST(ExecPlanTest, ACallCannotLeaveTheConfiguredHost) {
  ExecArguments arguments = running("true");
  arguments.host = Host::gateway;
  ExecSettings settings;
  settings.host = "sandbox";
  EXPECT_THAT(refusal(arguments, settings),
              HasSubstr("exec host not allowed (requested gateway; configured host is sandbox"));
}

TEST(ExecPlanTest, ElevatedNamesTheSwitchesThatAreOff) {
  ExecArguments arguments = running("true");
  arguments.elevated = true;
  ExecSettings settings;
  EXPECT_THAT(refusal(arguments, settings), HasSubstr("elevated is not available right now: exec.elevated.enabled and "
                                                      "exec.elevated.allowed are false"));
  settings.elevated.enabled = true;
  EXPECT_THAT(refusal(arguments, settings), HasSubstr("exec.elevated.allowed is false"));
  settings.elevated.allowed = true;
  settings.elevated.mode = "ask";
  EXPECT_THAT(refusal(arguments, settings), HasSubstr("cannot ask a person"));
}

TEST(ExecPlanTest, ElevatedForcesTheGatewayAndFullLiftsTheModes) {
  ExecArguments arguments = running("true");
  arguments.elevated = true;
  arguments.host = Host::sandbox;
  ExecSettings settings;
  settings.security = "allowlist";
  settings.ask = "always";
  settings.elevated = {true, true, "on", "none"};
  EXPECT_EQ(plan_exec(arguments, settings, "/", {})->host, Host::gateway);
  EXPECT_EQ(plan_exec(arguments, settings, "/", {})->security, Security::allowlist);
  settings.elevated.mode = "full";
  settings.elevated.via = "sudo";
  const Result<ExecPlan> plan = plan_exec(arguments, settings, "/", {});
  EXPECT_EQ(plan->security, Security::full);
  EXPECT_EQ(plan->ask, Ask::off);
  EXPECT_TRUE(plan->through_sudo);
}

TEST(ExecPlanTest, RunsInTheForegroundAndSaysSoWhenTheBackgroundIsForbidden) {
  ExecArguments arguments = running("true");
  arguments.background = true;
  ExecSettings settings;
  settings.allow_background = false;
  const Result<ExecPlan> plan = plan_exec(arguments, settings, "/", {});
  EXPECT_FALSE(plan->background);
  ASSERT_EQ(plan->notes.size(), 1u);
  EXPECT_THAT(plan->notes[0], HasSubstr("exec.allow_background is false"));
}

TEST(FindProgramTest, LooksOnlyInAbsoluteFolders) {
  EXPECT_EQ(find_program("sh", ":.:/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program", "/bin:/usr/bin"), "");
}

TEST(ExecPlanTest, HintsAtSudoOnlyWhenAnElevatedCommandLackedRoot) {
  ExecPlan plan;
  EXPECT_EQ(elevation_hint(plan, 1000, 1), "");
  plan.elevated = true;
  EXPECT_THAT(elevation_hint(plan, 1000, 1), HasSubstr("exec.elevated.via: sudo"));
  EXPECT_EQ(elevation_hint(plan, 1000, 0), "");
  EXPECT_EQ(elevation_hint(plan, 0, 1), "");
  plan.through_sudo = true;
  EXPECT_EQ(elevation_hint(plan, 1000, 1), "");
}

}  // namespace
}  // namespace talaria
