#include "skills/tokens.h"

#include <gtest/gtest.h>

#include <vector>

namespace talaria {
namespace {

TEST(TokensTest, ReplacesBothTokensWhereverTheyStand) {
  const TokenValues values{"/home/ana/.talaria/skills/demo", "4f7k2m9p"};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"no token", "no token"},
      {"${HERMES_SKILL_DIR}", "/home/ana/.talaria/skills/demo"},
      {"${HERMES_SESSION_ID}", "4f7k2m9p"},
      {"node ${HERMES_SKILL_DIR}/scripts/a.js <input>", "node /home/ana/.talaria/skills/demo/scripts/a.js <input>"},
      {"a${HERMES_SESSION_ID}${HERMES_SESSION_ID}b", "a4f7k2m9p4f7k2m9pb"},
      {"```\ncd ${HERMES_SKILL_DIR}\n```", "```\ncd /home/ana/.talaria/skills/demo\n```"},
      {"!`git -C ${HERMES_SKILL_DIR} log`", "!`git -C /home/ana/.talaria/skills/demo log`"},
      // What only looks like one stays.
      {"$HERMES_SKILL_DIR", "$HERMES_SKILL_DIR"},
      {"${HERMES_SKILL_DIR", "${HERMES_SKILL_DIR"},
      {"${hermes_skill_dir}", "${hermes_skill_dir}"},
      {"${HERMES_SKILLS}", "${HERMES_SKILLS}"},
      {"${HERMES_S${HERMES_SESSION_ID}", "${HERMES_S4f7k2m9p"},
      {"${HOME} ${HERMES_HOME}", "${HOME} ${HERMES_HOME}"},
      {"\\${HERMES_SESSION_ID}", "\\4f7k2m9p"},
  };
  for (const auto& [body, expected] : cases) EXPECT_EQ(with_tokens(body, values), expected) << body;
}

TEST(TokensTest, LeavesTheSessionsTokenWithoutASession) {
  EXPECT_EQ(with_tokens("${HERMES_SESSION_ID} in ${HERMES_SKILL_DIR}", {"/s", std::nullopt}),
            "${HERMES_SESSION_ID} in /s");
}

TEST(TokensTest, DoesNotLookAtWhatAValueBringsIn) {
  EXPECT_EQ(with_tokens("${HERMES_SKILL_DIR}!", {"/odd/${HERMES_SESSION_ID}", "id"}), "/odd/${HERMES_SESSION_ID}!");
  EXPECT_EQ(with_tokens("${HERMES_SKILL_DIR}SESSION_ID}", {"${HERMES_", "id"}), "${HERMES_SESSION_ID}");
  EXPECT_EQ(with_tokens("${HERMES_SESSION_ID}", {"/s", "${HERMES_SKILL_DIR}"}), "${HERMES_SKILL_DIR}");
}

}  // namespace
}  // namespace talaria
