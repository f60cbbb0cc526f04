#include "talaria/import_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/settings.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Outcome = ImportRow::Result;
using Variables = std::map<std::string, std::string>;

ImportRow setting(const std::string& name, Outcome result, const std::string& detail) {
  return {ImportRow::Kind::setting, name, result, detail};
}

constexpr const char* theirs =
    "model: {default: x}\n"
    "terminal:\n"
    "  backend: local\n"
    "  env_passthrough: [MY_VAR, OTHER]\n"
    "code_execution: {timeout: 60, max_tool_calls: 5, mode: strict}\n"
    "skills:\n"
    "  external_dirs: [extra, ~/more, '${HERMES_HOME}/third', /abs]\n"
    "  disabled: old_skill\n"
    "  inline_shell: yes\n"
    "  inline_shell_timeout: 5\n"
    "  template_vars: false\n"
    "  trusted_project_dirs: [/p]\n"
    "  config:\n"
    "    wiki: {path: ~/wiki, tags: [a, b], none: ~}\n"
    "  guard_agent_created: true\n";

TEST(ImportConfigTest, TakesWhatMeansTheSameAndNamesTheRest) {
  const ConfigImport import = *import_config("", theirs, {"/old", Existing::keep, ""});
  EXPECT_THAT(
      import.rows,
      ElementsAre(
          setting("model", Outcome::not_understood, ""), setting("terminal.backend", Outcome::not_understood, ""),
          setting("terminal.env_passthrough", Outcome::taken, "MY_VAR, OTHER"),
          setting("code_execution.timeout", Outcome::taken, "60"),
          setting("code_execution.max_tool_calls", Outcome::taken, "5"),
          setting("code_execution.mode", Outcome::taken, "strict"),
          setting("skills.external_dirs", Outcome::taken, "/old/extra, ~/more, /old/third, /abs"),
          setting("skills.disabled", Outcome::taken, "old_skill"),
          setting("skills.inline_shell", Outcome::taken, "true"),
          setting("skills.inline_shell_timeout", Outcome::taken, "5"),
          setting("skills.template_vars", Outcome::taken, "false"),
          setting("skills.trusted_project_dirs", Outcome::by_hand, "trust is yours to give: talaria skills trust PATH"),
          setting("skills.config.wiki.none", Outcome::kept, "theirs is empty"),
          setting("skills.config.wiki.path", Outcome::taken, "~/wiki"),
          setting("skills.config.wiki.tags", Outcome::taken, "[a, b]"),
          setting("skills.guard_agent_created", Outcome::not_understood, "")));
  const Settings settings = *parse_settings(import.text);
  EXPECT_EQ(settings.code_execution.timeout, 60);
  EXPECT_EQ(settings.code_execution.mode, "strict");
  EXPECT_TRUE(settings.skills.inline_shell);
  EXPECT_EQ(settings.skills.config, (Variables{{"wiki.path", "~/wiki"}, {"wiki.tags", "[a, b]"}}));
}

TEST(ImportConfigTest, OnceMoreChangesNothing) {
  const ConfigImport first = *import_config("# mine\n", theirs, {"/old", Existing::keep, "/old/skills"});
  const ConfigImport second = *import_config(first.text, theirs, {"/old", Existing::overwrite, "/old/skills"});
  EXPECT_EQ(second.text, first.text);
  EXPECT_FALSE(has_result(second.rows, Outcome::taken));
  EXPECT_THAT(first.text, HasSubstr("/old/skills"));
}

TEST(ImportConfigTest, WhatIsSetHereStaysUnlessItIsToBeOverwritten) {
  const std::string ours =
      "# mine\ncode_execution:\n  timeout: 7   # short\nskills:\n  disabled: [Old-Skill, x]\n  config: {wiki: {path: "
      "/w}}\n";
  const ConfigImport kept = *import_config(ours, theirs, {"/old", Existing::keep, ""});
  EXPECT_THAT(kept.text, HasSubstr("timeout: 7   # short\n"));
  EXPECT_THAT(kept.rows, testing::IsSupersetOf({setting("code_execution.timeout", Outcome::kept, "here it is 7"),
                                                setting("skills.disabled", Outcome::kept, "all of it is here"),
                                                setting("skills.config.wiki.path", Outcome::kept, "here it is /w")}));
  const ConfigImport replaced = *import_config(ours, theirs, {"/old", Existing::overwrite, ""});
  EXPECT_THAT(replaced.text, HasSubstr("# mine\ncode_execution:\n  timeout: 60   # short\n"));
  EXPECT_EQ(parse_settings(replaced.text)->skills.config.at("wiki.path"), "~/wiki");
}

TEST(ImportConfigTest, WhatDoesNotFitIsNamedWithTheReason) {
  const ConfigImport import = *import_config(
      "", "code_execution: {timeout: -1, mode: [a]}\nskills: {external_dirs: {a: b}, disabled: [[x]]}\nterminal: 5\n",
      {"/old", Existing::keep, ""});
  EXPECT_EQ(import.text, "");
  ASSERT_EQ(import.rows.size(), 5u);
  for (const ImportRow& row : import.rows) {
    EXPECT_EQ(row.result, Outcome::not_understood) << row.name;
    EXPECT_FALSE(row.detail.empty()) << row.name;
  }
  EXPECT_THAT(import.rows[0].detail, HasSubstr("must be a number from 1"));
}

TEST(ImportConfigTest, SecretsAmongTheSettingsOfSkillsAreTakenAndNotShown) {
  const std::string ours = "skills: {config: {c: {api_key: hunter22hunter}}}\n";
  const ConfigImport import = *import_config(ours,
                                             "skills:\n  config:\n    a: {key: sk-proj-A1b2C3d4E5f6G7h8I9j0}\n"
                                             "    b: {url: 'https://u:pw@h/'}\n    c: {api_key: other22other}\n",
                                             {"/old", Existing::keep, ""});
  const std::string hidden = "(not shown: it looks like a secret)";
  EXPECT_THAT(import.rows, ElementsAre(setting("skills.config.a.key", Outcome::taken, hidden),
                                       setting("skills.config.b.url", Outcome::taken, hidden),
                                       setting("skills.config.c.api_key", Outcome::kept, "here it is " + hidden)));
  EXPECT_EQ(parse_settings(import.text)->skills.config.at("b.url"), "https://u:pw@h/");
}

TEST(ImportConfigTest, ABrokenFileIsAnErrorWithItsPlace) {
  EXPECT_THAT(import_config("", "a: [\n", {"/old", Existing::keep, ""}).error().message(), HasSubstr("2:1: "));
  EXPECT_FALSE(import_config("", "- a\n", {"/old", Existing::keep, ""}));
  EXPECT_THAT(import_config("", "", {"/old", Existing::keep, ""})->rows, IsEmpty());
}

TEST(ImportVariablesTest, TakesNewOnesAndShowsNoValue) {
  const Variables ours = {{"SAME", "hush1"}, {"OTHER", "hush2"}, {"EMPTY_HERE", ""}};
  const Variables old = {
      {"SAME", "hush1"}, {"OTHER", "hush3"}, {"EMPTY_HERE", "hush4"}, {"NEW", "hush5"}, {"NONE", ""}};
  const VariableImport kept = import_variables(ours, old, Existing::keep);
  EXPECT_EQ(kept.taken, (Variables{{"EMPTY_HERE", "hush4"}, {"NEW", "hush5"}}));
  EXPECT_THAT(write_json(rows_json(kept.rows)), testing::Not(HasSubstr("hush")));
  EXPECT_EQ(kept.rows.size(), 5u);
  const VariableImport replaced = import_variables(ours, old, Existing::overwrite);
  EXPECT_EQ(replaced.taken, (Variables{{"EMPTY_HERE", "hush4"}, {"NEW", "hush5"}, {"OTHER", "hush3"}}));
}

TEST(ImportVariablesTest, WhatNoCommandIsEverGivenIsLeft) {
  const VariableImport import = import_variables(
      {}, {{"LD_PRELOAD", "x"}, {"OPENAI_API_KEY", "hush"}, {"PATH", "/x"}, {"TALARIA_HOME", "/t"}}, Existing::keep);
  EXPECT_EQ(import.taken, (Variables{{"OPENAI_API_KEY", "hush"}}));
  ASSERT_EQ(import.rows.size(), 4u);
  for (const size_t left : {0, 2, 3}) {
    EXPECT_EQ(import.rows[left].result, Outcome::left) << import.rows[left].name;
    EXPECT_THAT(import.rows[left].detail, testing::StartsWith("never passed: it "));
  }
  EXPECT_EQ(import.rows[1].detail, "commands are never given it");
}

TEST(ImportVariablesTest, ALineThatIsNoVariableIsNamedByItsNumber) {
  EXPECT_THAT(stray_line_rows({3}), ElementsAre(ImportRow{ImportRow::Kind::variable, "line 3 of .env",
                                                          Outcome::not_understood, "it is no NAME=value"}));
}

}  // namespace
}  // namespace talaria
