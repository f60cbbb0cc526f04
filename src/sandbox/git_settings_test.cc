#include "sandbox/git_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard/git_config.h"

namespace talaria {
namespace {

std::vector<std::string> keys_left_of(std::string_view text) {
  std::vector<std::string> keys;
  const Result<std::vector<GitConfigEntry>> entries = read_git_config(harmless_git_settings(text));
  EXPECT_TRUE(entries);
  for (const GitConfigEntry& entry : *entries) keys.push_back(entry.key() + "=" + entry.value.value_or("(alone)"));
  return keys;
}

TEST(GitSettingsTest, WhatIsHarmlessStaysAsItIs) {
  EXPECT_EQ(
      keys_left_of("[user]\n\tname = \"A \\\"B\\\" C\"\n\temail = a@b.c\n[init] defaultBranch = trunk\n"
                   "[alias]\n\tst = status -sb\n\tlg = log --format=\"%h\\t%s\"\n[color \"diff\"]\n\tmeta = blue\n"
                   "[pull]\n\trebase\n[diff \"lines\"]\n\txfuncname = ^x\\\\s\n"),
      (std::vector<std::string>{"user.name=A \"B\" C", "user.email=a@b.c", "init.defaultbranch=trunk",
                                "alias.st=status -sb", "alias.lg=log --format=%h\t%s", "color.diff.meta=blue",
                                "pull.rebase=(alone)", "diff.lines.xfuncname=^x\\s"}));
}

TEST(GitSettingsTest, ProgramsFilesAddressesAndSecretsGo) {
  for (const char* text : {"[url \"https://token@host/\"]\n\tinsteadOf = https://host/\n",
                           "[http]\n\textraHeader = \"Authorization: x\"\n",
                           "[http \"https://host\"]\n\tcookieFile = /x\n",
                           "[credential]\n\thelper = \"!echo password=x\"\n",
                           "[github]\n\ttoken = x\n",
                           "[core]\n\teditor = vim\n\tpager = less\n\thooksPath = /x\n\tsshCommand = ssh\n",
                           "[core]\n\tfsmonitor = /x\n\texcludesFile = ~/.x\n\taskPass = x\n",
                           "[include]\n\tpath = ~/.secret\n",
                           "[includeIf \"gitdir:~/w/\"]\n\tpath = x\n",
                           "[alias]\n\tx = !sh -c x\n\ty = \" !x\"\n",
                           "[diff]\n\texternal = x\n",
                           "[diff \"x\"]\n\ttextconv = x\n\tcommand = x\n",
                           "[merge \"x\"]\n\tdriver = x\n",
                           "[filter \"lfs\"]\n\tclean = git-lfs clean\n",
                           "[commit]\n\ttemplate = ~/.x\n\tgpgSign = true\n",
                           "[tag]\n\tgpgSign = true\n",
                           "[gpg]\n\tprogram = x\n",
                           "[user]\n\tsigningKey = x\n",
                           "[remote \"origin\"]\n\turl = https://token@host/x\n",
                           "[sendemail]\n\tsmtpPass = x\n",
                           "[safe]\n\tdirectory = *\n",
                           "[init]\n\ttemplateDir = /x\n",
                           "[format]\n\theaders = x\n",
                           "[branch \"a\"]\n\tremote = https://token@host\n"}) {
    EXPECT_THAT(keys_left_of(text), testing::IsEmpty()) << text;
  }
}

TEST(GitSettingsTest, NothingIsLeftOfWhatGitRefuses) {
  EXPECT_THAT(keys_left_of("[user]\n\tname = A\n[broken\n"), testing::IsEmpty());
  EXPECT_THAT(keys_left_of(""), testing::IsEmpty());
}

}  // namespace
}  // namespace talaria
