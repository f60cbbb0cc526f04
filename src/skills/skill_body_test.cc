#include "skills/skill_body.h"

#include <gtest/gtest.h>

#include "skills/load_trial.h"

namespace talaria {
namespace {

BodyRules rules(Trust trust, bool inline_shell) {
  BodyRules rules;
  rules.tokens = {"/skills/demo", "s1"};
  rules.inline_shell.enabled = inline_shell;
  rules.trust = trust;
  return rules;
}

TEST(SkillBodyTest, ReplacesTokensBeforeItLooksForSnippets) {
  const PreparedBody body =
      prepare_body("!`ls ${HERMES_SKILL_DIR}` in ${HERMES_SESSION_ID}", rules(Trust::local, true));
  ASSERT_EQ(body.snippets.size(), 1u);
  EXPECT_EQ(body.snippets[0].command, "ls /skills/demo");
  EXPECT_EQ(body.finished({{SnippetResult::End::exited, 0, "SKILL.md\n", ""}}), "SKILL.md in s1");
  EXPECT_EQ(body.note, "");
}

TEST(SkillBodyTest, SnippetsStayAsTheyAreWhereTheyMayNotRun) {
  const PreparedBody off = prepare_body("!`a` ${HERMES_SESSION_ID}", rules(Trust::local, false));
  EXPECT_EQ(off.finished({}), "!`a` s1");
  EXPECT_EQ(off.note, "");
  const PreparedBody community = prepare_body("!`a` !`b`", rules(Trust::community, true));
  EXPECT_EQ(community.finished({}), "!`a` !`b`");
  EXPECT_EQ(community.note,
            "2 inline-shell snippets were not run, for the skill's trust is community; skills.inline_shell_trust can "
            "allow it");
}

TEST(SkillBodyTest, TokensCanBeTurnedOff) {
  BodyRules off = rules(Trust::local, true);
  off.template_vars = false;
  EXPECT_EQ(prepare_body("${HERMES_SKILL_DIR}", off).text, "${HERMES_SKILL_DIR}");
}

TEST(SkillBodyTest, ReadsASkillAndNothingElse) {
  const LoadTrial trial;
  trial.put("SKILL.md", "---\nname: demo\n---\nText\n");
  trial.put("large", std::string((4 << 20) + 1, 'x'));
  trial.link("other/SKILL.md", "../SKILL.md");
  trial.link("wrong/SKILL.md", "../large");
  ASSERT_EQ(::mkfifo(trial.path("pipe").c_str(), 0644), 0);
  EXPECT_EQ(read_skill(trial.path("SKILL.md"))->body, "Text\n");
  EXPECT_EQ(read_skill(trial.path("other/SKILL.md"))->body, "Text\n");
  EXPECT_EQ(read_skill(trial.path("wrong/SKILL.md")).error().code(), ErrorCode::denied);
  EXPECT_EQ(read_skill(trial.path("pipe")).error().message(), trial.path("pipe") + " is not a regular file");
  EXPECT_EQ(read_skill(trial.path("large")).error().message(), trial.path("large") + " is larger than 4 MiB");
  EXPECT_EQ(read_skill(trial.path("gone")).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace talaria
