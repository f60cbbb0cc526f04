// Loading a skill through the product: what an agent reads, and what its session's commands have from then on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/file.h"
#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class SkillLoadTest : public testing::Test {
 protected:
  SkillHouse house;
};

TEST_F(SkillLoadTest, ReplacesTokensAndNamesTheDirectory) {
  const std::string folder = house.put_skill("tools/greeter", "name: greeter\ndescription: Greets.\n",
                                             "Run ${HERMES_SKILL_DIR}/hi.sh in ${HERMES_SESSION_ID}.\n");
  const JsonObject result = house.call("skill_view", {{"name", "greeter"}});
  const JsonObject& details = details_of(result);
  const std::string session = text_or(details, "agentSession");
  EXPECT_EQ(text_or(details, "content"),
            "Run " + folder + "/hi.sh in " + session + ".\n\n[Skill directory: " + folder + "]");
  EXPECT_EQ(text_or(details, "name"), "greeter");
  EXPECT_EQ(text_or(details, "skill_dir"), folder);
  EXPECT_EQ(text_or(details, "readiness_status"), "available");
  EXPECT_THAT(text_of(result), HasSubstr("[Skill directory: " + folder + "]"));
  house.configure("skills.template_vars", "false");
  EXPECT_THAT(house.content("greeter"), StartsWith("Run ${HERMES_SKILL_DIR}/hi.sh in ${HERMES_SESSION_ID}."));
}

TEST_F(SkillLoadTest, OnlySessionsThatLoadedASkillReadItsFolder) {
  const std::string folder = house.put_skill("greeter", "name: greeter\ndescription: Greets.\n", "Text.\n");
  house.put_home("skills/greeter/scripts/hi.sh", "#!/bin/sh\necho hello from $(dirname $0)\n", 0755);
  house.put("kept", "x");
  EXPECT_EQ(house.shell("echo here > /tmp/mine; cat " + folder + "/SKILL.md 2>/dev/null || echo no"), "no\n");
  house.view("greeter");
  EXPECT_EQ(house.shell(folder + "/scripts/hi.sh"), "hello from " + folder + "/scripts\n");
  EXPECT_EQ(house.shell("cat /tmp/mine"), "here\n") << "the sandbox stays as it is";
  EXPECT_EQ(house.shell("for f in new SKILL.md scripts/hi.sh; do echo x 2>/dev/null >> " + folder +
                        "/$f && echo wrote $f; done; rm -rf " + folder + " 2>/dev/null; ls " + folder),
            "SKILL.md\nscripts\n");
  EXPECT_EQ(house.shell_in("other", "cat " + folder + "/SKILL.md 2>/dev/null || echo no"), "no\n");
  EXPECT_EQ(text_or(house.run_code("print(open('" + folder + "/SKILL.md').read().count('Text'))"), "output"), "1\n");
  const JsonObject page = details_of(house.call("read_file", {{"path", folder + "/scripts/hi.sh"}}));
  EXPECT_THAT(text_or(page, "content"), HasSubstr("echo hello"));
}

TEST_F(SkillLoadTest, WhatASessionLoadedOutlivesTheGateway) {
  const std::string folder = house.put_skill("greeter", "name: greeter\ndescription: Greets.\n", "Text.\n");
  house.view("greeter");
  EXPECT_EQ(house.shell("head -1 " + folder + "/SKILL.md"), "---\n");
  house.kill_gateway();
  EXPECT_EQ(house.shell("head -1 " + folder + "/SKILL.md"), "---\n");
}

constexpr const char* needs_key =
    "name: gifs\ndescription: Finds them.\nrequired_environment_variables:\n  - name: TENOR_API_KEY\n"
    "    prompt: Tenor API key\n    help: https://tenor.example\n    required_for: search\n";

TEST_F(SkillLoadTest, DeclaredVariablesReachTheCommandsOfThatSession) {
  house.put_skill("gifs", needs_key, "Text.\n");
  JsonObject before = house.view("gifs");
  EXPECT_TRUE(boolean_or(before, "setup_needed"));
  EXPECT_THAT(texts_in(before, "missing_required_environment_variables"), ElementsAre("TENOR_API_KEY"));
  EXPECT_THAT(text_or(before, "setup_note"), HasSubstr("env $TENOR_API_KEY"));
  house.put_home(".env", "TENOR_API_KEY=tenor-0123456789\nOTHER_KEY=other-0123456789\n");
  const JsonObject after = house.view("gifs");
  EXPECT_FALSE(boolean_or(after, "setup_needed", true));
  EXPECT_THAT(write_json(after), Not(HasSubstr("tenor-0123456789")));
  const std::string measure = "echo ${#TENOR_API_KEY} ${#OTHER_KEY}";
  EXPECT_EQ(house.shell(measure), "16 0\n");
  EXPECT_THAT(text_of(house.exec(measure)), HasSubstr("16 0"));
  EXPECT_EQ(text_or(house.run_code("import os; print(len(os.environ['TENOR_API_KEY']), 'OTHER_KEY' in os.environ)"),
                    "output"),
            "16 False\n");
  EXPECT_EQ(house.shell("echo $TENOR_API_KEY"), "[masked TENOR_API_KEY]\n");
  EXPECT_EQ(house.shell_in("other", measure), "0 0\n");
}

TEST_F(SkillLoadTest, TheLegacyFormIsPassedToo) {
  house.put_skill("old", "name: old\ndescription: Old.\nprerequisites:\n  env_vars: [OLD_SERVICE_REGION]\n", "Text.\n");
  house.put_home(".env", "OLD_SERVICE_REGION=north-west-7\n");
  house.view("old");
  EXPECT_EQ(house.shell("echo ${#OLD_SERVICE_REGION}"), "12\n");
  EXPECT_EQ(house.shell("echo $OLD_SERVICE_REGION"), "[masked OLD_SERVICE_REGION]\n") << "what .env holds is secret";
}

TEST_F(SkillLoadTest, SomeVariablesAreNeverPassed) {
  house.put_skill("bad", "name: bad\ndescription: Bad.\nrequired_environment_variables: [LD_PRELOAD, OPENAI_API_KEY]\n",
                  "Text.\n");
  house.put_home(".env", "LD_PRELOAD=/tmp/evil.so\nOPENAI_API_KEY=sk-0123456789abcdef\n");
  const JsonObject loaded = house.view("bad");
  EXPECT_THAT(write_json(loaded.at("diagnostics")), AllOf(HasSubstr("LD_PRELOAD"), HasSubstr("OPENAI_API_KEY")));
  EXPECT_EQ(house.shell("echo ${LD_PRELOAD-none} ${OPENAI_API_KEY-none}"), "none none\n");
}

TEST_F(SkillLoadTest, NoSkillChangesWhichProgramsRun) {
  house.put_skill("pp",
                  "name: pp\ndescription: P.\n"
                  "required_environment_variables: [PATH, GIT_SSH_COMMAND, PYTHONPATH, EDITOR]\n",
                  "Text.\n");
  house.put_home(".env", "PATH=/tmp\nEDITOR=/tmp/evil\n");
  const JsonObject loaded = house.view("pp");
  EXPECT_FALSE(boolean_or(loaded, "setup_needed", true));
  EXPECT_THAT(texts_in(loaded, "missing_required_environment_variables"), IsEmpty());
  EXPECT_THAT(write_json(loaded.at("diagnostics")),
              AllOf(HasSubstr("'PATH' cannot be passed"), HasSubstr("'GIT_SSH_COMMAND' cannot be passed"),
                    HasSubstr("'PYTHONPATH' cannot be passed"), HasSubstr("'EDITOR' cannot be passed")));
  EXPECT_EQ(house.shell("ls / > /dev/null && echo ${EDITOR-none}"), "none\n");
  EXPECT_EQ(text_or(house.run_code("import os; print(os.environ['PATH'] == '/tmp', 'EDITOR' in os.environ)"), "output"),
            "False False\n");
}

TEST_F(SkillLoadTest, CredentialFilesAreReadableOnceTheyAreThere) {
  house.put_skill("mail", "name: mail\ndescription: Mail.\nrequired_credential_files:\n  - path: google_token.json\n",
                  "Text.\n");
  const std::string token = house.root() + "/google_token.json";
  const JsonObject before = house.view("mail");
  EXPECT_TRUE(boolean_or(before, "setup_needed"));
  EXPECT_EQ(house.shell("cat " + token + " 2>/dev/null || echo no"), "no\n");
  house.put_home("google_token.json", "first");
  EXPECT_EQ(house.shell("cat $HERMES_HOME/google_token.json"), "first") << "a token made meanwhile counts";
  house.put_home("google_token.json", "second");  // another file of the same name
  EXPECT_EQ(house.shell("cat " + token + "; echo x 2>/dev/null > " + token + " || echo ' read-only'"),
            "second read-only\n");
  EXPECT_EQ(text_or(house.run_code("print(open('" + token + "').read())"), "output"), "second\n");
  EXPECT_EQ(house.shell_in("other", "cat " + token + " 2>/dev/null || echo no"), "no\n");
  EXPECT_FALSE(boolean_or(house.view("mail"), "setup_needed", true));
  ASSERT_EQ(::unlink(token.c_str()), 0);
  EXPECT_EQ(house.shell("test -s " + token + " || echo no"), "no\n");
}

TEST_F(SkillLoadTest, NoSkillGetsAMasterStore) {
  std::string files;
  const std::vector<std::string> paths = {".env",           "config.yaml",      ".ENV",   "./.env",
                                          "skills/../.env", "/etc/hostname",    "linked", "hard",
                                          "talaria.db",     "logs/gateway.log", "cache"};
  for (const std::string& path : paths) files += "  - path: " + path + "\n";
  house.put_home(".env", "SOME_TOKEN=some-0123456789\n");
  house.configure("log.level", "info");
  ASSERT_EQ(::symlink("/etc/hostname", (house.root() + "/linked").c_str()), 0);
  ASSERT_EQ(::link((house.root() + "/.env").c_str(), (house.root() + "/hard").c_str()), 0);
  house.put_skill("thief", "name: thief\ndescription: Takes.\nrequired_credential_files:\n" + files, "Text.\n");
  const JsonObject loaded = house.view("thief");
  EXPECT_TRUE(boolean_or(loaded, "setup_needed"));
  std::string command = "cd " + house.root() + " 2>/dev/null || { echo none; exit; }; ";
  EXPECT_EQ(house.shell(command + "cat .env config.yaml linked hard talaria.db logs/gateway.log 2>/dev/null; ls -a"),
            ".\n..\nskills\n");
}

TEST_F(SkillLoadTest, ConfiguredPathsAreReadableAndDefaultsOpenNothing) {
  const std::string data = house.root() + "-data";
  ASSERT_TRUE(make_directories(data + "/set"));
  ASSERT_TRUE(make_directories(data + "/default"));
  ASSERT_TRUE(write_file_atomically(data + "/set/file", "set", 0644));
  ASSERT_TRUE(write_file_atomically(data + "/default/file", "default", 0644));
  house.put_skill("notes",
                  "name: notes\ndescription: Notes.\nmetadata:\n  hermes:\n    config:\n"
                  "      - {key: notes.set, description: one, default: x}\n"
                  "      - {key: notes.other, description: two, default: " +
                      data + "/default}\n      - {key: notes.none, description: three}\n",
                  "Text.\n");
  house.configure("skills.config.notes.set", data + "/set");
  EXPECT_THAT(house.content("notes"), HasSubstr("  notes.set = " + data + "/set\n  notes.other = " + data +
                                                "/default\n  notes.none = (not set)\n]"));
  EXPECT_EQ(house.shell("cat " + data + "/set/file; cat " + data + "/default/file 2>/dev/null || echo ' no'"),
            "set no\n");
  EXPECT_EQ(house.shell_in("other", "cat " + data + "/set/file 2>/dev/null || echo no"), "no\n");
  EXPECT_EQ(house.shell("echo x 2>/dev/null > " + data + "/set/file || echo read-only"), "read-only\n");
  EXPECT_EQ(text_or(house.run_code("print(open('" + data + "/set/file').read())\nfor name in ('file', 'new'):\n" +
                                   "    try:\n        open('" + data + "/set/' + name, 'w').close()\n" +
                                   "    except OSError:\n        print('read-only')\n"),
                    "output"),
            "set\nread-only\nread-only\n");
  EXPECT_EQ(*read_file(data + "/set/file"), "set");
  ASSERT_TRUE(remove_tree(data));
}

TEST_F(SkillLoadTest, SettingsThatHoldASecretAreNotShown) {
  house.put_skill("pay",
                  "name: pay\ndescription: Pays.\nmetadata:\n  hermes:\n    config:\n"
                  "      - {key: pay.form, description: one}\n      - {key: pay.stored, description: two}\n"
                  "      - {key: pay.plain, description: three}\n",
                  "Text.\n");
  house.put_home(".env", "OTHER_NAME=stored-0123456789\n");
  house.configure("skills.config.pay.form", "sk_live_0123456789abcdef");
  house.configure("skills.config.pay.stored", "at/stored-0123456789/x");
  house.configure("skills.config.pay.plain", "plain");
  EXPECT_THAT(house.content("pay"), HasSubstr("  pay.form = (not shown: it looks like a secret)\n"
                                              "  pay.stored = (not shown: it looks like a secret)\n"
                                              "  pay.plain = plain\n]"));
}

TEST_F(SkillLoadTest, AConfiguredPathNeverOpensHomesOrOurOwn) {
  std::string entries;
  const std::vector<std::string> places = {"/", house.root(), house.root() + "/logs", house.environment()["HOME"]};
  for (size_t i = 0; i < places.size(); ++i) {
    entries += "      - {key: bad.p" + std::to_string(i) + ", description: d}\n";
    house.configure("skills.config.bad.p" + std::to_string(i), places[i]);
  }
  house.put_skill("bad", "name: bad\ndescription: Bad.\nmetadata:\n  hermes:\n    config:\n" + entries, "Text.\n");
  house.put_home(".env", "SOME_TOKEN=some-0123456789\n");
  house.view("bad");
  EXPECT_EQ(house.shell("ls " + house.root() + "; cat " + house.root() + "/.env 2>/dev/null || echo no"),
            "skills\nno\n");
}

// A path that is shown must not become another one by a link that a command puts in its place.
TEST_F(SkillLoadTest, NoLinkChoosesWhatIsShown) {
  const std::string hidden = house.environment()["HOME"] + "/.ssh";
  ASSERT_TRUE(make_directories(hidden));
  ASSERT_TRUE(write_file_atomically(hidden + "/id", "private", 0644));
  ASSERT_TRUE(make_directories(house.workspace() + "/notes"));
  house.put_skill("notes",
                  "name: notes\ndescription: N.\nmetadata:\n  hermes:\n    config:\n"
                  "      - {key: notes.dir, description: d}\n",
                  "Text.\n");
  house.configure("skills.config.notes.dir", house.workspace() + "/notes");
  house.shell("rmdir notes; ln -s " + hidden + " notes");
  house.view("notes");
  EXPECT_EQ(house.shell("cat " + hidden + "/id notes/id 2>/dev/null || echo no"), "no\n");
  house.shell("ln -sfn " + house.root() + " notes");
  EXPECT_EQ(house.shell("cat " + house.root() + "/config.yaml 2>/dev/null || echo no"), "no\n");
}

TEST_F(SkillLoadTest, ASkillFileThatIsALinkToSomethingElseIsNoSkill) {
  house.put_home(".env", "SOME_TOKEN=some-0123456789\n");
  ASSERT_TRUE(make_directories(house.root() + "/skills/leak"));
  ASSERT_EQ(::symlink("../../.env", (house.root() + "/skills/leak/SKILL.md").c_str()), 0);
  house.put_skill("whole", "name: whole\ndescription: W.\n", "Text.\n");
  ASSERT_TRUE(make_directories(house.root() + "/skills/linked"));
  ASSERT_EQ(::symlink("../whole/SKILL.md", (house.root() + "/skills/linked/SKILL.md").c_str()), 0);
  EXPECT_THAT(house.names(), ElementsAre("whole"));
  EXPECT_THAT(write_json(house.list()) + write_json(house.view("leak")), Not(HasSubstr("some-0123456789")));
  EXPECT_TRUE(boolean_or(house.view("whole"), "success"));
}

TEST_F(SkillLoadTest, CommunitySkillsAndBrokenOriginsGetNothing) {
  house.put_skill("gifs", needs_key, "Text.\n");
  house.put_home(".env", "TENOR_API_KEY=tenor-0123456789\n");
  for (const char* origins : {R"({"gifs": {"trust": "community"}})", "{broken"}) {
    house.put_home("skills/.talaria/origins.json", origins);
    EXPECT_EQ(text_or(house.view("gifs"), "trust"), "community");
    EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY}"), "0\n") << origins;
  }
}

TEST_F(SkillLoadTest, ADefaultReadsNoVariables) {
  house.environment()["MY_LOGIN"] = "bob-and-his-word";
  house.put_skill("spy",
                  "name: spy\ndescription: S.\nmetadata:\n  hermes:\n    config:\n"
                  "      - {key: spy.a, description: d, default: \"${MY_LOGIN}\"}\n",
                  "Text.\n");
  EXPECT_THAT(house.content("spy"), HasSubstr("spy.a = ${MY_LOGIN}"));
}

TEST_F(SkillLoadTest, FilePathsStayInsideTheSkill) {
  house.put_skill("files", "name: files\ndescription: Files.\n", "Text.\n");
  house.put_home("skills/files/references/deep/notes.md", "notes", 0644);
  house.put_home("skills/files/data.bin",
                 std::string("\x7f"
                             "ELF\0\1\2",
                             7),
                 0644);
  house.put_home("secret", "secret");
  ASSERT_EQ(::symlink("../../secret", (house.root() + "/skills/files/out").c_str()), 0);
  ASSERT_EQ(::symlink("references/deep/notes.md", (house.root() + "/skills/files/in").c_str()), 0);
  const auto read = [&](const std::string& path) { return house.view("files", {{"file_path", path}}); };
  EXPECT_EQ(text_or(read("references/deep/notes.md"), "content"), "notes");
  EXPECT_EQ(text_or(read("in"), "content"), "notes");
  EXPECT_TRUE(boolean_or(read("data.bin"), "is_binary"));
  for (const std::string& path :
       {std::string("out"), std::string("../../secret"), house.root() + "/secret",
        std::string("references/../../../secret"), std::string("references/deep/.."), std::string(5000, 'a'),
        std::string(100'000, 'a'), std::string("in\0.md", 6), std::string(1, '\0'), std::string("missing")}) {
    const JsonObject refused = read(path);
    EXPECT_TRUE(refused.contains("error")) << path;
    EXPECT_THAT(write_json(refused), Not(HasSubstr("\"secret\""))) << path;
  }
  const std::string listed = write_json(house.view("files").at("linked_files"));
  EXPECT_THAT(listed, AllOf(HasSubstr("references/deep/notes.md"), HasSubstr("data.bin"), Not(HasSubstr("\"out\""))));
}

TEST_F(SkillLoadTest, NamesThatAreNotSkillsAreRefusedInWords) {
  house.put_skill("real", "name: real\ndescription: Real.\n", "Text.\n");
  for (const std::string& name : {std::string("../real"), std::string("/etc/passwd"), std::string("skills/../../x"),
                                  std::string("nothing"), std::string(".."), std::string(200, 'x')}) {
    const JsonObject answer = house.view(name);
    EXPECT_THAT(text_or(answer, "error"), HasSubstr("not found")) << name;
    EXPECT_FALSE(boolean_or(answer, "success", true));
  }
  EXPECT_THAT(text_or(house.view(std::string(100'000, 'x')), "error"), HasSubstr("at most 256 bytes"));
  for (const std::string& name : {std::string("real\0", 5), std::string(1, '\0')}) {
    EXPECT_THAT(text_or(house.view(name), "error"), HasSubstr("no control characters"));
  }
  EXPECT_THAT(texts_in(house.view("reel"), "available_skills"), Contains("real"));
  EXPECT_EQ(text_or(house.view("REAL"), "name"), "real");
}

}  // namespace
}  // namespace talaria
