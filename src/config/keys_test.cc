#include "config/keys.h"

#include <gtest/gtest.h>

#include <set>

#include "config/edit.h"

namespace talaria {
namespace {

TEST(KeysTest, EveryKeyIsNamedOnceAndExplained) {
  std::set<std::string_view> names;
  for (const ConfigKey& key : config_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
  }
}

TEST(KeysTest, EveryDefaultIsAValueItsKeyAllows) {
  for (const ConfigKey& key : config_keys()) {
    const std::string text = default_text(key);
    if (key.kind == KeyKind::profiles || key.kind == KeyKind::skill_config) continue;  // sections, set key by key
    const Result<std::string> edited = set_key("", key.name, text);
    ASSERT_TRUE(edited) << key.name << ": " << edited.error().message();
    const Result<Settings> settings = parse_settings(*edited);
    ASSERT_TRUE(settings) << settings.error().message();
    EXPECT_EQ(value_text(key, *settings), text) << key.name;
  }
}

TEST(KeysTest, EachKeyHasAFieldOfItsOwn) {
  Settings settings;
  std::set<const void*> fields;
  for (const ConfigKey& key : config_keys()) {
    std::visit([&](auto* field) { EXPECT_TRUE(fields.insert(field).second) << key.name; }, key.field(settings));
  }
}

TEST(KeysTest, FindsKeysAndSections) {
  ASSERT_NE(find_config_key("exec.timeout"), nullptr);
  EXPECT_EQ(find_config_key("exec"), nullptr);
  EXPECT_TRUE(is_config_section("exec"));
  EXPECT_TRUE(is_config_section("exec.elevated"));
  EXPECT_FALSE(is_config_section("exec.timeout"));
  EXPECT_FALSE(is_config_section("exe"));
}

TEST(KeysTest, SaysWhatIsExpected) {
  EXPECT_EQ(expected_value(*find_config_key("exec.elevated.via")), "one of none or sudo");
  EXPECT_EQ(expected_value(*find_config_key("exec.yield_ms")), "a whole number from 10 to 120000");
  EXPECT_EQ(expected_value(*find_config_key("exec.timeout")), "a number from 0 to 2592000");
  EXPECT_EQ(expected_value(*find_config_key("exec.keep_state")), "true or false");
}

TEST(KeysTest, SaysWhichWordsATextOrAListTakes) {
  EXPECT_EQ(expected_value(*find_config_key("sandbox.profile")),
            "read-only, workspace-write, full or a name below sandbox.profiles");
  EXPECT_EQ(expected_value(*find_config_key("sandbox.network")), "one of as-profile, off or on");
  EXPECT_EQ(expected_value(*find_config_key("sandbox.without")),
            "a list of any of user_namespaces, namespaces, mounts, proc, loopback, devpts, command_namespaces, "
            "owner_mapping, landlock, landlock-N, seccomp or cgroups");
}

TEST(KeysTest, WritesNestedValuesOnOneLine) {
  const JsonObject nested{{"mine", JsonObject{{"readable", JsonArray{"/a b", "c, d"}}, {"x y", 3}}}};
  EXPECT_EQ(flow_text(nested), "{mine: {readable: [/a b, \"c, d\"], x y: 3}}");
}

TEST(KeysTest, WritesNumbersWithoutExponents) {
  Settings settings;
  settings.exec.timeout = 2'000'000;
  EXPECT_EQ(value_text(*find_config_key("exec.timeout"), settings), "2000000");
  settings.exec.timeout = 0.25;
  EXPECT_EQ(value_text(*find_config_key("exec.timeout"), settings), "0.25");
}

TEST(KeysTest, SuggestsOnlyWhatIsNear) {
  EXPECT_EQ(suggest_key("exec.timout"), "exec.timeout");
  EXPECT_EQ(suggest_key("exce.timeout"), "exec.timeout");
  EXPECT_EQ(suggest_key("exec.elevated.mod"), "exec.elevated.mode");
  EXPECT_EQ(suggest_key("exec.elevatd"), "exec.elevated");
  EXPECT_EQ(suggest_key("sessions"), "session");
  EXPECT_EQ(suggest_key("exec.nope"), "");
  EXPECT_EQ(suggest_key("exec.elevated.nothing"), "");
}

}  // namespace
}  // namespace talaria
