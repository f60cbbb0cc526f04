#include "api/script_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ScriptVariables usual() {
  ScriptVariables from;
  from.login = {{"PATH", "/usr/bin"}, {"HOME", "/home/me"}, {"EDITOR", "vi"}, {"GITHUB_TOKEN", "login-token"}};
  from.python_directory = "/lib/python";
  return from;
}

TEST(ScriptEnvironmentTest, ProgramsGetTheUsualVariablesAndOurModule) {
  ScriptVariables from = usual();
  from.own = {{"TALARIA_HOME", "/home/me/.talaria"}, {"TALARIA_JOB", "x"}, {"OPENAI_API_KEY", "k"}};
  EXPECT_EQ(script_environment_of(from), (ScriptEnvironment{{{"PATH", "/usr/bin"},
                                                             {"HOME", "/home/me"},
                                                             {"TALARIA_HOME", "/home/me/.talaria"},
                                                             {"PYTHONPATH", "/lib/python"}},
                                                            {},
                                                            {}}));
}

TEST(ScriptEnvironmentTest, TheUsersModulesComeAfterOurs) {
  ScriptVariables from = usual();
  from.login["PYTHONPATH"] = "/mine:/other";
  EXPECT_EQ(script_environment_of(from).variables.at("PYTHONPATH"), "/lib/python:/mine:/other");
}

TEST(ScriptEnvironmentTest, WhatTheSessionExportedCountsForPassedNamesOnly) {
  ScriptVariables from = usual();
  from.login["TZ"] = "UTC";
  from.login["VIRTUAL_ENV"] = "/old";
  from.shell.exported = {{"VIRTUAL_ENV", "/new"}, {"SECRET_TOKEN", "s"}, {"LD_PRELOAD", "x.so"}, {"FOO", "bar"}};
  from.shell.unset = {"TZ"};
  EXPECT_EQ(script_environment_of(from).variables,
            (Environment{
                {"PATH", "/usr/bin"}, {"HOME", "/home/me"}, {"VIRTUAL_ENV", "/new"}, {"PYTHONPATH", "/lib/python"}}));
}

TEST(ScriptEnvironmentTest, ASessionsValueComesBeforeTheStoredOneAndThatBeforeTheLogins) {
  ScriptVariables from = usual();
  from.passed = {"GITHUB_TOKEN", "NOTION_TOKEN", "TEAM"};
  from.login["NOTION_TOKEN"] = "login-notion";
  from.login["TEAM"] = "login-team";
  from.stored = {{"NOTION_TOKEN", "stored-notion"}, {"TEAM", "stored-team"}};
  from.shell.exported = {{"TEAM", "session-team"}};
  const ScriptEnvironment made = script_environment_of(from);
  const Environment passed = {
      {"GITHUB_TOKEN", "login-token"}, {"NOTION_TOKEN", "stored-notion"}, {"TEAM", "session-team"}};
  Environment all = passed;
  all.insert({{"PATH", "/usr/bin"}, {"HOME", "/home/me"}, {"PYTHONPATH", "/lib/python"}});
  EXPECT_EQ(made, (ScriptEnvironment{all, {}, passed}));
}

TEST(ScriptEnvironmentTest, InTheSandboxItsViewSaysWhereThingsAre) {
  ScriptVariables from = usual();
  from.passed = {"HOME"};
  from.shell.exported = {{"HOME", "/elsewhere"}, {"TMPDIR", "/elsewhere"}};
  from.inside = {{"HOME", "/home/inside"}, {"TMPDIR", "/tmp"}};
  EXPECT_EQ(script_environment_of(from),
            (ScriptEnvironment{
                {{"PATH", "/usr/bin"}, {"HOME", "/home/inside"}, {"TMPDIR", "/tmp"}, {"PYTHONPATH", "/lib/python"}},
                {},
                {}}));
}

TEST(ScriptEnvironmentTest, ANameThatIsNotPassedIsSaid) {
  ScriptVariables from = usual();
  from.passed = {"NOWHERE", "ANTHROPIC_API_KEY", "PYTHONSTARTUP", "NOWHERE", "PATH"};
  from.login["ANTHROPIC_API_KEY"] = "k";
  from.stored = {{"PYTHONSTARTUP", "/x.py"}};
  const ScriptEnvironment made = script_environment_of(from);
  EXPECT_THAT(made.notes, ElementsAre(HasSubstr("'ANTHROPIC_API_KEY' is not passed to programs: it is a credential"),
                                      HasSubstr("'PYTHONSTARTUP' is not passed to programs: it injects code")));
  EXPECT_EQ(made.variables, (Environment{{"PATH", "/usr/bin"}, {"HOME", "/home/me"}, {"PYTHONPATH", "/lib/python"}}));
}

class StoredVariablesTest : public testing::Test {
 protected:
  StoredVariablesTest() : home_(testing::TempDir() + "stored." + std::to_string(::getpid())) {
    EXPECT_TRUE(make_directories(home_));
  }
  ~StoredVariablesTest() override { (void)remove_tree(home_); }

  void write(const std::string& text, mode_t mode = 0600) {
    EXPECT_TRUE(write_file_atomically(home_ + "/.env", text, mode, Durable::no));
    EXPECT_EQ(::chmod((home_ + "/.env").c_str(), mode), 0);
  }

  std::string home_;
};

TEST_F(StoredVariablesTest, OnlyWhatIsNamedAndMayBePassedIsTaken) {
  write("NOTION_TOKEN=abc\nOTHER=x\nOPENAI_API_KEY=k\nLD_PRELOAD=x.so\n");
  const StoredVariables stored =
      stored_variables(home_, {"NOTION_TOKEN", "NOTION_TOKEN", "OPENAI_API_KEY", "LD_PRELOAD", "MISSING"});
  EXPECT_EQ(stored.variables, (Environment{{"NOTION_TOKEN", "abc"}}));
  EXPECT_THAT(stored.notes, ElementsAre());
}

TEST_F(StoredVariablesTest, AFileThatOthersCanReadIsNotUsed) {
  write("NOTION_TOKEN=abc\n", 0644);
  const StoredVariables stored = stored_variables(home_, {"NOTION_TOKEN"});
  EXPECT_EQ(stored.variables, Environment{});
  EXPECT_THAT(stored.notes, ElementsAre(HasSubstr("can be read by others; run: chmod 600")));
  EXPECT_THAT(stored_variables(home_, {}).notes, ElementsAre());
}

TEST_F(StoredVariablesTest, AValueNoProgramCanReceiveIsLeftOut) {
  write("BIG=" + std::string(200'000, 'x') + "\nSMALL=y\n");
  const StoredVariables stored = stored_variables(home_, {"BIG", "SMALL"});
  EXPECT_EQ(stored.variables, (Environment{{"SMALL", "y"}}));
  EXPECT_THAT(stored.notes, ElementsAre(HasSubstr("'BIG' is not passed from .env")));
}

TEST_F(StoredVariablesTest, WithoutAFileThereIsNothingToSay) {
  const StoredVariables stored = stored_variables(home_, {"NOTION_TOKEN"});
  EXPECT_EQ(stored.variables, Environment{});
  EXPECT_THAT(stored.notes, ElementsAre());
}

}  // namespace
}  // namespace talaria
