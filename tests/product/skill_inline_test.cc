// Inline shell in skills, as the product runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "os/file.h"
#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SkillInlineTest : public testing::Test {
 protected:
  SkillInlineTest() { house.configure("skills.inline_shell", "true"); }

  // What a body with this snippet becomes.
  std::string text_for(const std::string& snippet) {
    const std::string folder = house.put_skill("inline", "name: inline\ndescription: Inline.\n", "<" + snippet + ">\n");
    const std::string content = house.content("inline");
    const std::string ending = ">\n\n[Skill directory: " + folder + "]";
    EXPECT_THAT(content, StartsWith("<"));
    EXPECT_TRUE(content.ends_with(ending)) << content;
    return content.substr(1, content.size() - 1 - ending.size());
  }

  SkillHouse house;
};

TEST_F(SkillInlineTest, StdoutStandsForTheSnippetWithoutItsLineEnd) {
  EXPECT_EQ(text_for("!`echo one; echo two`"), "one\ntwo");
  EXPECT_EQ(text_for("!`printf 'no end'`"), "no end");
  EXPECT_EQ(text_for("!`true`"), "");
  EXPECT_EQ(text_for("!`-x 2>/dev/null; echo a dash comes first`"), "a dash comes first");
}

TEST_F(SkillInlineTest, RunsInTheSkillsFolderAfterTokensAreReplaced) {
  const std::string folder = house.root() + "/skills/inline";
  EXPECT_EQ(text_for("!`pwd`"), folder);
  EXPECT_EQ(text_for("!`test ${HERMES_SKILL_DIR} = $PWD && echo same`"), "same");
  EXPECT_EQ(text_for("!`touch here 2>/dev/null || echo read-only`"), "read-only");
}

TEST_F(SkillInlineTest, FailuresAreMarked) {
  EXPECT_EQ(text_for("!`echo shown; exit 3`"), "[inline-shell error: exit code 3]");
  EXPECT_EQ(text_for("!`echo why >&2; exit 4`"), "[inline-shell error: exit code 4: why]");
  EXPECT_EQ(text_for("!`echo beside >&2; echo out`"), "out");
  EXPECT_THAT(text_for("!`kill -9 $$`"), HasSubstr("[inline-shell error: "));
  EXPECT_EQ(text_for("!`echo one` and !`exit 1` and !`echo two`"), "one and [inline-shell error: exit code 1] and two");
}

TEST_F(SkillInlineTest, ATimeoutEndsAllThatItStarted) {
  house.configure("skills.inline_shell_timeout", "1");
  EXPECT_EQ(text_for("!`(" + shell_holding("lock") + " sleep 600) & sleep 600`"),
            "[inline-shell error: timed out after 1s]");
  house.await_free("lock");
}

TEST_F(SkillInlineTest, AGrandchildThatHoldsTheOutputDoesNotDelay) {
  EXPECT_EQ(text_for("!`sleep 600 & echo out`"), "out");
}

TEST_F(SkillInlineTest, LongOutputIsCutAndNeverExpandedAgain) {
  EXPECT_EQ(text_for("!`head -c 5000 /dev/zero | tr '\\0' x`"), std::string(4000, 'x') + "...[truncated]");
  EXPECT_EQ(text_for("!`printf '!\\140echo twice\\140 $\\173HERMES_SESSION_ID}'`"),
            "!`echo twice` ${HERMES_SESSION_ID}");
}

TEST_F(SkillInlineTest, FencedCodeStaysAsItIs) {
  const std::string body = "```sh\n!`echo no`\n```\n!`echo yes`\n";
  house.put_skill("inline", "name: inline\ndescription: Inline.\n", body);
  EXPECT_THAT(house.content("inline"), StartsWith("```sh\n!`echo no`\n```\nyes\n"));
}

TEST_F(SkillInlineTest, ASnippetEndsAtTheNextBackTick) {
  EXPECT_EQ(text_for("!`echo one `date` two` and !`echo $(echo three)`"), "onedate` two` and three");
  for (const std::string span : {"``!`echo no` ``", "!``echo no``", "``!``echo `date` `` ``"}) {
    EXPECT_EQ(text_for(span + " !`echo yes`"), span + " yes");
  }
}

TEST_F(SkillInlineTest, NothingRunsUnlessItIsEnabled) {
  house.configure("skills.inline_shell", "false");
  EXPECT_EQ(text_for("!`touch " + house.workspace() + "/ran`"), "!`touch " + house.workspace() + "/ran`");
  EXPECT_FALSE(exists(house.workspace() + "/ran"));
}

TEST_F(SkillInlineTest, NothingRunsForWhatAnAgentWroteUntilAPersonTrustsIt) {
  const std::string text = "---\nname: learned\ndescription: Learned.\n---\n<!`echo ran`>\n";
  ASSERT_EQ(text_or(house.manage("create", "learned", {{"content", text}}), "error"), "");
  EXPECT_THAT(house.content("learned"), StartsWith("<!`echo ran`>"));
  house.configure("skills.inline_shell_trust", "[agent-created]");
  EXPECT_THAT(house.content("learned"), StartsWith("<ran>"));
  house.configure("skills.inline_shell_trust", "[]");
  EXPECT_THAT(house.content("learned"), StartsWith("<!`echo ran`>"));
  EXPECT_EQ(house.run({"skills", "trust", "learned"}).code, 0);
  EXPECT_THAT(house.content("learned"), StartsWith("<ran>"));
}

TEST_F(SkillInlineTest, ThePolicyOfCommandsHolds) {
  house.configure("exec.sandbox.security", "deny");
  EXPECT_THAT(text_for("!`echo ran`"), StartsWith("[inline-shell error: "));
}

TEST_F(SkillInlineTest, SecretsInTheOutputAreMasked) {
  house.put_home(".env", "SNIPPET_TOKEN=snippet-0123456789\n");
  house.put_skill("inline", "name: inline\ndescription: I.\nrequired_environment_variables: [SNIPPET_TOKEN]\n",
                  "<!`echo $SNIPPET_TOKEN`>\n");
  EXPECT_THAT(house.content("inline"), StartsWith("<[masked SNIPPET_TOKEN]>"));
}

TEST_F(SkillInlineTest, AlsoOnThePlainHost) {
  house.configure("exec.host", "gateway");
  EXPECT_EQ(text_for("!`(" + shell_holding("lock") + " sleep 600) & echo out; pwd`"),
            "out\n" + house.root() + "/skills/inline");
  house.await_free("lock");
}

}  // namespace
}  // namespace talaria
