#include "skills/requirements.h"

#include <gtest/gtest.h>

#include "skills/load_trial.h"

namespace talaria {
namespace {

EnvironmentNeed need(const std::string& name, const std::string& help = "") {
  return {name, "Enter " + name, help, ""};
}

TEST(RequirementsTest, AVariableIsSetInDotenvElseInTheEnvironment) {
  const std::map<std::string, std::string> dotenv = {{"A", "1"}, {"B", ""}};
  const std::map<std::string, std::string> environment = {{"A", ""}, {"B", "1"}, {"C", "1"}, {"D", ""}};
  EXPECT_TRUE(is_variable_set("A", dotenv, environment));
  EXPECT_FALSE(is_variable_set("B", dotenv, environment));  // .env names it, and it is empty there
  EXPECT_TRUE(is_variable_set("C", dotenv, environment));
  EXPECT_FALSE(is_variable_set("D", dotenv, environment));
  EXPECT_FALSE(is_variable_set("E", dotenv, environment));
}

TEST(RequirementsTest, TellsPresentVariablesFromMissingOnes) {
  SkillCard card;
  card.environment = {need("A"), need("B"), need("C"), need("PATH"), need("LD_PRELOAD")};
  const EnvironmentState state = environment_state(card, [](const std::string& name) { return name == "B"; });
  EXPECT_EQ(state, (EnvironmentState{{need("B")}, {need("A"), need("C")}}));
}

TEST(RequirementsTest, LooksForProgramsInThePath) {
  const LoadTrial trial;
  trial.put("bin/jq", "", 0755);
  trial.put("bin/data", "", 0644);
  ASSERT_EQ(::mkdir(trial.path("bin/folder").c_str(), 0755), 0);
  trial.put("other/node", "", 0755);
  SkillCard card;
  card.commands = {"jq", "data", "folder", "node", "gone", "../bin/jq", trial.path("bin/jq"), trial.path("gone"), ""};
  EXPECT_EQ(missing_commands(card, "::relative:" + trial.path("bin") + ":/nonexistent:" + trial.path("other")),
            (std::vector<std::string>{"data", "folder", "gone", "../bin/jq", trial.path("gone"), ""}));
}

TEST(RequirementsTest, WritesTheSetupNote) {
  Requirements needs;
  EXPECT_EQ(setup_note(needs), "");
  EXPECT_FALSE(needs.setup_needed());
  needs.environment.present = {need("P", "unused")};
  EXPECT_EQ(setup_note(needs), "");
  needs.environment.missing = {need("A", "Get one at https://example.com"),
                               need("B", "Get one at https://example.com")};
  needs.credentials.missing = {{"x.json", ""}};
  needs.credential_folder = "/home/me/.talaria";
  EXPECT_EQ(setup_note(needs),
            "Setup needed before using this skill: missing env $A, env $B, file /home/me/.talaria/x.json. Get one at "
            "https://example.com");
  EXPECT_TRUE(needs.setup_needed());
}

TEST(RequirementsTest, TheNoteSaysWhatFilesAreAndWhyTheyAreRefused) {
  Requirements needs;
  needs.credentials.missing = {{"t.json", "made by\nsetup.py"}};
  needs.credentials.refused = {{".env", "no"}};
  needs.credential_folder = "/h";
  EXPECT_EQ(setup_note(needs),
            "Setup needed before using this skill: missing file /h/t.json, file .env. t.json: made by\\nsetup.py. "
            ".env: refused, no.");
  EXPECT_TRUE(needs.setup_needed());
}

TEST(RequirementsTest, MissingProgramsAreSaidButNoSetup) {
  Requirements needs;
  needs.missing_commands = {"jq", "yq"};
  EXPECT_EQ(setup_note(needs), "Programs it calls that were not found here: jq, yq.");
  EXPECT_FALSE(needs.setup_needed());
}

TEST(RequirementsTest, SaysHowToSetVariablesLocally) {
  Requirements needs;
  const SetupWay way{"demo", "~/.talaria/.env", ""};
  EXPECT_EQ(local_setup_hint(needs, way), "");
  needs.environment.missing = {need("A")};
  EXPECT_EQ(
      local_setup_hint(needs, way),
      "Secrets are not entered here. On the machine itself run `talaria skills view demo` in a terminal to be asked "
      "for them, or add NAME=value lines to ~/.talaria/.env.");
}

TEST(RequirementsTest, AFileThatIsRefusedIsNamedWithWhatToDo) {
  Requirements needs;
  needs.environment.missing = {need("A")};
  EXPECT_EQ(local_setup_hint(needs, {"demo", "/h/.env", "/h/.env can be read by others; run: chmod 600 /h/.env"}),
            "No variable is read or stored until this is mended (/h/.env can be read by others; run: chmod 600 "
            "/h/.env). After that run, on the machine itself, `talaria skills view demo` in a terminal to be asked for "
            "what is still missing.");
}

TEST(RequirementsTest, WhoSkippedTheQuestionReadsHowToSetItLater) {
  Requirements needs;
  needs.environment.missing = {need("A")};
  const SetupWay way{"demo", "/h/.env", "", SetupWay::Asked::person_skipped};
  EXPECT_EQ(local_setup_hint(needs, way),
            "The question was skipped at the terminal; `talaria env set A` sets it later.");
  needs.environment.missing.push_back(need("B"));
  EXPECT_EQ(local_setup_hint(needs, way),
            "The question was skipped at the terminal; `talaria env set A`, `talaria env set B` set them later.");
}

}  // namespace
}  // namespace talaria
