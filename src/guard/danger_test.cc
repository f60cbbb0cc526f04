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
  EXPECT_TRUE(dangers.is_first_part(".vscode"));
  EXPECT_TRUE(dangers.is_first_part("tools"));
  EXPECT_FALSE(dangers.is_first_part(".devcontainer"));
  EXPECT_FALSE(dangers.is_first_part(".envrc"));
}

TEST(DangersTest, TheTableHasEveryNameOnceWithAReason) {
  std::set<std::string_view> patterns;
  for (const Danger& danger : danger_table()) {
    EXPECT_TRUE(patterns.insert(danger.pattern).second) << danger.pattern;
    EXPECT_FALSE(danger.rule.empty() || danger.why.empty()) << danger.pattern;
  }
}

}  // namespace
}  // namespace talaria
