#include "config/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys.h"

namespace talaria {
namespace {

const SettingRow* row(const std::vector<SettingRow>& rows, std::string_view key) {
  for (const SettingRow& candidate : rows) {
    if (candidate.key == key) return &candidate;
  }
  return nullptr;
}

TEST(ShowTest, ListsEveryKeyWithItsSource) {
  const Result<std::vector<SettingRow>> rows =
      show_settings("exec:\n  timeout: 60\n  host: ~\nterminal: {env_passthrough: [A]}\n");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), config_keys().size());
  EXPECT_EQ(*row(*rows, "exec.timeout"), (SettingRow{"exec.timeout", "60", "1800", "config.yaml",
                                                     "seconds after which a command is ended; 0 for never", 60, 1800}));
  EXPECT_EQ(row(*rows, "exec.host")->source, "default");
  EXPECT_EQ(row(*rows, "exec.yield_ms")->value, "10000");
  EXPECT_EQ(row(*rows, "exec.yield_ms")->source, "default");
  EXPECT_EQ(row(*rows, "terminal.env_passthrough")->value, "[A]");
  EXPECT_EQ(row(*rows, "jobs.max_total_bytes")->value, "2147483648");
}

TEST(ShowTest, ValuesHaveTheirTypes) {
  const Result<std::vector<SettingRow>> rows =
      show_settings("exec: {timeout: 0.5, allow_background: false, yield_ms: 250}\nterminal: {env_passthrough: [A]}\n");
  ASSERT_TRUE(rows);
  EXPECT_EQ(row(*rows, "exec.timeout")->typed_value, Json(0.5));
  EXPECT_EQ(row(*rows, "exec.timeout")->typed_default, Json(1800));
  EXPECT_EQ(row(*rows, "exec.allow_background")->typed_value, Json(false));
  EXPECT_EQ(row(*rows, "exec.yield_ms")->typed_value, Json(250));
  EXPECT_EQ(row(*rows, "exec.host")->typed_value, Json("auto"));
  EXPECT_EQ(row(*rows, "terminal.env_passthrough")->typed_value, Json(JsonArray{"A"}));
}

TEST(ShowTest, AValueEqualToTheDefaultStillComesFromTheFile) {
  EXPECT_EQ(row(*show_settings("exec: {timeout: 1800}"), "exec.timeout")->source, "config.yaml");
}

TEST(ShowTest, AWrongValueIsAnError) { EXPECT_FALSE(show_settings("exec: {timeout: x}")); }

TEST(ShowTest, DescribesEveryKeyForTheDocumentation) {
  const std::string table = describe_keys();
  for (const ConfigKey& key : config_keys())
    EXPECT_THAT(table, testing::HasSubstr("| `" + std::string(key.name) + "` |"));
  EXPECT_THAT(table, testing::HasSubstr("| `exec.yield_ms` | a whole number from 10 to 120000 | `10000` |"));
}

}  // namespace
}  // namespace talaria
