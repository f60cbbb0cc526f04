#include "api/sandbox_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(SandboxWordsTest, ADescriptionSaysWhereCommandsRun) {
  EXPECT_EQ(where_commands_run({}, "/home/ada"),
            "Runs in a sandbox: the workspace is writable, home and /tmp are private, the network is off.");
}

TEST(SandboxWordsTest, ADescriptionGoesByTheConfiguration) {
  Settings settings;
  settings.sandbox.profile = "read-only";
  settings.sandbox.network = "on";
  EXPECT_EQ(where_commands_run(settings, "/home/ada"),
            "Runs in a sandbox: the workspace is read-only, home and /tmp are private, the network is on.");
  settings.sandbox.custom_profiles["mine"] = JsonObject{{"readable", JsonArray{"~/data"}}};
  settings.sandbox.profile = "mine";
  EXPECT_EQ(where_commands_run(settings, "/home/ada"),
            "Runs in a sandbox: the workspace is writable, home and /tmp are private, the network is on.");
  settings.sandbox.profile = "full";
  EXPECT_EQ(where_commands_run(settings, "/home/ada"), "Runs in a sandbox with the machine's files and network.");
  settings.exec.host = "gateway";
  EXPECT_EQ(where_commands_run(settings, "/home/ada"), "Runs on the plain host, outside any sandbox.");
}

TEST(SandboxWordsTest, ADescriptionPromisesNothingWhereNothingCanRun) {
  Settings settings;
  settings.sandbox.profile = "no such";
  EXPECT_EQ(where_commands_run(settings, "/home/ada"), "");
  settings.exec.host = "node";
  settings.sandbox.profile = "full";
  EXPECT_EQ(where_commands_run(settings, "/home/ada"), "");
}

TEST(SandboxWordsTest, OfATriedNetworkItSaysWhatWorks) {
  JobDetails details;
  EXPECT_EQ(sandbox_notes(details), std::vector<std::string>());
  EXPECT_EQ(sandbox_paragraphs(details), "");
  details.network_tried = NetworkTried::itself;
  EXPECT_EQ(sandbox_notes(details),
            std::vector<std::string>({"The network is off in this sandbox, and the command tried to reach it. If it is "
                                      "needed, ask the person to set sandbox.network: on in the configuration."}));
  details.may_leave = true;
  details.network_tried = NetworkTried::shared;
  EXPECT_EQ(sandbox_paragraphs(details),
            "\n\n(The network is off in this sandbox, and a command of this session tried to reach it meanwhile. If it "
            "is needed, run the command with exec and host=gateway.)");
}

TEST(SandboxWordsTest, OfFilesThatGoWithTheSessionItNamesAFew) {
  JobDetails details;
  details.private_files = {"/home/ada/a\nb", "/tmp/2", "/tmp/3", "/tmp/4"};
  EXPECT_EQ(sandbox_notes(details),
            std::vector<std::string>({"Made in the sandbox's private home or /tmp, which go with the session: "
                                      "/home/ada/a\\nb, /tmp/2, /tmp/3 and 1 more. What should stay belongs in the "
                                      "workspace."}));
}

TEST(SandboxWordsTest, AFileSaysWhereItWasWritten) {
  View view;
  const auto add = [&](MountKind kind, const std::string& target, const std::string& source = "") {
    MountStep step;
    step.kind = kind;
    step.target = target;
    step.source = source;
    step.writable = true;
    view.mounts.steps.push_back(step);
  };
  view.environment["HOME"] = "/home/ada";
  add(MountKind::tmpfs, "/tmp");
  add(MountKind::mirror, "/var/tmp", "/tmp");
  add(MountKind::tmpfs, "/home/ada");
  add(MountKind::bind, "/home/ada/project", "/home/ada/project");
  EXPECT_EQ(private_file_note(view, "/home/ada/report.md", "~/report.md"),
            "~/report.md is in the sandbox's private home, not in the person's, and goes with the session; what should "
            "stay belongs in the workspace");
  for (const char* path : {"/tmp/x", "/var/tmp/x"}) {
    EXPECT_EQ(private_file_note(view, path, path), std::string(path) +
                                                       " is in the sandbox's private /tmp and goes with the session; "
                                                       "what should stay belongs in the workspace");
  }
  EXPECT_EQ(private_file_note(view, "/home/ada/project/x", "x"), "");
  EXPECT_EQ(private_file_note(view, "/srv/x", "x"), "");
  view.workspace_shown = false;
  EXPECT_THAT(private_file_note(view, "/home/ada/x", "x"),
              testing::EndsWith("; to keep files, start the session in a project directory"));
}

TEST(SandboxWordsTest, WhoMayLeaveTheSandboxIsConfigured) {
  ExecSettings settings;
  EXPECT_TRUE(may_leave_sandbox(settings));
  settings.security = "deny";
  EXPECT_FALSE(may_leave_sandbox(settings));
  settings = {};
  settings.host = "sandbox";
  EXPECT_FALSE(may_leave_sandbox(settings));
}

}  // namespace
}  // namespace talaria
