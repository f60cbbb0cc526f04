#include "config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "os/file.h"

namespace talaria {
namespace {

Settings loaded(std::string_view text) {
  Result<Settings> settings = parse_settings(text);
  EXPECT_TRUE(settings) << settings.error().message();
  return settings ? *settings : Settings{};
}

std::string problem(std::string_view text) {
  const Result<Settings> settings = parse_settings(text);
  return settings ? "" : settings.error().message();
}

TEST(SettingsTest, AMissingFileMeansAllDefaults) {
  const Result<Settings> settings = load_settings(testing::TempDir() + "no-such-config.yaml");
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings, Settings{});
}

TEST(SettingsTest, AnEmptyTextMeansAllDefaults) {
  for (const char* text :
       {"", "\n\n", "# only a comment\n", "---\n", "--- # x\n...\n", "exec:\n", "exec: ~\nlog: null\n", "exec: {}\n",
        "~\n", "\xEF\xBB\xBF", "exec:\n  timeout:\n  host: ~\n"}) {
    EXPECT_EQ(loaded(text), Settings{}) << text;
  }
}

TEST(SettingsTest, ReadsEveryKey) {
  Settings wanted;
  wanted.exec = {.host = "node",
                 .security = "allowlist",
                 .ask = "on-miss",
                 .yield_ms = 250,
                 .timeout = 2.5,
                 .max_output = 5000,
                 .pending_max_output = 1000,
                 .max_log_bytes = 2 << 20,
                 .allow_background = false,
                 .notify_on_exit = false,
                 .notify_on_exit_empty_success = true,
                 .job_ttl = 90,
                 .keep_state = true,
                 .sandbox = {.security = "allowlist", .ask = "always"},
                 .elevated = {.enabled = true, .allowed = true, .mode = "full", .via = "sudo"}};
  wanted.sandbox = {.profile = "mine",
                    .network = "on",
                    .root_identity = "same",
                    .first_id = 70'000,
                    .ids = 10,
                    .readable = {"~/data"},
                    .writable = {"/srv/out"},
                    .protected_names = {".env"},
                    .without = {"cgroups", "landlock"},
                    .custom_profiles = {{"mine", JsonObject{{"base", "read-only"}}}}};
  wanted.jobs.max_total_bytes = 1 << 20;
  wanted.session.idle_minutes = 5;
  wanted.log.level = "error";
  wanted.terminal.env_passthrough = {"LANG", "with space"};
  EXPECT_EQ(loaded(R"(exec:
  host: node
  security: allowlist
  ask: "on-miss"
  yield_ms: 250
  timeout: 2.5
  max_output: 5000
  pending_max_output: 1000
  max_log_bytes: 2097152
  allow_background: false
  notify_on_exit: False
  notify_on_exit_empty_success: true
  job_ttl: 90
  keep_state: true
  sandbox: {security: allowlist, ask: always}
  elevated: {enabled: true, allowed: true, mode: full, via: sudo}
sandbox:
  profile: mine
  network: on
  root_identity: same
  first_id: 70000
  ids: 10
  readable: [~/data]
  writable: [/srv/out]
  protected: [.env]
  without: [cgroups, landlock]
  profiles: {mine: {base: read-only}}
jobs:
  max_total_bytes: 1048576
session: {idle_minutes: 5}
log:
  level: error
terminal:
  env_passthrough:
  - LANG
  - 'with space'
)"),
            wanted);
}

TEST(SettingsTest, ReadsAskOffAsTheWordOff) { EXPECT_EQ(loaded("exec: {ask: off}").exec.ask, "off"); }

TEST(SettingsTest, ReadsWindowsLineEndingsAndAByteOrderMark) {
  EXPECT_EQ(loaded("\xEF\xBB\xBF"
                   "exec:\r\n  timeout: 5\r\n")
                .exec.timeout,
            5);
}

TEST(SettingsTest, ReadsQuotedKeysAndJson) {
  EXPECT_EQ(loaded("\"exec\":\n  'timeout': 5\n").exec.timeout, 5);
  EXPECT_EQ(loaded("{\"exec\":{\"timeout\":7}}").exec.timeout, 7);
}

TEST(SettingsTest, FollowsAliases) {
  const Settings settings = loaded("base: &b\n  timeout: 9\nn: &n 70\nexec: *b\nsession:\n  idle_minutes: *n\n");
  EXPECT_EQ(settings.exec.timeout, 9);
  EXPECT_EQ(settings.session.idle_minutes, 70);
}

TEST(SettingsTest, AValueOfAnotherKindIsNamedWithItsPlace) {
  EXPECT_EQ(problem("exec:\n  host: auto\n  timeout: abc\n"),
            "3:12: exec.timeout must be a number from 0 to 2592000, got \"abc\"");
  EXPECT_EQ(problem("exec: {ask: maybe}"), "1:13: exec.ask must be one of off, on-miss or always, got \"maybe\"");
  EXPECT_EQ(problem("exec:\n  keep_state: yep\n"), "2:15: exec.keep_state must be true or false, got \"yep\"");
  EXPECT_EQ(problem("exec:\n  max_output: 1.5\n"),
            "2:15: exec.max_output must be a whole number from 1000 to 200000, got \"1.5\"");
  EXPECT_EQ(problem("terminal:\n  env_passthrough: A\n"),
            "2:20: terminal.env_passthrough must be a list of texts such as [A, B], got \"A\"");
  EXPECT_EQ(problem("terminal:\n  env_passthrough: [A, {b: c}]\n"),
            "2:20: terminal.env_passthrough must be a list of texts such as [A, B], got a section as item 2");
  EXPECT_EQ(problem("exec:\n  timeout: [1]\n"), "2:12: exec.timeout must be a number from 0 to 2592000, got a list");
}

TEST(SettingsTest, OlderWordsForTrueAndFalseCountInAnyCase) {
  for (const char* word : {"true", "True", "yes", "Yes", "YES", "on", "On", "oN"}) {
    EXPECT_TRUE(loaded("skills: {inline_shell: " + std::string(word) + "}").skills.inline_shell) << word;
  }
  for (const char* word : {"false", "FALSE", "no", "No", "off", "OFF"}) {
    EXPECT_FALSE(loaded("skills: {template_vars: " + std::string(word) + "}").skills.template_vars) << word;
  }
  for (const char* word : {"y", "n", "1", "0", "'yes'", "!!bool yes"}) {
    EXPECT_NE(problem("skills: {inline_shell: " + std::string(word) + "}"), "") << word;
  }
}

TEST(SettingsTest, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(problem("exec: {yield_ms: 9}"), "1:18: exec.yield_ms must be a whole number from 10 to 120000, got \"9\"");
  for (const char* text : {"exec: {yield_ms: 120001}", "exec: {timeout: -1}", "exec: {timeout: .inf}",
                           "exec: {timeout: nan}", "exec: {timeout: 1e9}", "exec: {max_output: 99999999999999999999}",
                           "exec: {job_ttl: 59}", "exec: {max_log_bytes: 1000}", "session: {idle_minutes: 0}"}) {
    EXPECT_NE(problem(text), "") << text;
  }
}

TEST(SettingsTest, RangesIncludeTheirEnds) {
  EXPECT_EQ(loaded("exec: {yield_ms: 10}").exec.yield_ms, 10);
  EXPECT_EQ(loaded("exec: {yield_ms: 120000, timeout: 0}").exec.yield_ms, 120000);
  EXPECT_EQ(loaded("exec: {job_ttl: 2592000}").exec.job_ttl, 2592000);
}

TEST(SettingsTest, ANumberInQuotesIsRefusedWithAdvice) {
  EXPECT_EQ(problem("exec: {timeout: '30'}"),
            "1:17: exec.timeout must be a number from 0 to 2592000, got \"30\" in quotes (remove them)");
}

TEST(SettingsTest, ATaggedValueIsRefused) {
  EXPECT_EQ(problem("exec: {timeout: !!str 30}"),
            "1:17: exec.timeout must be a number from 0 to 2592000, got a value with a YAML tag (remove the tag)");
}

TEST(SettingsTest, ASectionThatIsAValueIsRefused) {
  EXPECT_EQ(problem("log: {}\nexec: 5\n"), "2:7: exec must hold keys such as exec.host, got \"5\"");
  EXPECT_EQ(problem("- a\n"), "1:1: the file must hold keys such as exec.host, got a list");
  EXPECT_EQ(problem("just words\n"), "1:1: the file must hold keys such as exec.host, got \"just words\"");
}

TEST(SettingsTest, BrokenYamlIsReportedWithItsPlace) {
  EXPECT_EQ(problem("a: 1\n\tb: 2\n"), "2:1: a tab is used to indent; YAML allows only spaces there");
  EXPECT_EQ(problem("exec:\n  host: auto\n  host: node\n"),
            "3:3: the key \"host\" is already on line 2; keep one of them");
  EXPECT_EQ(problem("a: b: c\n"), "1:5: not valid YAML: invalid nested block mapping on the same line");
  EXPECT_EQ(problem("a: *nope\n"), "1:4: the alias *nope has no finished &nope before it");
  EXPECT_EQ(problem("a: 1\n---\nb: 2\n"), "2:1: a second YAML document starts here; keep everything in one");
  EXPECT_EQ(problem("a:\n  <<: {b: c}\n"), "2:3: merge keys (<<) are not supported; write the keys out");
  EXPECT_EQ(problem("a: \x01\n"), "1:4: a control character; YAML allows it only as an escape in double quotes");
  EXPECT_EQ(problem("a: \xFF\n"), "1:4: not UTF-8 text");
  EXPECT_EQ(problem("a: 1\rb: 2\n"), "1:5: a carriage return without a line feed");
  EXPECT_EQ(problem("[a]: b\n"), "1:1: a key must be a plain name");
  EXPECT_THAT(problem("a: [1, 2\n"), testing::HasSubstr("flow sequence without a closing bracket"));
}

TEST(SettingsTest, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(problem("exec: {é: ü, timeout: x}"), "1:23: exec.timeout must be a number from 0 to 2592000, got \"x\"");
}

TEST(SettingsTest, AnAliasInsideItsOwnValueIsRefused) {
  EXPECT_EQ(problem("a: &x {b: *x}\n"), "1:11: the alias *x has no finished &x before it");
}

TEST(SettingsTest, DeepNestingIsRefused) { EXPECT_NE(problem("a: " + std::string(5000, '[')), ""); }

TEST(SettingsTest, TheFileIsNamedInItsErrors) {
  const std::string path = testing::TempDir() + "named-config.yaml";
  ASSERT_TRUE(write_file_atomically(path, "exec:\n  timeout: abc\n", 0600, Durable::no));
  const Result<Settings> settings = load_settings(path);
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().message(), path + ":2:12: exec.timeout must be a number from 0 to 2592000, got \"abc\"");
  std::filesystem::remove(path);
}

TEST(SettingsTest, ADirectoryInPlaceOfTheFileIsAnError) { EXPECT_FALSE(load_settings(testing::TempDir())); }

TEST(UnknownKeysTest, AreNoErrorAndAreListedWithTheirLine) {
  const std::string text = "exec:\n  timeuot: 5\ngadgets: [a]\nskills:\n  x: {y: 1}\nlog:\n  level: debug\n";
  EXPECT_EQ(loaded(text).log.level, "debug");
  const Result<std::vector<UnknownKey>> found = unknown_keys(text);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found,
            (std::vector<UnknownKey>{{"exec.timeuot", 2, "exec.timeout"}, {"gadgets", 3, ""}, {"skills.x", 5, ""}}));
}

TEST(UnknownKeysTest, ADottedNameIsNotANestedKey) {
  const Result<std::vector<UnknownKey>> found = unknown_keys("exec.timeout: 5\nexce:\n  host: auto\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<UnknownKey>{{"\"exec.timeout\"", 1, "exec.timeout"}, {"exce", 2, "exec"}}));
}

TEST(UnknownKeysTest, ThereAreNoneInAnEmptyFile) { EXPECT_EQ(*unknown_keys(""), std::vector<UnknownKey>{}); }

}  // namespace
}  // namespace talaria
