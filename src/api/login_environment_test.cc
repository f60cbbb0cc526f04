#include "api/login_environment.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using namespace std::string_literals;

TEST(LoginEnvironmentTest, TakesWhatStandsBetweenTheMarkers) {
  const std::string output = "welcome back!\nmark\0A=1\0B=two\nlines\0mark\0logout\n"s;
  EXPECT_EQ(*environment_between("mark", output), (Environment{{"A", "1"}, {"B", "two\nlines"}}));
}

TEST(LoginEnvironmentTest, SaysWhenTheShellDidNotGetThatFar) {
  EXPECT_FALSE(environment_between("mark", "no such file\n"));
  EXPECT_FALSE(environment_between("mark", "mark\0A=1\0"s));
}

TEST(LoginEnvironmentTest, KeepsOnlyWhatTheShellAdded) {
  const Environment base = {{"PATH", "/bin"}, {"HOME", "/root"}, {"PWD", "/"}};
  const Environment shell = {{"PATH", "/opt/bin:/bin"}, {"HOME", "/root"},    {"PWD", "/root"}, {"SHLVL", "1"},
                             {"EDITOR", "vi"},          {"_", "/usr/bin/env"}};
  EXPECT_EQ(added_by_shell(base, shell), (Environment{{"PATH", "/opt/bin:/bin"}, {"EDITOR", "vi"}}));
}

TEST(LoginEnvironmentTest, AdditionsSurviveTheirFile) {
  const ShellAdditions additions{
      "/bin/bash", "/bin:/usr/bin", {{"/etc/profile", 12, 345}, {"/root/.bashrc", -1, 0}}, {{"A", "ü"}, {"B", ""}}};
  EXPECT_EQ(shell_additions_from(to_json(additions)), additions);
  EXPECT_EQ(shell_additions_from({{"variables", {{"A", 1}}}, {"files", JsonArray()}}), std::nullopt);
  EXPECT_EQ(shell_additions_from({}), std::nullopt);
}

}  // namespace
}  // namespace talaria
