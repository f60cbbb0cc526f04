#include "policy/verdict.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(VerdictTest, DenyDeniesWhateverAskSays) {
  for (Ask ask : {Ask::off, Ask::on_miss, Ask::always}) {
    EXPECT_EQ(judge(Host::gateway, Security::deny, ask),
              (Verdict{Decision::deny, "exec denied: host=gateway security=deny", "security=deny"}));
  }
}

TEST(VerdictTest, FullWithoutQuestionsAllows) {
  EXPECT_EQ(judge(Host::gateway, Security::full, Ask::off).decision, Decision::allow);
}

TEST(VerdictTest, RefusesWhatNeedsAListOrAPersonAndSaysWhatToDo) {
  const Verdict list = judge(Host::gateway, Security::allowlist, Ask::off);
  EXPECT_EQ(list.decision, Decision::deny);
  EXPECT_NE(list.reason.find("use security full or deny"), std::string::npos);
  for (Ask ask : {Ask::on_miss, Ask::always}) {
    const Verdict question = judge(Host::gateway, Security::full, ask);
    EXPECT_EQ(question.decision, Decision::deny);
    EXPECT_NE(question.reason.find("use ask off"), std::string::npos);
  }
}

}  // namespace
}  // namespace talaria
