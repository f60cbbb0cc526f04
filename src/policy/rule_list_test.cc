#include "policy/rule_list.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

const FilePlaces places{"/home/ada", "/home/ada/.talaria"};

bool may(FileUse use, const std::string& path, const RuleList& rules = {}) {
  return FileRules(use, rules, places).judge(path).decision == Decision::allow;
}

TEST(RuleListTest, LeavesOrdinaryFilesAlone) {
  for (const char* path : {"/home/ada/project/main.c", "/etc/hosts", "/home/ada/project/.env.example", "/tmp/x",
                           "/home/ada/.talaria/jobs/a/output", "/home/ada/.talaria/skills/x/SKILL.md"}) {
    EXPECT_TRUE(may(FileUse::read, path)) << path;
  }
  for (const char* path : {"/home/ada/project/main.c", "/tmp/x", "/home/ada/project/etc/x", "/var/www/x"}) {
    EXPECT_TRUE(may(FileUse::write, path)) << path;
  }
}

TEST(RuleListTest, KeepsCredentialsFromBeingReadAndWritten) {
  for (const char* path : {"/home/ada/project/.env", "/home/ada/project/.env.local", "/x/.envrc",
                           "/home/ada/.ssh/id_ed25519", "/home/ada/.ssh/config", "/home/bob/.ssh/known_hosts",
                           "/home/ada/.aws/credentials", "/home/ada/.npmrc", "/home/ada/.config/gh/hosts.yml",
                           "/etc/shadow", "/srv/id_rsa", "/home/ada/.talaria/.env", "/home/ada/.talaria/talaria.db"}) {
    EXPECT_FALSE(may(FileUse::read, path)) << path;
    EXPECT_FALSE(may(FileUse::write, path)) << path;
  }
}

TEST(RuleListTest, KeepsTheSystemAndItselfFromBeingWritten) {
  for (const char* path : {"/etc/hosts", "/usr/bin/x", "/boot/grub", "/proc/sys/kernel/core_pattern",
                           "/home/ada/.talaria/config.yaml", "/home/ada/.talaria/jobs/a/output"}) {
    EXPECT_FALSE(may(FileUse::write, path)) << path;
  }
}

TEST(RuleListTest, FollowsTheOwnerDenyBeforeAllowBeforeAsk) {
  RuleList rules;
  rules.allow = {"~/project/.env", "/a/**"};
  rules.deny = {"/a/b"};
  rules.ask = {"/a", "/c"};
  EXPECT_TRUE(may(FileUse::read, "/home/ada/project/.env", rules));
  EXPECT_FALSE(may(FileUse::read, "/home/ada/other/.env", rules));
  EXPECT_TRUE(may(FileUse::read, "/a/x", rules));
  EXPECT_FALSE(may(FileUse::read, "/a/b/x", rules));
  EXPECT_FALSE(may(FileUse::read, "/c/x", rules));
  rules.otherwise = "deny";
  EXPECT_FALSE(may(FileUse::read, "/d", rules));
  EXPECT_TRUE(may(FileUse::read, "/a/x", rules));
}

TEST(RuleListTest, KnowsBothNamesOfAHomeThatIsALink) {
  FilePlaces linked = places;
  linked.real_home = "/data/ada";
  linked.real_own_home = "/srv/talaria";
  linked.own_runtime = "/run/user/1/talaria/x";
  RuleList rules;
  rules.deny = {"~/private"};
  const FileRules read(FileUse::read, rules, linked), write(FileUse::write, {}, linked);
  const auto may_read = [&](const char* path) { return read.judge(path).decision == Decision::allow; };
  EXPECT_FALSE(may_read("/home/ada/private/x"));
  EXPECT_FALSE(may_read("/data/ada/private/x"));
  EXPECT_FALSE(may_read("/srv/talaria/talaria.db"));
  EXPECT_TRUE(may_read("/srv/talaria/skills/x/SKILL.md"));
  EXPECT_FALSE(may_read("/run/user/1/talaria/x/gateway.sock"));
  for (const char* path : {"/srv/talaria/config.yaml", "/home/ada/.talaria/x", "/run/user/1/talaria/x/keeper.sock"}) {
    EXPECT_EQ(write.judge(path).decision, Decision::deny) << path;
  }
}

TEST(RuleListTest, NoRuleOpensItsOwnStateForWriting) {
  RuleList rules;
  rules.allow = {"~/**", "/home/ada/.talaria/config.yaml", "*"};
  EXPECT_FALSE(may(FileUse::write, "/home/ada/.talaria/config.yaml", rules));
  EXPECT_FALSE(may(FileUse::write, "/home/ada/.talaria", rules));
  EXPECT_TRUE(may(FileUse::write, "/home/ada/.talaria-notes", rules));
  EXPECT_TRUE(may(FileUse::read, "/home/ada/.talaria/.env", rules));
}

TEST(RuleListTest, SaysWhichRuleAndWhatToDo) {
  EXPECT_EQ(FileRules(FileUse::read, {}, places).judge("/x/.env"),
            (Verdict{Decision::deny,
                     "may not read /x/.env: it is a credential file; the owner can allow it with files.read.allow in "
                     "the configuration",
                     "credential file"}));
  RuleList rules;
  rules.ask = {"*.key"};
  EXPECT_EQ(
      FileRules(FileUse::write, rules, places).judge("/x/a.key"),
      (Verdict{Decision::deny,
               "writing /x/a.key needs a person's yes by files.write.ask: *.key, and this version cannot ask; the "
               "owner can allow it in the configuration",
               "files.write.ask: *.key"}));
}

TEST(RuleListTest, JudgesHosts) {
  RuleList rules;
  rules.deny = {"*.internal", "evil.example"};
  const auto allowed = [&](const char* host) { return judge_host(host, rules).decision == Decision::allow; };
  EXPECT_TRUE(allowed("example.org"));
  EXPECT_FALSE(allowed("a.internal"));
  EXPECT_FALSE(allowed("internal"));
  EXPECT_FALSE(allowed("EVIL.example"));
  EXPECT_TRUE(allowed("notevil.example"));
  rules.otherwise = "deny";
  rules.allow = {"*.python.org"};
  EXPECT_FALSE(allowed("example.org"));
  EXPECT_TRUE(allowed("docs.python.org"));
  EXPECT_EQ(judge_host("example.org", rules),
            (Verdict{Decision::deny, "asking the host example.org is denied by web.hosts.otherwise: deny",
                     "web.hosts.otherwise: deny"}));
}

}  // namespace
}  // namespace talaria
