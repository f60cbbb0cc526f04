// What a loaded skill gives to the commands of its session, and that a person can take it back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* rev_matter =
    "name: rev\ndescription: R.\nrequired_environment_variables: [TENOR_API_KEY]\n"
    "required_credential_files: [google_token.json]\nmetadata: {hermes: {config: [{key: rev.dir, description: d}]}}\n";

class SkillGrantsTest : public testing::Test {
 protected:
  void SetUp() override {
    house.put_home(".env", "TENOR_API_KEY=tenor-0123456789\n");
    house.put_home("google_token.json", "token");
    ASSERT_TRUE(make_directories(data()));
    ASSERT_TRUE(write_file_atomically(data() + "/file", "data", 0644));
    house.configure("skills.config.rev.dir", data());
  }
  void TearDown() override { (void)remove_tree(data()); }

  std::string data() const { return house.root() + "-data"; }
  std::string token() const { return house.root() + "/google_token.json"; }
  std::string put_rev() { return house.put_skill("rev", rev_matter, "Text.\n"); }
  // The skill of a project in the workspace.
  void put_project_rev(const std::string& text = "Text.\n") {
    ASSERT_TRUE(make_directories(house.workspace() + "/.git"));
    ASSERT_TRUE(make_directories(house.workspace() + "/.agents/skills/rev"));
    house.put(".agents/skills/rev/SKILL.md", std::string("---\n") + rev_matter + "---\n" + text);
  }
  void person(const std::vector<std::string>& words) {
    const Ran ran = house.run(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
  }

  // What commands and programs have, whatever runs them: the variable, the credential file, the configured path.
  std::string given() {
    const std::string look = "echo key=${#TENOR_API_KEY} token=$(cat " + token() +
                             " 2>/dev/null || echo none) data=$(cat " + data() +
                             "/file 2>/dev/null || echo none) home=${HERMES_HOME:+set}";
    const std::string shown = house.shell(look);
    EXPECT_THAT(text_of(house.exec(look)), HasSubstr(shown.substr(0, shown.size() - 1)));
    const JsonObject ran = house.run_code("import subprocess\nprint(subprocess.run(['bash', '-c', '''" + look +
                                          "'''], capture_output=True, text=True).stdout, end='')");
    EXPECT_EQ(text_or(ran, "output"), shown) << write_json(ran);
    return shown;
  }
  bool is_shown(const std::string& path) { return house.shell("test -e " + path + " && echo yes") == "yes\n"; }

  const std::string all = "key=16 token=token data=data home=set\n";
  const std::string nothing = "key=0 token=none data=none home=\n";
  SkillHouse house;
};

TEST_F(SkillGrantsTest, ADisabledSkillGivesNothingUntilItIsEnabledAgain) {
  const std::string folder = put_rev();
  house.view("rev");
  EXPECT_EQ(given(), all);
  person({"skills", "disable", "rev"});
  EXPECT_EQ(given(), nothing);
  EXPECT_FALSE(is_shown(folder + "/SKILL.md"));
  house.kill_gateway();
  EXPECT_EQ(given(), nothing);
  person({"skills", "enable", "rev"});
  EXPECT_EQ(given(), all);
  EXPECT_TRUE(is_shown(folder + "/SKILL.md"));
}

TEST_F(SkillGrantsTest, ARemovedSkillGivesNothing) {
  const std::string folder = put_rev();
  house.view("rev");
  EXPECT_EQ(given(), all);
  ASSERT_TRUE(remove_tree(folder));
  EXPECT_EQ(given(), nothing);
  house.kill_gateway();
  EXPECT_EQ(given(), nothing);
  house.put_skill("other/rev", rev_matter, "Text.\n");
  EXPECT_EQ(given(), nothing) << "another one of that name was not loaded";
}

TEST_F(SkillGrantsTest, ASkillWhoseNameAnotherOneTookGivesWhatItGave) {
  put_rev();
  house.view("rev");
  put_project_rev();
  person({"skills", "trust"});
  EXPECT_EQ(given(), all);
}

TEST_F(SkillGrantsTest, AProjectThatIsNoLongerTrustedGivesNothing) {
  put_project_rev();
  person({"skills", "trust"});
  house.view("rev");
  EXPECT_EQ(given(), all);
  person({"skills", "untrust"});
  EXPECT_EQ(given(), nothing);
  person({"skills", "trust"});
  EXPECT_EQ(given(), all);
  put_project_rev("Changed.\n");
  EXPECT_EQ(given(), nothing) << "this text was not trusted";
}

TEST_F(SkillGrantsTest, ASkillThatAnAgentChangedGivesNothingUntilItIsTrusted) {
  const std::string folder = put_rev();
  house.view("rev");
  EXPECT_EQ(given(), all);
  ASSERT_EQ(text_or(house.manage("patch", "rev", {{"old_string", "Text."}, {"new_string", "Changed."}}), "error"), "");
  EXPECT_EQ(given(), nothing);
  EXPECT_TRUE(is_shown(folder + "/SKILL.md")) << "it can be read still";
  EXPECT_THAT(write_json(house.view("rev").at("diagnostics")), HasSubstr("not given to commands until"));
  EXPECT_EQ(given(), nothing);
  person({"skills", "trust", "rev"});
  EXPECT_EQ(given(), all);
}

TEST_F(SkillGrantsTest, WhatASkillDeclaresNoMoreItDoesNotGet) {
  put_rev();
  house.view("rev");
  EXPECT_EQ(given(), all);
  house.put_skill("rev", "name: rev\ndescription: R.\nrequired_credential_files: [google_token.json]\n", "Text.\n");
  EXPECT_EQ(given(), "key=0 token=token data=none home=set\n");
  house.put_skill("rev", "name: rev\ndescription: R.\nrequired_environment_variables: [TENOR_API_KEY, MORE]\n", "T\n");
  house.put_home(".env", "TENOR_API_KEY=tenor-0123456789\nMORE=more\n");
  EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY} ${#MORE}"), "16 0\n") << "what it declares since was not loaded";
}

TEST_F(SkillGrantsTest, OnThePlainHostTooADisabledSkillGivesNothing) {
  house.configure("exec.host", "gateway");
  house.configure("exec.security", "full");
  house.configure("exec.ask", "off");
  put_rev();
  house.view("rev");
  EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY}"), "16\n");
  person({"skills", "disable", "rev"});
  EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY}"), "0\n");
}

TEST_F(SkillGrantsTest, ACopyOfWhatWasTakenBackStaysMasked) {
  put_rev();
  house.view("rev");
  house.shell("export COPY=$TENOR_API_KEY");
  person({"skills", "disable", "rev"});
  EXPECT_EQ(house.shell("echo $COPY ${#TENOR_API_KEY}"), "[masked TENOR_API_KEY] 0\n");
  EXPECT_THAT(write_json(house.run_code("import os; print(os.environ.get('COPY'))")),
              Not(HasSubstr("tenor-0123456789")));
}

TEST_F(SkillGrantsTest, ACredentialFileThatIsGoneIsNoFileInside) {
  put_rev();
  house.view("rev");
  const auto put_token = [&] {
    (void)remove_tree(token());
    house.put_home("google_token.json", "token");
    EXPECT_EQ(house.shell("cat " + token()), "token");
  };
  put_token();
  ASSERT_EQ(::unlink(token().c_str()), 0);
  EXPECT_FALSE(is_shown(token()));
  put_token();
  ASSERT_EQ(::unlink(token().c_str()), 0);
  ASSERT_EQ(::mkdir(token().c_str(), 0755), 0);
  EXPECT_FALSE(is_shown(token()));
  put_token();
  ASSERT_EQ(::unlink(token().c_str()), 0);
  ASSERT_EQ(::mkfifo(token().c_str(), 0600), 0);
  EXPECT_FALSE(is_shown(token()));
  put_token();
  ASSERT_EQ(::unlink(token().c_str()), 0);
  ASSERT_EQ(::symlink("/etc/hostname", token().c_str()), 0);
  EXPECT_FALSE(is_shown(token()));
  EXPECT_EQ(text_or(house.run_code("import os; print(os.path.lexists('" + token() + "'))"), "output"), "False\n");
  put_token();
}

// An agent writes a skill, loads it to see how it reads, and goes on.
TEST_F(SkillGrantsTest, ASkillInTheWorkspaceStaysWritable) {
  ASSERT_TRUE(make_directories(house.workspace() + "/.git"));
  house.put(".git/config", "[core]\n");
  house.configure("skills.external_dirs", "[" + house.workspace() + "/mine]");
  ASSERT_TRUE(make_directories(house.workspace() + "/mine"));
  EXPECT_EQ(house.shell("for f in mine/one .talaria/skills/two; do mkdir -p $f && "
                        "printf -- '---\\ndescription: d\\n---\\nText.\\n' > $f/SKILL.md; done"),
            "");
  person({"skills", "trust"});
  const std::string write =
      "for f in mine/one .talaria/skills/two; do echo x > $f/new && echo more >> $f/SKILL.md && echo wrote; done; "
      "echo x 2>/dev/null >> .git/config || echo protected";
  EXPECT_EQ(house.shell(write), "wrote\nwrote\nprotected\n");
  EXPECT_TRUE(boolean_or(house.view("one"), "success"));
  EXPECT_TRUE(boolean_or(house.view("two"), "success"));
  EXPECT_EQ(house.shell(write), "wrote\nwrote\nprotected\n");
  EXPECT_TRUE(
      boolean_or(details_of(house.call("write_file", {{"path", "mine/one/new"}, {"content", "y"}})), "success", true));
  EXPECT_EQ(*read_file(house.workspace() + "/mine/one/new"), "y");
}

}  // namespace
}  // namespace talaria
