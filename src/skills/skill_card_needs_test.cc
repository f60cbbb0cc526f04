#include "skills/skill_card_needs.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using Texts = std::vector<std::string>;

SkillCard with(const std::string& source) {
  return read_card(read_front_matter("---\nname: a\ndescription: d\n" + source + "---\nBody\n"), "a");
}

Texts messages(const SkillCard& card) {
  Texts lines;
  for (const SkillDiagnostic& diagnostic : card.diagnostics) lines.push_back(diagnostic.message);
  return lines;
}

EnvironmentNeed variable(const std::string& name) { return {name, "Enter value for " + name, "", ""}; }

TEST(SkillNeedsTest, VariablesAreMapsOrNames) {
  const SkillCard card = with(R"(required_environment_variables:
  - name: A
    prompt: The key
    help: https://example.com
    required_for: all of it
  - B
  - env_var: C
    provider_url: https://example.org
)");
  EXPECT_EQ(card.environment, (std::vector<EnvironmentNeed>{{"A", "The key", "https://example.com", "all of it"},
                                                            variable("B"),
                                                            {"C", "Enter value for C", "https://example.org", ""}}));
  EXPECT_EQ(messages(card), Texts());
}

TEST(SkillNeedsTest, ASingleVariableNeedsNoList) {
  EXPECT_EQ(with("required_environment_variables: {name: A, url: u}\n").environment,
            (std::vector<EnvironmentNeed>{{"A", "Enter value for A", "u", ""}}));
  EXPECT_EQ(with("required_environment_variables: A, B\n").environment,
            (std::vector<EnvironmentNeed>{variable("A"), variable("B")}));
}

TEST(SkillNeedsTest, VariablesComeFromAllPlacesAndTheFirstCounts) {
  const SkillCard card = with(R"(setup:
  help: See the manual
  collect_secrets:
    - env_var: B
      prompt: Second
    - env_var: A
      prompt: Too late
required_environment_variables: [{name: A, prompt: First}]
prerequisites:
  env_vars: [B, C]
metadata:
  openclaw: {requires: {env: [D], bins: [git]}}
  clawdbot: {requires: {env: [C, E], bins: [git, curl]}}
  moltbot: {requires: {env: F}}
)");
  EXPECT_EQ(card.environment, (std::vector<EnvironmentNeed>{{"A", "First", "See the manual", ""},
                                                            {"B", "Second", "See the manual", ""},
                                                            {"C", "Enter value for C", "See the manual", ""},
                                                            variable("D"),
                                                            variable("E"),
                                                            variable("F")}));
  EXPECT_EQ(card.commands, (Texts{"git", "curl"}));
  EXPECT_EQ(messages(card), Texts());
}

TEST(SkillNeedsTest, WhatIsNoVariableIsLeftOut) {
  const SkillCard card = with("required_environment_variables: [1A, 'A B', A-B, {prompt: p}, [x], null, GOOD_1]\n");
  EXPECT_EQ(card.environment, (std::vector<EnvironmentNeed>{variable("GOOD_1")}));
  const std::string field = "required_environment_variables: ";
  EXPECT_EQ(
      messages(card),
      (Texts{field + "expects maps or names, not a list; ignored", field + "expects maps or names, not null; ignored",
             field + "\"1A\" is not the name of a variable; ignored",
             field + "\"A B\" is not the name of a variable; ignored",
             field + "\"A-B\" is not the name of a variable; ignored", field + "an entry has no name; ignored"}));
}

TEST(SkillNeedsTest, EmptyAndWrongFieldsHarmNothing) {
  for (std::string field : {"required_environment_variables", "required_credential_files", "prerequisites", "setup"}) {
    EXPECT_EQ(messages(with(field + ":\n")), Texts()) << field;
  }
  EXPECT_EQ(messages(with("prerequisites: git\n")), (Texts{"prerequisites: expects a map, not a string; ignored"}));
  EXPECT_EQ(messages(with("required_credential_files: true\n")),
            (Texts{"required_credential_files: expects maps or names, not a boolean; ignored"}));
}

TEST(SkillNeedsTest, CommandsAreNamesOrAText) {
  EXPECT_EQ(with("prerequisites: {commands: [git, jq, git]}\n").commands, (Texts{"git", "jq"}));
  EXPECT_EQ(with("prerequisites:\n  commands: git, jq\n").commands, (Texts{"git", "jq"}));
}

TEST(SkillNeedsTest, CredentialsArePathsOrMaps) {
  const SkillCard card = with(R"(required_credential_files:
  - token.json
  - path: google/token.json
    description: Made by the script
  - name: other.json
  - description: nothing
  - token.json
)");
  EXPECT_EQ(card.credentials,
            (std::vector<CredentialNeed>{
                {"token.json", ""}, {"google/token.json", "Made by the script"}, {"other.json", ""}}));
  EXPECT_EQ(messages(card), (Texts{"required_credential_files: an entry has no path; ignored"}));
}

TEST(SkillNeedsTest, SettingsNeedAKeyAndADescription) {
  const SkillCard card = with(R"(metadata:
  hermes:
    config:
      - key: my.path
        description: Where it is
        default: ~/data
        prompt: Path
      - key: my.count
        description: How many
        default: 3
      - {key: my.flag, description: Whether, default: true}
      - {key: my.none, description: No default, default: null}
      - {key: my.empty, description: Empty default, default: ""}
      - {key: my.list, description: A list, default: [a, 1]}
      - {key: my.path, description: Again}
      - {key: lonely}
      - {description: keyless}
)");
  EXPECT_EQ(card.settings, (std::vector<SkillSetting>{{"my.path", "Where it is", "Path", "~/data"},
                                                      {"my.count", "How many", "How many", "3"},
                                                      {"my.flag", "Whether", "Whether", "true"},
                                                      {"my.none", "No default", "No default", std::nullopt},
                                                      {"my.empty", "Empty default", "Empty default", ""},
                                                      {"my.list", "A list", "A list", R"(["a","1"])"}}));
  EXPECT_EQ(messages(card),
            (Texts{"config: \"my.path\" is there twice; the first one counts",
                   "config: \"lonely\" has no description; ignored", "config: an entry has no key; ignored"}));
}

TEST(SkillNeedsTest, AKeyIsADottedPathOfPlainNames) {
  const SkillCard card = with(R"(metadata:
  hermes:
    config:
      - {key: "bad key ] [System: x]", description: d}
      - {key: my..path, description: d}
      - {key: .my, description: d}
      - {key: my., description: d}
      - {key: "my.p\u00e4th", description: d}
      - {key: "my\npath", description: d}
      - {key: )" + std::string(201, 'k') +
                              R"(, description: d}
      - {key: My-2.path_to, description: d}
)");
  EXPECT_EQ(card.settings, (std::vector<SkillSetting>{{"My-2.path_to", "d", "d", std::nullopt}}));
  ASSERT_EQ(card.diagnostics.size(), 7u);
  EXPECT_EQ(messages(card)[0],
            "config: \"bad key ] [System: x]\" is no key: names of letters, digits, - and _, with dots between them; "
            "ignored");
}

TEST(SkillNeedsTest, AKeyThatIsTheSectionOfAnotherIsLeftOut) {
  for (const char* order :
       {"{key: my, description: a}, {key: my.path, description: b}, {key: mypath, description: c}",
        "{key: my.path, description: b}, {key: my, description: a}, {key: mypath, description: c}"}) {
    const SkillCard card = with("metadata: {hermes: {config: [" + std::string(order) + "]}}\n");
    EXPECT_EQ(card.settings, (std::vector<SkillSetting>{{"my.path", "b", "b", {}}, {"mypath", "c", "c", {}}})) << order;
    EXPECT_EQ(messages(card), (Texts{"config: \"my\" is the section that holds \"my.path\"; ignored"})) << order;
  }
}

TEST(SkillNeedsTest, ASingleSettingNeedsNoList) {
  EXPECT_EQ(with("metadata: {hermes: {config: {key: k, description: d}}}\n").settings,
            (std::vector<SkillSetting>{{"k", "d", "d", std::nullopt}}));
}

}  // namespace
}  // namespace talaria
