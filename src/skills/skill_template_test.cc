#include "skills/skill_template.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "skills/skill_report.h"
#include "skills/tokens.h"

namespace talaria {
namespace {

class SkillTemplateTest : public testing::Test {
 protected:
  SkillTemplateTest() : root_(testing::TempDir() + "skill_template." + std::to_string(::getpid())) {}
  ~SkillTemplateTest() override { (void)remove_tree(root_); }

  std::string root_;
};

TEST_F(SkillTemplateTest, ANewSkillHasNothingSaidAboutIt) {
  for (std::string description : {"Does it. Use when: asked", "\"quoted\" # and: more\nin two lines", "true"}) {
    const Result<std::string> made = make_skill(root_, "my-skill", description);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(*made, root_ + "/my-skill");
    const std::vector<SkillReport> reports = check_skills(*made);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_TRUE(reports[0].loads);
    for (const SkillDiagnostic& diagnostic : reports[0].diagnostics) ADD_FAILURE() << diagnostic.message;
    EXPECT_EQ(reports[0].card.name, "my-skill");
    EXPECT_TRUE(remove_tree(*made));
  }
}

TEST_F(SkillTemplateTest, ADescriptionThatIsStillTheTemplatesIsSaid) {
  const Result<std::string> made = make_skill(root_, "my-skill", "");
  ASSERT_TRUE(made) << made.error().message();
  const std::vector<SkillDiagnostic> said = check_skills(*made)[0].diagnostics;
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], (SkillDiagnostic{Severity::warning, 3,
                                      "description: is still that of the template; say what the skill does and when to "
                                      "use it"}));
}

TEST_F(SkillTemplateTest, TheDescriptionIsKept) {
  const Result<std::string> made = make_skill(root_, "x", "Say: \"hi\"\n# now");
  ASSERT_TRUE(made);
  EXPECT_EQ(check_skills(*made)[0].card.description, "Say: \"hi\" # now");
}

TEST_F(SkillTemplateTest, EverySectionIsThere) {
  const std::vector<TemplateFile> files = skill_template("my-skill", "");
  ASSERT_EQ(files[0].path, "SKILL.md");
  for (std::string section :
       {"# My skill\n", "## When to Use\n", "## Quick Reference\n", "## Procedure\n", "## Pitfalls\n",
        "## Verification\n", "${HERMES_SKILL_DIR}", "required_environment_variables", "Skill or tool?"}) {
    EXPECT_NE(files[0].content.find(section), std::string::npos) << section;
  }
}

TEST_F(SkillTemplateTest, WhatItSaysAboutTokensIsReadAsWritten) {
  const std::string text = skill_template("my-skill", "")[0].content;
  const size_t start = text.find("- Written as ${"), end = text.find('\n', start);
  ASSERT_NE(start, std::string::npos);
  const std::string rule = text.substr(start, end - start);
  EXPECT_NE(with_tokens(text, {"/folder", "session"}).find(rule), std::string::npos);
}

TEST_F(SkillTemplateTest, ItsOptionalFieldsAreGoodOnesOnceTheyAreTakenUp) {
  std::string text;
  const std::vector<TemplateFile> files = skill_template("a", "d");
  for (std::string_view rest = files[0].content; !rest.empty();) {
    const size_t end = rest.find('\n');
    std::string line(rest.substr(0, end));
    const size_t mark = line.find("# ");
    const size_t colon = line.find(':');
    const bool field = mark != std::string::npos && colon != std::string::npos && line.find_first_not_of(' ') == mark &&
                       line.substr(mark, colon - mark).find(". ") == std::string::npos &&
                       line.find("The rest") == std::string::npos;
    if (field && text.find("\n---\n") == std::string::npos) line.erase(mark, 2);
    text += line + "\n";
    rest.remove_prefix(end + 1);
  }
  const FrontMatter matter = read_front_matter(text);
  const SkillCard card = read_card(matter, "a");
  for (const SkillDiagnostic& diagnostic : card.diagnostics)
    ADD_FAILURE() << diagnostic.line << ": " << diagnostic.message;
  EXPECT_EQ(card.platforms, (std::vector<std::string>{"macos", "linux"}));
  ASSERT_EQ(card.environment.size(), 1u);
  EXPECT_EQ(card.environment[0].name, "MY_API_KEY");
  ASSERT_EQ(card.credentials.size(), 1u);
  EXPECT_EQ(card.conditions.requires_toolsets, (std::vector<std::string>{"web"}));
  ASSERT_EQ(card.settings.size(), 1u);
  EXPECT_EQ(card.settings[0].default_value, "~/data");
}

TEST_F(SkillTemplateTest, TheScriptRuns) {
  const Result<std::string> made = make_skill(root_, "x", "");
  ASSERT_TRUE(made);
  const std::string script = *made + "/scripts/count.py";
  EXPECT_EQ(::access(script.c_str(), X_OK), 0);
  const std::string command = script + " " + *made + "/SKILL.md >" + root_ + "/out 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Result<JsonObject> counted = parse_json_object(*read_file(root_ + "/out"));
  ASSERT_TRUE(counted);
  EXPECT_EQ(integer_or(*counted, "bytes"), static_cast<int64_t>(read_file(*made + "/SKILL.md")->size()));
  EXPECT_NE(std::system((script + " " + root_ + "/nothing 2>/dev/null").c_str()), 0);
}

TEST_F(SkillTemplateTest, ABadNameIsRefusedWithAGoodOne) {
  const auto refused = [&](const std::string& name) {
    const Result<std::string> made = make_skill(root_, name, "");
    return made ? *made : made.error().message();
  };
  const std::string rule = " cannot be a skill's name: it takes 1 to 64 lower-case letters, digits and single hyphens";
  EXPECT_EQ(refused("My Skill"), "\"My Skill\"" + rule + "; try my-skill");
  EXPECT_EQ(refused("../up"), "\"../up\"" + rule + "; try up");
  EXPECT_EQ(refused("検索"), "\"検索\"" + rule);
  EXPECT_EQ(refused(""), "\"\"" + rule);
  EXPECT_FALSE(exists(root_));
}

TEST_F(SkillTemplateTest, WhatIsThereStays) {
  ASSERT_TRUE(make_directories(root_ + "/x"));
  const Result<std::string> made = make_skill(root_, "x", "");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::conflict);
  EXPECT_EQ(*list_directory(root_), (std::vector<std::string>{"x"}));
  EXPECT_EQ(*list_directory(root_ + "/x"), std::vector<std::string>());
}

TEST_F(SkillTemplateTest, NothingIsLeftBehindWhereItFails) {
  ASSERT_TRUE(make_directories(root_));
  ASSERT_TRUE(write_file_atomically(root_ + "/file", "", 0644, Durable::no));
  EXPECT_FALSE(make_skill(root_ + "/file", "x", ""));
  EXPECT_FALSE(make_skill(root_, "x", std::string(1025, 'a')));
  EXPECT_FALSE(make_skill(root_, "x", "\xFF"));
  EXPECT_EQ(*list_directory(root_), (std::vector<std::string>{"file"}));
}

}  // namespace
}  // namespace talaria
