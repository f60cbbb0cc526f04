#include "talaria/config_secrets.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(ConfigSecretsTest, RowsOfSkillSettingsAreShownWithoutSecrets) {
  std::vector<SettingRow> rows =
      *show_settings("exec: {timeout: 5}\nskills:\n  config:\n    demo: {api_key: hunter22hunter, max_tokens: 4096}\n");
  hide_secrets(rows);
  const std::string hidden = "(not shown: it looks like a secret)";
  for (const SettingRow& row : rows) {
    if (row.key != "skills.config") continue;
    EXPECT_EQ(row.value, "{demo.api_key: \"" + hidden + "\", demo.max_tokens: 4096}");
    EXPECT_EQ(row.typed_value, Json(JsonObject{{"demo.api_key", hidden}, {"demo.max_tokens", "4096"}}));
  }
}

TEST(ConfigSecretsTest, ASectionIsRewrittenOnlyWhenItHoldsOne) {
  EXPECT_EQ(section_without_secrets({{"demo.token", "abc"}, {"demo.x", "1"}, {"demon.token", "abc"}}, "demo"),
            "{token: \"(not shown: it looks like a secret)\", x: 1}");
  EXPECT_EQ(section_without_secrets({{"demo.x", "1"}, {"other.token", "abc"}}, "demo"), std::nullopt);
}

}  // namespace
}  // namespace talaria
