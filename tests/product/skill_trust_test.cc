// What lies where agents can write is theirs until a person trusts it, whatever leads to it, and on every surface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "os/file.h"
#include "product/prompt_window.h"
#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* key_value = "sekret-0123456789";

class SkillTrustTest : public testing::Test {
 protected:
  void SetUp() override {
    house.configure("skills.inline_shell", "true");
    house.put_home(".env", std::string("SEKRET_KEY=") + key_value + "\n");
    ASSERT_TRUE(make_directories(other()));
  }
  void TearDown() override { (void)remove_tree(other()); }

  // Another workspace, beside the first.
  std::string other() const { return house.workspace() + "-other"; }

  static std::string text(const std::string& name) {
    return "---\nname: " + name + "\ndescription: d\nrequired_environment_variables: [SEKRET_KEY]\n---\nText.\n";
  }
  void put_workspace_skill(const std::string& folder, const std::string& name) {
    ASSERT_TRUE(make_directories(house.workspace() + "/" + folder));
    house.put(folder + "/SKILL.md", text(name));
  }
  // An agent's command in the first workspace.
  void change_as_agent(const std::string& file) {
    EXPECT_EQ(house.shell_in("writer", "printf '<!\\140echo ran\\140>\\n' >> " + file + " && echo done"), "done\n");
  }

  JsonObject call_in_other(const std::string& tool, JsonObject arguments) {
    const Result<JsonObject> result =
        house.connect().call_object("tools/call", {{"name", tool},
                                                   {"arguments", std::move(arguments)},
                                                   {"client", "cli"},
                                                   {"session", JsonObject{{"cwd", other()}}}});
    EXPECT_TRUE(result) << result.error().message();
    return result ? details_of(*result) : JsonObject();
  }
  static std::string listed_trust(const JsonObject& listing, const std::string& name) {
    for (const Json& item : listing.at("skills").get_array()) {
      if (text_or(item.get_object(), "name") == name) return text_or(item.get_object(), "trust");
    }
    return "not listed";
  }
  // One answer, of lists and of views.
  std::string trust(const std::string& name) {
    const std::string viewed = text_or(house.view(name), "trust");
    EXPECT_EQ(listed_trust(house.list(), name), viewed) << name;
    const Ran person = house.run({"skills", "list", "--json"});
    EXPECT_EQ(person.code, 0) << person.err;
    EXPECT_EQ(listed_trust(parse_json(person.out)->as_object(), name), viewed) << name;
    return viewed;
  }
  std::string trust_in_other(const std::string& name) {
    const std::string viewed = text_or(call_in_other("skill_view", {{"name", name}}), "trust");
    EXPECT_EQ(listed_trust(call_in_other("skills_list", {}), name), viewed) << name;
    return viewed;
  }
  std::string content_in_other(const std::string& name) {
    return text_or(call_in_other("skill_view", {{"name", name}}), "content");
  }
  std::string key_length_in_other() {
    return text_or(call_in_other("terminal", {{"command", "echo ${#SEKRET_KEY}"}}), "output");
  }

  SkillHouse house;
};

TEST_F(SkillTrustTest, AnExternalSkillThatAgentsCanWriteIsTheirsInEveryWorkspace) {
  house.configure("skills.external_dirs", "[" + house.workspace() + "/ext]");
  put_workspace_skill("ext/extskill", "extskill");
  change_as_agent("ext/extskill/SKILL.md");
  EXPECT_EQ(trust("extskill"), "agent-created");
  EXPECT_EQ(trust_in_other("extskill"), "agent-created");
  EXPECT_THAT(content_in_other("extskill"), HasSubstr("<!`echo ran`>"));
  EXPECT_EQ(key_length_in_other(), "0\n");

  house.kill_gateway();
  EXPECT_EQ(trust_in_other("extskill"), "agent-created") << "it is remembered";

  const Ran trusted = house.run({"skills", "trust", "./ext/extskill"});
  EXPECT_EQ(trusted.code, 0) << trusted.err;
  EXPECT_EQ(trust_in_other("extskill"), "local");
  EXPECT_THAT(content_in_other("extskill"), HasSubstr("<ran>"));
  EXPECT_EQ(key_length_in_other(), std::to_string(std::string(key_value).size()) + "\n");
  change_as_agent("ext/extskill/SKILL.md");
  EXPECT_EQ(trust_in_other("extskill"), "agent-created") << "changed since";
}

TEST_F(SkillTrustTest, WhereAProfileLetsAgentsWriteCountsToo) {
  const std::string open = other() + "/open";
  ASSERT_TRUE(make_directories(open + "/sk/one"));
  ASSERT_TRUE(write_file_atomically(open + "/sk/one/SKILL.md", text("one"), 0644));
  house.configure("skills.external_dirs", "[" + open + "/sk]");
  EXPECT_EQ(trust("one"), "local") << "nobody could have written it yet";
  house.configure("sandbox.writable", "[" + open + "]");
  EXPECT_EQ(house.shell("echo hi"), "hi\n");
  EXPECT_EQ(trust("one"), "agent-created");
}

TEST_F(SkillTrustTest, WhereEverythingIsOpenToAgentsOnlyTheHomeAndWhatIsBundledIsNot) {
  ASSERT_TRUE(make_directories(other() + "/sk/one"));
  ASSERT_TRUE(write_file_atomically(other() + "/sk/one/SKILL.md", text("one"), 0644));
  house.configure("skills.external_dirs", "[" + other() + "/sk]");
  house.put_skill("plain", "name: plain\ndescription: d\n", "Text.\n");
  house.configure("sandbox.profile", "full");
  EXPECT_EQ(trust("one"), "local");
  EXPECT_EQ(house.shell("echo hi"), "hi\n");
  EXPECT_EQ(trust("one"), "agent-created");
  EXPECT_EQ(trust("plain"), "local");
  EXPECT_EQ(trust("skill-author"), "builtin");
}

TEST_F(SkillTrustTest, AHomeSkillThatIsALinkCountsForWhereItLeads) {
  put_workspace_skill("myskill", "myskill");
  house.put_skill("plain", "name: plain\ndescription: d\n", "Text.\n");
  ASSERT_EQ(::symlink((house.workspace() + "/myskill").c_str(), (house.root() + "/skills/myskill").c_str()), 0);
  change_as_agent("myskill/SKILL.md");
  EXPECT_EQ(trust("plain"), "local");
  EXPECT_EQ(trust("myskill"), "agent-created");
  EXPECT_EQ(trust_in_other("myskill"), "agent-created");
  EXPECT_THAT(content_in_other("myskill"), HasSubstr("<!`echo ran`>"));

  const Ran trusted = house.run({"skills", "trust", "myskill"});
  EXPECT_EQ(trusted.code, 0) << trusted.err;
  EXPECT_THAT(trusted.out, AllOf(HasSubstr("/myskill is trusted now"), HasSubstr("$SEKRET_KEY")));
  EXPECT_EQ(trust_in_other("myskill"), "local");
  EXPECT_THAT(content_in_other("myskill"), HasSubstr("<ran>"));

  EXPECT_EQ(house.run({"skills", "untrust", "./myskill"}).code, 0);
  EXPECT_EQ(trust("myskill"), "agent-created");
}

TEST_F(SkillTrustTest, TrustingAProjectTrustsTheSkillsInsideItsSkills) {
  ASSERT_TRUE(make_directories(house.workspace() + "/.git"));
  put_workspace_skill(".agents/skills/par", "par");
  put_workspace_skill(".agents/skills/par/kid", "kid");
  const Ran trusted = house.run({"skills", "trust"});
  EXPECT_THAT(trusted.out, HasSubstr("with 2 skills")) << trusted.err;
  EXPECT_EQ(trust("par"), "local");
  EXPECT_EQ(trust("kid"), "local");
  put_workspace_skill(".agents/skills/new", "new");
  EXPECT_EQ(trust("new"), "agent-created");
}

TEST_F(SkillTrustTest, TrustNamesAllThatItOpens) {
  const std::string data = other() + "/data";
  ASSERT_TRUE(make_directories(data));
  house.configure("skills.config.wide.data", data);
  house.configure("skills.config.wide.count", "3");
  house.put_skill(
      "wide",
      "name: wide\ndescription: d\nrequired_environment_variables: [SEKRET_KEY]\n"
      "required_credential_files: [token.json, .env]\nmetadata: {hermes: {config: [{key: wide.data, "
      "description: d}, {key: wide.count, description: d}, {key: wide.none, description: d, default: /usr}]}}\n",
      "Text.\n");
  house.put_home("skills/.talaria/origins.json", R"({"wide": {"trust": "agent-created"}})");
  EXPECT_EQ(trust("wide"), "agent-created");
  const Ran trusted = house.run({"skills", "trust", "wide"});
  EXPECT_EQ(trusted.code, 0) << trusted.err;
  EXPECT_THAT(trusted.out, AllOf(HasSubstr("Its sessions are given $SEKRET_KEY."),
                                 HasSubstr("can read " + house.root() + "/token.json, " + data + ".")));
  EXPECT_THAT(trusted.out, AllOf(Not(HasSubstr("/.env")), Not(HasSubstr("/usr"))));
  EXPECT_EQ(trust("wide"), "local");
}

TEST_F(SkillTrustTest, TrustInWhatAnAgentWroteIsTakenBackByNameOrPath) {
  EXPECT_TRUE(boolean_or(house.manage("create", "agsk", {{"content", text("agsk")}}), "success"));
  const std::string folder = house.root() + "/skills/agsk";
  for (const std::string& word : {std::string("agsk"), folder, folder + "/"}) {
    EXPECT_EQ(trust("agsk"), "agent-created");
    EXPECT_EQ(house.run({"skills", "trust", word}).code, 0) << word;
    EXPECT_EQ(trust("agsk"), "local");
    EXPECT_EQ(house.shell("echo ${#SEKRET_KEY}"), "17\n");
    const Ran untrusted = house.run({"skills", "untrust", word});
    EXPECT_EQ(untrusted.code, 0) << untrusted.err;
    EXPECT_THAT(untrusted.out, AllOf(HasSubstr(folder + " is no longer trusted: it counts as agent-created again."),
                                     HasSubstr("no longer given $SEKRET_KEY")));
    EXPECT_EQ(house.shell("echo ${#SEKRET_KEY}"), "0\n") << "in a session that has loaded it, too";
  }
  EXPECT_EQ(trust("agsk"), "agent-created");
  EXPECT_EQ(house.run({"config", "get", "skills.trusted_project_dirs"}).out, "[]\n") << "a skill is no project";
  const Ran again = house.run({"skills", "untrust", "agsk"});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("was not trusted by talaria skills trust"));
  EXPECT_EQ(house.run({"skills", "trust", "agsk"}).code, 0);
  const Ran json = house.run({"skills", "untrust", "agsk", "--json"});
  EXPECT_EQ(write_json(*parse_json(json.out)),
            R"({"variables":["$SEKRET_KEY"],"files":[],"skill":")" + folder + R"(","trust":"agent-created"})");
}

TEST_F(SkillTrustTest, TrustInALinkOfTheHomeIsTakenBackByItsName) {
  put_workspace_skill("myskill", "myskill");
  ASSERT_TRUE(make_directories(house.root() + "/skills"));
  ASSERT_EQ(::symlink((house.workspace() + "/myskill").c_str(), (house.root() + "/skills/myskill").c_str()), 0);
  house.put_home("skills/.talaria/origins.json", R"({"myskill": {"trust": "community"}})");
  EXPECT_EQ(trust("myskill"), "community");
  // The workspace has a folder of that name, too: a skill goes first.
  EXPECT_EQ(house.run({"skills", "trust", "myskill"}).code, 0);
  EXPECT_EQ(trust("myskill"), "local");
  EXPECT_EQ(trust_in_other("myskill"), "local");
  const Ran untrusted = house.run({"skills", "untrust", "myskill"});
  EXPECT_THAT(untrusted.out, HasSubstr("counts as community again")) << untrusted.err;
  EXPECT_EQ(trust("myskill"), "community");
  house.put_home("skills/.talaria/origins.json", "{}");
  EXPECT_EQ(trust("myskill"), "agent-created") << "nor is its text trusted";
}

TEST_F(SkillTrustTest, AFoldersNameIsAPathWhereNoSkillHasIt) {
  ASSERT_TRUE(make_directories(house.workspace() + "/proj/.git"));
  put_workspace_skill("proj/.agents/skills/one", "one");
  const Ran trusted = house.run({"skills", "trust", "proj"});
  EXPECT_EQ(trusted.code, 0) << trusted.err;
  EXPECT_THAT(trusted.out, HasSubstr("/proj is trusted, with 1 skill as it is now."));
  EXPECT_THAT(house.run({"skills", "untrust", "proj"}).out, HasSubstr("/proj is no longer trusted."));
  const Ran none = house.run({"skills", "trust", "nothing"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("Skill 'nothing' not found"));
}

TEST_F(SkillTrustTest, WhatComesWithTalariaIsTrustedAlready) {
  const Ran trusted = house.run({"skills", "trust", "arxiv"});
  EXPECT_EQ(trusted.code, 0) << trusted.err;
  EXPECT_EQ(trusted.out, "arxiv comes with Talaria; such skills are trusted already.\n");
  const Ran untrusted = house.run({"skills", "untrust", "arxiv"});
  EXPECT_EQ(untrusted.code, 1);
  EXPECT_THAT(untrusted.err, AllOf(HasSubstr("always trusted"), HasSubstr("talaria skills disable arxiv")));
}

TEST_F(SkillTrustTest, DisablingASkillByItsFolderTakesBackWhatItGave) {
  house.put_skill("fold", "name: Weird Name\ndescription: d\nrequired_environment_variables: [SEKRET_KEY]\n",
                  "Text.\n");
  EXPECT_EQ(text_or(house.view("fold"), "trust"), "local");
  EXPECT_EQ(house.shell("echo ${#SEKRET_KEY}"), "17\n");
  house.configure("skills.disabled", "[fold]");
  EXPECT_EQ(house.shell("echo ${#SEKRET_KEY}"), "0\n");
}

TEST_F(SkillTrustTest, TrustSaysWhenNoProjectsSkillsAreRead) {
  ASSERT_TRUE(make_directories(house.workspace() + "/.git"));
  put_workspace_skill(".agents/skills/one", "one");
  EXPECT_THAT(house.run({"skills", "trust"}).out, Not(HasSubstr("project_discovery")));
  house.configure("skills.project_discovery", "false");
  EXPECT_THAT(house.run({"skills", "trust"}).out,
              AllOf(HasSubstr("with 1 skill"), HasSubstr("skills.project_discovery is false")));
  const Ran json = house.run({"skills", "trust", "--json"});
  EXPECT_FALSE(boolean_or(parse_json(json.out)->as_object(), "project_discovery", true)) << json.out;
}

TEST_F(SkillTrustTest, WhatAPersonTypedIsNotObeyedByTheirTerminal) {
  const std::string evil = "evil\033]0;owned\007";
  const std::vector<std::vector<std::string>> commands = {
      {"skills", "disable", evil}, {"skills", "enable", evil},         {"skills", "trust", "./" + evil},
      {"skills", "trust", evil},   {"skills", "untrust", "./" + evil}, {"skills", evil}};
  for (const std::vector<std::string>& words : commands) {
    PromptWindow window(house, "talaria", words);
    window.await_output("owned");
    window.finish();
    EXPECT_THAT(window.shown(), AllOf(HasSubstr("evil"), Not(HasSubstr("\033")), Not(HasSubstr("\007")))) << words[1];
  }
}

}  // namespace
}  // namespace talaria
