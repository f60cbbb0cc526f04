#include "api/sandbox_words.h"

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

}  // namespace
}  // namespace talaria
