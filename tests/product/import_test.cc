// talaria import hermes: what a person has there is found here, and nothing there changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "config/dotenv.h"
#include "config/settings.h"
#include "os/file.h"
#include "product/prompt_window.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Every path below `folder` with its mode, when it was changed, and what it holds.
std::map<std::string, std::string> snapshot(const std::string& folder) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat info {};
    EXPECT_EQ(::lstat(entry.path().c_str(), &info), 0);
    const std::string text = S_ISREG(info.st_mode) ? *read_file(entry.path().string()) : "";
    seen[entry.path().string()] = std::to_string(info.st_mode) + " " + std::to_string(info.st_ctim.tv_sec) + "." +
                                  std::to_string(info.st_ctim.tv_nsec) + " " + text;
  }
  return seen;
}

class ImportTest : public testing::Test {
 protected:
  void SetUp() override {
    hermes_ = house_.environment()["HOME"] + "/.hermes";
    put("config.yaml",
        "model: {default: some-model}\nterminal:\n  env_passthrough: [TENOR_API_KEY]\n"
        "code_execution:\n  timeout: 90\nskills:\n  disabled: [noisy]\n  config:\n    wiki:\n      path: ~/wiki\n");
    put(".env", "TENOR_API_KEY=TSK-tenor\nOPENAI_API_KEY='TSK openai'\nEMPTY=\nTSK stray\nPATH=/TSK\n");
    put("skills/research/arxiv/SKILL.md", "---\nname: arxiv\ndescription: Papers\n---\nSearch.\n");
    put("google_token.json", "{}");
  }

  void put(const std::string& path, const std::string& text) {
    const std::string place = hermes_ + "/" + path;
    ASSERT_TRUE(make_directories(place.substr(0, place.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(place, text, 0600, Durable::no));
  }
  Settings settings() { return *load_settings(house_.home().config()); }
  std::map<std::string, std::string> variables() { return *read_dotenv(house_.root() + "/.env"); }

  House house_;
  std::string hermes_;
};

TEST_F(ImportTest, TakesSettingsAndVariablesAndChangesNothingThere) {
  const auto before = snapshot(hermes_);
  const Ran ran = house_.run({"import", "hermes", "--yes"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "setting\tmodel\tnot understood\t\n"
            "setting\tterminal.env_passthrough\tto be taken\tTENOR_API_KEY\n"
            "setting\tcode_execution.timeout\tto be taken\t90\n"
            "setting\tskills.disabled\tto be taken\tnoisy\n"
            "setting\tskills.config.wiki.path\tto be taken\t~/wiki\n"
            "variable\tEMPTY\tkept\ttheirs is empty\n"
            "variable\tOPENAI_API_KEY\tto be taken\tcommands are never given it\n"
            "variable\tPATH\tleft\tnever passed: it decides which programs and modules run\n"
            "variable\tTENOR_API_KEY\tto be taken\t\n"
            "variable\tline 4 of .env\tnot understood\tit is no NAME=value\n"
            "skill\t" +
                hermes_ + "/skills\tkept\t1 skill, read where it is; --copy-skills copies it\n" +
                "file\tgoogle_token.json\tby hand\ta skill that names it looks for it in " + house_.root() + "\n");
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("TSK")));
  EXPECT_EQ(settings().code_execution.timeout, 90);
  EXPECT_EQ(settings().skills.config.at("wiki.path"), "~/wiki");
  EXPECT_THAT(settings().skills.external_dirs, IsEmpty());  // ~/.hermes is looked at anyway
  EXPECT_EQ(variables(),
            (std::map<std::string, std::string>{{"OPENAI_API_KEY", "TSK openai"}, {"TENOR_API_KEY", "TSK-tenor"}}));
  EXPECT_EQ(snapshot(hermes_), before);
  const std::string config = *read_file(house_.home().config());
  const Ran again = house_.run({"import", "hermes", "--yes"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err, "nothing is left to import\n");
  EXPECT_EQ(*read_file(house_.home().config()), config);
}

TEST_F(ImportTest, ADryRunChangesNothingAtAll) {
  const std::string base = house_.environment()["HOME"];
  const auto before = snapshot(base);
  const Ran ran = house_.run({"import", "hermes", "--dry-run", "--copy-skills"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("code_execution.timeout\tto be taken"), HasSubstr("skill\tresearch/arxiv\tto be taken")));
  EXPECT_EQ(ran.err, "nothing was changed (--dry-run)\n");
  EXPECT_EQ(snapshot(base), before);
}

TEST_F(ImportTest, WithoutATerminalItWantsAYes) {
  const Ran ran = house_.run({"import", "hermes"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("add --yes"));
  EXPECT_FALSE(exists(house_.home().config()));
}

TEST_F(ImportTest, AtATerminalItAsks) {
  PromptWindow no(house_, "talaria", {"import", "hermes"});
  no.await_output("Import this? [y/N]: ");
  no.type("\n");
  EXPECT_EQ(no.finish(), 1);
  EXPECT_FALSE(exists(house_.home().config()));
  PromptWindow yes(house_, "talaria", {"import", "hermes"});
  yes.await_output("Import this? [y/N]: ");
  yes.type("y\n");
  EXPECT_EQ(yes.finish(), 0);
  EXPECT_THAT(yes.shown(), AllOf(HasSubstr("imported from " + hermes_), Not(HasSubstr("TSK"))));
  EXPECT_EQ(variables().at("TENOR_API_KEY"), "TSK-tenor");
}

TEST_F(ImportTest, WhatIsSetHereStaysUnlessTold) {
  ASSERT_EQ(house_.run({"config", "set", "code_execution.timeout", "5"}).code, 0);
  ASSERT_EQ(house_.run({"env", "set", "TENOR_API_KEY"}, "TSK-mine\n").code, 0);
  ASSERT_EQ(house_.run({"import", "hermes", "--yes"}).code, 0);
  EXPECT_EQ(settings().code_execution.timeout, 5);
  EXPECT_EQ(variables().at("TENOR_API_KEY"), "TSK-mine");
  const Ran ran = house_.run({"import", "hermes", "--yes", "--overwrite"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("TSK")));
  EXPECT_EQ(settings().code_execution.timeout, 90);
  EXPECT_EQ(variables().at("TENOR_API_KEY"), "TSK-tenor");
}

TEST_F(ImportTest, CopiesSkillsWhenAsked) {
  const Ran ran = house_.run({"import", "hermes", "--yes", "--copy-skills", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const JsonObject answer = *parse_json_object(ran.out);
  EXPECT_TRUE(boolean_or(answer, "changed"));
  EXPECT_EQ(text_or(answer, "from"), hermes_);
  EXPECT_THAT(ran.out, AllOf(HasSubstr(R"({"kind":"skill","name":"research/arxiv","result":"taken","detail":""})"),
                             Not(HasSubstr("TSK"))));
  EXPECT_EQ(*read_file(house_.root() + "/skills/research/arxiv/SKILL.md"),
            *read_file(hermes_ + "/skills/research/arxiv/SKILL.md"));
  EXPECT_THAT(*list_directory(house_.home().cache()), IsEmpty());
}

TEST_F(ImportTest, ACopiedSkillTakesNobodysName) {
  const std::string mine = house_.root() + "/skills/cat/demo";
  ASSERT_TRUE(make_directories(mine));
  ASSERT_TRUE(write_file_atomically(mine + "/SKILL.md", "---\nname: demo\ndescription: Mine.\n---\nMine.\n"));
  put("skills/b/h2/SKILL.md", "---\nname: demo\ndescription: Theirs.\n---\nTheirs.\n");
  const Ran ran = house_.run({"import", "hermes", "--yes", "--copy-skills"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("skill\tb/h2\tkept\tthe name demo is that of the skill in " + mine + "\n"));
  EXPECT_THAT(house_.run({"skills", "view", "demo"}).out, HasSubstr("Mine."));
}

TEST_F(ImportTest, SecretsAmongTheSettingsOfSkillsAreNotShown) {
  put("config.yaml",
      "skills:\n  config:\n    a: {key: sk-proj-TSK1b2C3d4E5f6G7h8I9}\n    b: {url: 'https://u:TSK@h/'}\n");
  const Ran ran = house_.run({"import", "hermes", "--yes"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out + ran.err, AllOf(HasSubstr("(not shown: it looks like a secret)"), Not(HasSubstr("TSK"))));
  const Ran shown = house_.run({"config", "show"}), json = house_.run({"config", "show", "--json"});
  EXPECT_THAT(shown.out + json.out, AllOf(HasSubstr("a.key"), Not(HasSubstr("TSK"))));
  EXPECT_EQ(house_.run({"config", "get", "skills.config.b.url"}).out, "https://u:TSK@h/\n");
}

TEST_F(ImportTest, AnotherPlaceIsNamedOrComesFromTheEnvironment) {
  const std::string elsewhere = house_.workspace() + "/old";
  std::filesystem::rename(hermes_, elsewhere);
  const Ran none = house_.run({"import", "hermes", "--yes"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, AllOf(HasSubstr(hermes_ + " is not a folder"), HasSubstr("--from")));
  ASSERT_EQ(house_.run({"import", "hermes", "--from", "old", "--yes"}).code, 0);
  EXPECT_THAT(settings().skills.external_dirs, ElementsAre(elsewhere + "/skills"));
  house_.environment()["HERMES_HOME"] = elsewhere;
  EXPECT_EQ(house_.run({"import", "hermes", "--yes"}).err, "nothing is left to import\n");
}

TEST_F(ImportTest, ABrokenSourceIsNamedAndNothingIsTaken) {
  put("config.yaml", "terminal:\n  env_passthrough: [\n");
  const Ran ran = house_.run({"import", "hermes", "--yes"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr(hermes_ + "/config.yaml:3:1: "));
  EXPECT_FALSE(exists(house_.root() + "/.env"));
  const std::string empty = house_.workspace() + "/empty";
  ASSERT_TRUE(make_directories(empty));
  EXPECT_THAT(house_.run({"import", "hermes", "--from", empty}).err, HasSubstr("holds no config.yaml"));
  ASSERT_TRUE(make_directories(house_.root()));
  EXPECT_THAT(house_.run({"import", "hermes", "--from", house_.root()}).err, HasSubstr("own home"));
  EXPECT_EQ(house_.run({"import", "other"}).code, 2);
}

TEST_F(ImportTest, OurOwnBrokenFileIsLeftAlone) {
  ASSERT_EQ(house_.run({"config", "set", "exec.timeout", "5"}).code, 0);
  ASSERT_TRUE(write_file_atomically(house_.home().config(), "exec: {timeout: soon}\n"));
  const Ran ran = house_.run({"import", "hermes", "--yes"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr(house_.home().config() + ":1:17: "));
  EXPECT_EQ(*read_file(house_.home().config()), "exec: {timeout: soon}\n");
}

TEST_F(ImportTest, AJobImportsNothing) {
  house_.environment()["TALARIA_JOB"] = "abcdefgh";
  EXPECT_THAT(house_.run({"import", "hermes", "--yes"}).err, HasSubstr("from inside a job"));
  house_.environment().erase("TALARIA_JOB");
  EXPECT_FALSE(exists(house_.home().config()));
}

}  // namespace
}  // namespace talaria
