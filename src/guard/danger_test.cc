#include "guard/danger.h"

#include <gtest/gtest.h>

#include <set>

namespace talaria {
namespace {

TEST(DangersTest, NamesAreFoundAtAnyDepth) {
  const Dangers dangers({"secret.sh"});
  EXPECT_EQ(dangers.find(".envrc")->path, ".envrc");
  EXPECT_EQ(dangers.find("a/b/.vscode/tasks.json")->path, "a/b/.vscode/tasks.json");
  EXPECT_EQ(dangers.find("a/.claude/commands/x.md")->path, "a/.claude");
  EXPECT_EQ(dangers.find("x/secret.sh")->kind, DangerClass::locked);
  EXPECT_EQ(dangers.find(".envrc")->kind, DangerClass::held);
  for (const char* harmless :
       {"", "envrc", "a.envrc", ".envrc2", ".vscode", ".vscode/settings.json", "package.json", "a/b"}) {
    EXPECT_FALSE(dangers.find(harmless)) << harmless;
  }
}

TEST(DangersTest, AFolderOfAPatternWithTwoPartsIsKnown) {
  const Dangers dangers({"tools/start"});
  EXPECT_TRUE(dangers.leads_to_one(".vscode"));
  EXPECT_TRUE(dangers.leads_to_one("tools"));
  EXPECT_FALSE(dangers.leads_to_one(".devcontainer"));
  EXPECT_FALSE(dangers.leads_to_one(".envrc"));
}

TEST(DangersTest, TheTableHasEveryNameOnceWithAReason) {
  std::set<std::string_view> patterns;
  for (const Danger& danger : danger_table()) {
    EXPECT_TRUE(patterns.insert(danger.pattern).second) << danger.pattern;
    EXPECT_FALSE(danger.rule.empty() || danger.why.empty()) << danger.pattern;
  }
}

TEST(DangersTest, HoldsWhatThePersonsFilesName) {
  Dangers dangers;
  dangers.hold({"tools/hooks", "run.sh"}, {".githooks"});
  EXPECT_EQ(dangers.find("tools/hooks/pre-commit")->path, "tools/hooks");
  EXPECT_EQ(dangers.find("run.sh")->kind, DangerClass::held);
  EXPECT_EQ(dangers.find("a/b/.githooks/x")->path, "a/b/.githooks");
  EXPECT_FALSE(dangers.find("a/run.sh"));
  EXPECT_FALSE(dangers.find("a/tools/hooks"));
  EXPECT_TRUE(dangers.leads_to_one("tools"));
  EXPECT_FALSE(dangers.leads_to_one("a/tools"));
  EXPECT_FALSE(dangers.leads_to_one("run.sh"));
  dangers.hold({}, {});
  EXPECT_FALSE(dangers.find("run.sh"));
}

}  // namespace
}  // namespace talaria
