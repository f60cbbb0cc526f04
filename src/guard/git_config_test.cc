#include "guard/git_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  const Result<std::vector<GitConfigEntry>> entries = read_git_config(text);
  if (!entries) return {"refused: " + entries.error().message()};
  std::vector<std::string> lines;
  for (const GitConfigEntry& entry : *entries) lines.push_back(entry.key() + (entry.value ? "=" + *entry.value : ""));
  return lines;
}

GitConfigEntry only_entry(const std::string& text) {
  const Result<std::vector<GitConfigEntry>> entries = read_git_config(text);
  if (!entries || entries->size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  return entries->front();
}

bool is_safe(const std::string& text) { return !danger_in(only_entry(text)); }

using Lines = std::vector<std::string>;

TEST(GitConfigTest, ReadsWhatGitInitWrites) {
  EXPECT_EQ(lines_of("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"),
            (Lines{"core.repositoryformatversion=0", "core.filemode=true", "core.bare=false"}));
}

TEST(GitConfigTest, ReadsQuotesEscapesContinuationsAndComments) {
  EXPECT_EQ(lines_of("[User]\nName = \"a;b\" c ; rest\n email=\\\"x\\t\\\ny\n[a \"B\\\"c\\d\"] E\n"),
            (Lines{"user.name=a;b c", "user.email=\"x\ty", "a.B\"cd.e"}));
  EXPECT_EQ(lines_of("[Remote.Origin] URL=x\r\n"), (Lines{"remote.origin.url=x"}));
}

TEST(GitConfigTest, RefusesWhatGitRefusesOrReadsInDifferentWays) {
  for (const std::string text :
       {"[core", "[core]\nbare = \"x\n", "[core]\n=x", "[core]\nbare = \\x", "[a \"b]\n", "x = y\n",
        "[a \"\"]\nb = c\n", "[]\nb = c\n", "[a]\nb = c\td\n", "[a]\nb # c\n", "[a b]\n", "\xEF\xBB[a]\n"})
    EXPECT_FALSE(read_git_config(text)) << text;
  EXPECT_FALSE(read_git_config(std::string_view("[a]\nb = c\0d\n", 12)));
  EXPECT_EQ(read_git_config("[a]\n\n b # c\n").error().message(),
            "line 3 of a git configuration: a name is followed by neither = nor the end of the line");
}

TEST(GitConfigTest, CallsOrdinarySettingsSafe) {
  for (const std::string text : {"[core]\nbare",
                                 "[CORE]\nAutoCRLF = input",
                                 "[extensions]\nobjectFormat = sha256",
                                 "[extensions]\nworktreeConfig",
                                 "[user]\nname = A",
                                 "[branch \"a.b\"]\nremote = origin",
                                 "[branch \"x\"]\nremote = .",
                                 "[branch \"x\"]\nmerge = refs/heads/x",
                                 "[remote \"o\"]\nurl = https://host/x",
                                 "[remote \"o\"]\nurl = git@host:x/y.git",
                                 "[remote \"o\"]\nurl = /a/b",
                                 "[remote \"o\"]\nurl = ../x",
                                 "[remote \"o\"]\nurl = ssh://git@[::1]:22/x",
                                 "[remote \"o\"]\npushurl = file:///x",
                                 "[remote \"o\"]\nfetch = +refs/heads/*:refs/remotes/o/*",
                                 "[submodule \"s\"]\nactive = true",
                                 "[submodule \"s\"]\nurl = ./s",
                                 "[submodule \"s\"]\nupdate = merge",
                                 "[color \"diff\"]\nmeta = red",
                                 "[rebase]\ninstructionFormat = %s",
                                 "[lfs]\nrepositoryformatversion = 0",
                                 "[lfs \"https://h/x\"]\naccess = basic"})
    EXPECT_TRUE(is_safe(text)) << text << ": " << danger_in(only_entry(text)).value_or("");
}

TEST(GitConfigTest, CallsWhatMayRunAProgramDangerous) {
  for (const std::string text : {"[core]\nfsmonitor = x",
                                 "[core]\nhooksPath = x",
                                 "[CORE]\nsshCommand = x",
                                 "[core]\npager = x",
                                 "[core]\neditor = x",
                                 "[core]\naskPass = x",
                                 "[core]\ngitProxy = x",
                                 "[core]\nalternateRefsCommand = x",
                                 "[core]\nattributesFile = x",
                                 "[core]\nexcludesFile = x",
                                 "[core]\nworktree = /",
                                 "[core \"x\"]\nbare",
                                 "[include]\npath = x",
                                 "[includeIf \"gitdir:/\"]\npath = x",
                                 "[include.x]\npath = x",
                                 "[alias]\nst = !x",
                                 "[alias \"a\"]\ncommand = !x",
                                 "[filter \"x\"]\nclean = x",
                                 "[diff]\nexternal = x",
                                 "[diff \"x\"]\ntextconv = x",
                                 "[diff \"x\"]\ncommand = x",
                                 "[merge \"x\"]\ndriver = x",
                                 "[credential]\nhelper = x",
                                 "[http]\nproxy = x",
                                 "[gpg]\nprogram = x",
                                 "[url \"ext::x\"]\ninsteadOf = https:",
                                 "[uploadpack]\npackObjectsHook = x",
                                 "[protocol \"ext\"]\nallow = always",
                                 "[safe]\ndirectory = *",
                                 "[sequence]\neditor = x",
                                 "[gc]\nrecentObjectsHook = x",
                                 "[remote \"o\"]\nuploadpack = x",
                                 "[remote \"o\"]\nvcs = x",
                                 "[submodule \"s\"]\nupdate = !x",
                                 "[branch \"b\"]\nmergeOptions = -s x",
                                 "[pager]\nlog = x",
                                 "[extensions]\nrefStorage = reftable:///x",
                                 "[hook \"x\"]\ncommand = x",
                                 "[unheard]\nof = x",
                                 "[lfs]\nurl = x"})
    EXPECT_FALSE(is_safe(text)) << text;
  EXPECT_EQ(*danger_in(only_entry("[core]\nfsmonitor = x")),
            "The setting core.fsmonitor names a program that nearly every git command runs.");
  EXPECT_EQ(*danger_in(only_entry("[unheard]\nof = x")),
            "The setting unheard.of is not among the settings that are known to run nothing.");
}

TEST(GitConfigTest, NamesSettingsAsGitDocumentsThem) {
  EXPECT_EQ(*danger_in(only_entry("[CORE]\nHOOKSPATH = x")),
            "The setting core.hooksPath names a folder of hooks, which git runs.");
  EXPECT_EQ(only_entry("[includeif \"gitdir:/A/\"]\npath = x").documented_key(), "includeIf.gitdir:/A/.path");
  EXPECT_EQ(only_entry("[URL \"Ext::x\"]\nINSTEADOF = y").documented_key(), "url.Ext::x.insteadOf");
  EXPECT_EQ(only_entry("[Unheard]\nOfIt = x").documented_key(), "unheard.ofit");
}

TEST(GitConfigTest, CallsAddressesThatRunAProgramDangerous) {
  for (const std::string address :
       {"ext::sh -c x", "::x", "-x", "foo://host/x", "HTTPS://host/x", "ssh://-oProxyCommand=x/y",
        "ssh://a@-oProxyCommand=x/y", "-oProxyCommand=x:y", "a@-oProxyCommand=x:y", "host:-x", "fd::7", "a\x01b", ""})
    EXPECT_TRUE(danger_in_git_address(address)) << address;
  EXPECT_FALSE(is_safe("[remote \"o\"]\nurl = ext::sh -c x"));
  EXPECT_FALSE(is_safe("[remote \"o\"]\nurl"));
  EXPECT_FALSE(is_safe("[branch \"b\"]\nremote = ext::sh -c x"));
  EXPECT_FALSE(is_safe("[remote]\npushDefault = ext::sh -c x"));
  EXPECT_FALSE(is_safe("[submodule \"b\"]\nurl = ext::sh -c x"));
  EXPECT_EQ(*danger_in(only_entry("[remote \"o\"]\nurl = ext::x")),
            "The setting remote.o.url is refused: an address of this form has git run a program to reach it.");
}

TEST(GitConfigTest, AsksThePlaceAboutTheWorktree) {
  const GitConfigEntry entry = only_entry("[core]\nworktree = ../../x");
  EXPECT_TRUE(danger_in(entry));
  const auto says = [](bool answer) { return GitConfigPlace{[answer](const std::string&) { return answer; }}; };
  EXPECT_TRUE(danger_in(entry, says(false)));
  EXPECT_FALSE(danger_in(entry, says(true)));
}

// The text without what is dangerous in it.
std::string cleaned(const std::string& text) {
  std::vector<GitConfigEntry> dangers;
  const std::vector<GitConfigEntry> entries = *read_git_config(text);
  for (const GitConfigEntry& entry : entries)
    if (danger_in(entry)) dangers.push_back(entry);
  return without_entries(text, dangers);
}

TEST(GitConfigTest, RemovesEntriesAndKeepsAllOtherBytes) {
  EXPECT_EQ(cleaned("# a\n[core]\n\tbare = false ; b\n\tfsmonitor = \"x \\\n y\" # c\n[user]\n  name = \"z\"\r\n"),
            "# a\n[core]\n\tbare = false ; b\n[user]\n  name = \"z\"\r\n");
  EXPECT_EQ(cleaned("[core] fsmonitor = x\nbare\n"), "[core] \nbare\n");
  EXPECT_EQ(cleaned("[core] fsmonitor = x"), "[core] \n");
  EXPECT_EQ(cleaned("\xEF\xBB\xBF[core]\n fsmonitor\n bare\n"), "\xEF\xBB\xBF[core]\n bare\n");
  EXPECT_EQ(cleaned("[alias][core] bare\n"), "[alias][core] bare\n");
  EXPECT_EQ(cleaned("[alias] a = b\\\n\\\nc\n[core] fsmonitor = x\n\n"), "[alias] \n[core] \n\n");
}

}  // namespace
}  // namespace talaria
