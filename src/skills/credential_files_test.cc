#include "skills/credential_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/load_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

CredentialState state_of(const LoadTrial& trial, const std::string& path) {
  return credential_state({{path, ""}}, trial.folder());
}

TEST(CredentialFilesTest, FindsThoseThatAreThere) {
  const LoadTrial trial;
  trial.put("google_token.json", "{}");
  trial.put("oauth/x/token.json", "{}");
  trial.link("linked.json", "oauth/x/token.json");
  const CredentialNeed missing{"google_client_secret.json", "client credentials"};
  const CredentialState state = credential_state(
      {{"google_token.json", "t"}, missing, {"./oauth//x/token.json", ""}, {"linked.json", ""}}, trial.folder());
  EXPECT_EQ(state, (CredentialState{
                       {{"google_token.json", trial.path("google_token.json"), trial.path("google_token.json")},
                        {"oauth/x/token.json", trial.path("oauth/x/token.json"), trial.path("oauth/x/token.json")},
                        {"linked.json", trial.path("linked.json"), trial.path("oauth/x/token.json")}},
                       {missing},
                       {}}));
}

TEST(CredentialFilesTest, AFileMadeMeanwhileCounts) {
  const LoadTrial trial;
  EXPECT_EQ(state_of(trial, "token.json").missing.size(), 1u);
  trial.put("token.json", "");
  EXPECT_EQ(state_of(trial, "token.json").present.size(), 1u);
}

TEST(CredentialFilesTest, WithoutAHomeAllAreMissing) {
  const LoadTrial trial;
  EXPECT_EQ(credential_state({{"a", ""}}, trial.path("gone")).missing.size(), 1u);
}

TEST(CredentialFilesTest, RefusesPathsThatLeaveTheHome) {
  const LoadTrial trial;
  trial.link("out", trial.outside());
  trial.link("folder", trial.outside_folder());
  ASSERT_EQ(::mkdir(trial.path("directory").c_str(), 0755), 0);
  ASSERT_EQ(::mkfifo(trial.path("pipe").c_str(), 0644), 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty"},
      {"/etc/passwd", "absolute"},
      {"../outside/watched", "\"..\""},
      {"a/../../outside/watched", "\"..\""},
      {"..\\x", "backslash"},
      {"C:x", "drive"},
      {std::string("a\0b", 3), "NUL"},
      {std::string(5000, 'x'), "longer"},
      {"out", "outside Talaria's home"},
      {"folder/watched", "outside Talaria's home"},
      {"directory", "a folder"},
      {".", "a folder"},
      {"pipe", "a named pipe"},
  };
  for (const auto& [path, reason] : cases) {
    const CredentialState state = state_of(trial, path);
    ASSERT_EQ(state.refused.size(), 1u) << path;
    EXPECT_THAT(state.refused[0].reason, HasSubstr(reason)) << path;
    EXPECT_TRUE(state.present.empty() && state.missing.empty()) << path;
  }
}

TEST(CredentialFilesTest, RefusesTalariasOwnStoresUnderEveryName) {
  const LoadTrial trial;
  for (const char* name : {".env",
                           "config.yaml",
                           "exec-approvals.json",
                           "talaria.db",
                           "talaria.db-wal",
                           "talaria.db-shm",
                           "auth.json",
                           ".env.bak",
                           "config.yaml~",
                           "config.yaml.new.12",
                           "run/x",
                           "jobs/1/output",
                           "quarantine/1/content",
                           "commits/1",
                           "talaria.notes",
                           "logs/a",
                           "cache/k",
                           "tokens/t",
                           "skills/.talaria/origins.json",
                           ".ENV",
                           "Config.YAML",
                           "TALARIA.DB",
                           "RUN/X",
                           "Skills/.Talaria/x",
                           "./.env",
                           "run//x",
                           "./run/./x"}) {
    trial.put(name, "secret");
    const CredentialState state = state_of(trial, name);
    ASSERT_EQ(state.refused.size(), 1u) << name;
    EXPECT_EQ(state.refused[0].reason, "it is one of Talaria's own stores, which no skill gets") << name;
  }
  // Also those that are not there: it is no question of setting them up.
  EXPECT_EQ(credential_state({{"auth.json.old", ""}}, trial.folder()).refused.size(), 1u);
  for (const char* name : {"google_token.json", ".envrc", "my.env", "configs/config.yaml", "runner/x", "env/.env",
                           "skills/demo/token.json", "talaria.dbx", "token.json"}) {
    trial.put(name, "fine");
    EXPECT_EQ(state_of(trial, name).present.size(), 1u) << name;
  }
}

TEST(CredentialFilesTest, RefusesLinksToTheStores) {
  const LoadTrial trial;
  trial.put(".env", "API_KEY=1");
  trial.put("talaria.db-wal", "x");
  trial.put("run/socket-like", "x");
  trial.link("soft.json", ".env");
  trial.link("soft_folder", "run");
  trial.link("chain.json", "soft.json");
  ASSERT_EQ(::link(trial.path(".env").c_str(), trial.path("hard.json").c_str()), 0);
  ASSERT_EQ(::link(trial.path("talaria.db-wal").c_str(), trial.path("hard2.json").c_str()), 0);
  for (const char* name : {"soft.json", "chain.json", "soft_folder/socket-like", "hard.json", "hard2.json"})
    EXPECT_EQ(state_of(trial, name).refused.size(), 1u) << name;
  trial.put("twin", "fine");
  ASSERT_EQ(::link(trial.path("twin").c_str(), trial.path("other_twin").c_str()), 0);
  EXPECT_EQ(state_of(trial, "other_twin").present.size(), 1u);
}

}  // namespace
}  // namespace talaria
