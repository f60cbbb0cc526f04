#include "skills/activation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::ElementsAre;

// A session with a shell and files, and without the web.
SkillAvailability usual() {
  SkillAvailability availability;
  availability.tools = {"exec", "read_file", "execute_code"};
  availability.toolsets = {"terminal", "file", "code"};
  return availability;
}

SkillCard card_named(const std::string& name) {
  SkillCard card;
  card.name = name;
  card.slug = slug_of(name);
  return card;
}

std::string hidden(const SkillConditions& conditions, const SkillAvailability& availability = usual()) {
  SkillCard card = card_named("skill");
  card.conditions = conditions;
  return hidden_because(card, availability);
}

using Names = std::vector<std::string>;
constexpr Names SkillConditions::*requires_tools = &SkillConditions::requires_tools;
constexpr Names SkillConditions::*requires_toolsets = &SkillConditions::requires_toolsets;
constexpr Names SkillConditions::*fallback_for_tools = &SkillConditions::fallback_for_tools;
constexpr Names SkillConditions::*fallback_for_toolsets = &SkillConditions::fallback_for_toolsets;

std::string hidden(Names SkillConditions::*field, Names names, const SkillAvailability& availability = usual()) {
  SkillConditions conditions;
  conditions.*field = std::move(names);
  return hidden(conditions, availability);
}

TEST(ActivationTest, ShowsWhatAsksForNothing) { EXPECT_EQ(hidden(SkillConditions()), ""); }

TEST(ActivationTest, HidesWhatRequiresAToolThatIsMissing) {
  EXPECT_EQ(hidden(requires_tools, {"read_file"}), "");
  EXPECT_EQ(hidden(requires_tools, {"web_search"}), "requires_tools names web_search, which is not available");
  EXPECT_EQ(hidden(requires_tools, {"read_file", "web_search"}),
            "requires_tools names web_search, which is not available");
}

TEST(ActivationTest, HidesWhatRequiresAToolsetThatIsMissing) {
  EXPECT_EQ(hidden(requires_toolsets, {"file"}), "");
  EXPECT_EQ(hidden(requires_toolsets, {"file", "web"}), "requires_toolsets names web, which is not available");
}

TEST(ActivationTest, AToolIsNoToolset) {
  EXPECT_NE(hidden(requires_toolsets, {"read_file"}), "");
  EXPECT_NE(hidden(requires_tools, {"file"}), "");
}

TEST(ActivationTest, HidesAFallbackForWhatIsThere) {
  EXPECT_EQ(hidden(fallback_for_tools, {"web_search"}), "");
  EXPECT_EQ(hidden(fallback_for_tools, {"web_search", "read_file"}),
            "fallback_for_tools names read_file, which is available");
  EXPECT_EQ(hidden(fallback_for_toolsets, {"browser"}), "");
  EXPECT_EQ(hidden(fallback_for_toolsets, {"browser", "file"}), "fallback_for_toolsets names file, which is available");
}

TEST(ActivationTest, EveryConditionMustHold) {
  const SkillConditions conditions{.requires_tools = {"read_file"},
                                   .requires_toolsets = {"file"},
                                   .fallback_for_tools = {"web_search"},
                                   .fallback_for_toolsets = {"web"}};
  EXPECT_EQ(hidden(conditions), "");
  for (const char* tool : {"read_file", "web_search"}) {
    SkillAvailability other = usual();
    if (other.tools.erase(tool) == 0) other.tools.insert(tool);
    EXPECT_NE(hidden(conditions, other), "") << tool;
  }
  for (const char* toolset : {"file", "web"}) {
    SkillAvailability other = usual();
    if (other.toolsets.erase(toolset) == 0) other.toolsets.insert(toolset);
    EXPECT_NE(hidden(conditions, other), "") << toolset;
  }
}

TEST(ActivationTest, KnowsOtherNamesOfShellAndCode) {
  SkillAvailability only_exec;
  only_exec.tools = only_exec.toolsets = {"exec"};
  EXPECT_EQ(hidden(requires_tools, {"terminal"}, only_exec), "");
  EXPECT_EQ(hidden(requires_toolsets, {"terminal"}, only_exec), "");
  EXPECT_NE(hidden(fallback_for_tools, {"terminal"}, only_exec), "");
  EXPECT_EQ(hidden(requires_tools, {"code_execution"}), "");
  EXPECT_EQ(hidden(requires_toolsets, {"code_execution"}), "");
  EXPECT_NE(hidden(fallback_for_toolsets, {"code_execution"}), "");
  EXPECT_NE(hidden(requires_tools, {"terminal"}, {}), "");
  EXPECT_NE(hidden(requires_toolsets, {"code_execution"}, {}), "");
}

TEST(ActivationTest, HidesWhatIsForAnotherPlatform) {
  SkillCard card = card_named("skill");
  card.platforms = {"macos", "windows"};
  EXPECT_EQ(hidden_because(card, usual()), "platforms names macos, windows, and this is linux");
  card.platforms = {"macos", "linux"};
  EXPECT_EQ(hidden_because(card, usual()), "");
  card.platforms = {"darwin"};
  SkillAvailability mac = usual();
  mac.platform = "macos";
  EXPECT_EQ(hidden_because(card, mac), "");
  card.platforms = {"freebsd"};
  EXPECT_NE(hidden_because(card, usual()), "");
}

TEST(ActivationTest, PlatformsThatAreNoOperatingSystemsHideNothing) {
  SkillCard card = card_named("skill");
  card.platforms = {"openclaw", "claude-code"};
  EXPECT_EQ(hidden_because(card, usual()), "");
  card.platforms = {"openclaw", "linux"};
  EXPECT_EQ(hidden_because(card, usual()), "");
  card.platforms = {"openclaw", "macos"};
  EXPECT_EQ(hidden_because(card, usual()), "platforms names openclaw, macos, and this is linux");
}

TEST(ActivationTest, HidesWhatIsDisabledHoweverItIsWritten) {
  SkillAvailability availability = usual();
  for (const char* disabled : {"My Skill", "my-skill", "my_skill", "MY_SKILL", " my-skill ", "my skill"}) {
    availability.disabled = {"other", disabled};
    const SkillCard card = card_named("My Skill");
    EXPECT_EQ(disabled_by(card, availability), disabled);
    EXPECT_EQ(hidden_because(card, availability), "skills.disabled names " + std::string(disabled));
  }
  EXPECT_EQ(disabled_by(card_named("skill"), availability), "");
}

TEST(ActivationTest, EnvironmentNeedsHideNothing) {
  SkillCard card = card_named("skill");
  card.environment = {{"SOME_KEY", "", "", ""}};
  card.commands = {"no-such-program"};
  card.credentials = {{"token.json", ""}};
  EXPECT_EQ(hidden_because(card, usual()), "");
}

// What a SKILL.md says, through to whether it is shown.
std::string hidden_with(const std::string& metadata, const SkillAvailability& availability = usual()) {
  const std::string text = "---\nname: skill\ndescription: d\n" + metadata + "---\nbody\n";
  return hidden_because(read_card(read_front_matter(text), "skill"), availability);
}

std::string hermes(const std::string& line) { return "metadata:\n  hermes:\n    " + line + "\n"; }

TEST(ActivationTest, ReadsListsAndScalarsAlike) {
  EXPECT_NE(hidden_with(hermes("requires_tools: [web_search]")), "");
  EXPECT_NE(hidden_with(hermes("requires_tools: web_search")), "");
  EXPECT_EQ(hidden_with(hermes("requires_tools: read_file")), "");
  EXPECT_NE(hidden_with(hermes("requires_toolsets: web")), "");
  EXPECT_NE(hidden_with(hermes("fallback_for_tools: read_file")), "");
  EXPECT_EQ(hidden_with(hermes("fallback_for_tools: web_search")), "");
  EXPECT_NE(hidden_with(hermes("fallback_for_toolsets: [file]")), "");
  EXPECT_NE(hidden_with("platforms: macos\n"), "");
  EXPECT_EQ(hidden_with("platforms: [MacOS, Linux]\n"), "");
}

TEST(ActivationTest, NothingIsAskedByNullOrEmpty) {
  for (const char* field : {"requires_tools", "requires_toolsets", "fallback_for_tools", "fallback_for_toolsets"}) {
    for (const char* value : {"", " null", " ~", " []", " \"\""}) {
      EXPECT_EQ(hidden_with(hermes(std::string(field) + ":" + value)), "") << field << value;
    }
  }
  for (const char* value : {"", " null", " []"}) {
    EXPECT_EQ(hidden_with("platforms:" + std::string(value) + "\n"), "") << value;
  }
  EXPECT_EQ(hidden_with("metadata:\n"), "");
  EXPECT_EQ(hidden_with("metadata: text\n"), "");
  EXPECT_EQ(hidden_with("metadata:\n  hermes: [a]\n"), "");
}

TEST(ActivationTest, WhatCannotBeANameHidesNothing) {
  for (const char* value : {"true", "{a: b}", "{}", "[[], {a: b}]"}) {
    for (const char* field : {"requires_tools", "requires_toolsets", "fallback_for_tools", "fallback_for_toolsets"}) {
      EXPECT_EQ(hidden_with(hermes(std::string(field) + ": " + value)), "") << field << ": " << value;
    }
  }
  for (const char* value : {"true", "{a: b}", "{}", "[[], {a: b}]"}) {
    EXPECT_EQ(hidden_with(std::string("platforms: ") + value + "\n"), "") << value;
  }
  // A number is read as its text, and nothing is called so.
  EXPECT_EQ(hidden_with("platforms: 42\n"), "");
  EXPECT_EQ(hidden_with(hermes("requires_tools: [read_file, 1.5]")),
            "requires_tools names 1.5, which is not available");
  EXPECT_EQ(hidden_with(hermes("requires_toolsets: 2024")), "requires_toolsets names 2024, which is not available");
  EXPECT_EQ(hidden_with(hermes("fallback_for_tools: 42")), "");
}

class VisibleSkillsTest : public testing::Test {
 protected:
  void add(SkillCard card, const std::string& category = "", const std::string& folder = "") {
    auto skill = std::make_shared<Skill>();
    skill->card = std::move(card);
    skill->category = category;
    skill->directory = "/skills/" + category + "/" + (folder.empty() ? skill->card.slug : folder);
    skill->stamp.inode = ++inode;
    content->skills.push_back(skill);
  }
  std::vector<std::string> shown_to(SkillAudience audience, const SkillAvailability& availability = usual()) {
    const CatalogView view({content});
    std::vector<std::string> names;
    for (const Skill* skill : visible_skills(view, availability, audience)) names.push_back(skill->card.name);
    return names;
  }

  uint64_t inode = 0;
  std::shared_ptr<RootContent> content = std::make_shared<RootContent>();
};

TEST_F(VisibleSkillsTest, EachAudienceHasItsOwn) {
  SkillCard person_only = card_named("person-only");
  person_only.model_invocable = false;
  SkillCard agent_only = card_named("agent-only");
  agent_only.user_invocable = false;
  SkillCard elsewhere = card_named("elsewhere");
  elsewhere.platforms = {"windows"};
  add(agent_only);
  add(card_named("both"));
  add(elsewhere);
  add(card_named("off"));
  add(person_only);
  SkillAvailability availability = usual();
  availability.disabled = {"OFF"};
  EXPECT_THAT(shown_to(SkillAudience::agent, availability), ElementsAre("agent-only", "both"));
  EXPECT_THAT(shown_to(SkillAudience::person, availability), ElementsAre("agent-only", "both", "person-only"));
  EXPECT_THAT(shown_to(SkillAudience::slash, availability), ElementsAre("both", "person-only"));
}

TEST_F(VisibleSkillsTest, ANameThatNoSkillHasDisablesTheOneInTheFolderOfThatName) {
  add(card_named("Weird Name"), "cat", "fold");
  add(card_named("docs"), "", "first");
  add(card_named("Other"), "", "docs");
  const CatalogView view({content});
  const auto disabled = [&](const std::string& entry) {
    SkillAvailability availability = usual();
    availability.disabled = {entry};
    count_disabled_folders(availability, view);
    std::vector<std::string> names;
    for (const Skill* skill : view.skills()) {
      const bool is_off = !disabled_by(skill->card, availability).empty();
      EXPECT_EQ(disabling_entries(*skill, availability, view).empty(), !is_off) << entry;
      if (is_off) names.push_back(skill->card.name);
    }
    return names;
  };
  for (const char* entry : {"fold", "Fold", "cat/fold", "cat/weird-name", "weird_name"}) {
    EXPECT_THAT(disabled(entry), ElementsAre("Weird Name")) << entry;
  }
  EXPECT_THAT(disabled("docs"), ElementsAre("docs")) << "a name goes before a folder";
  EXPECT_THAT(disabled("docs++"), testing::IsEmpty()) << "it may be another skill's, which is not here";
  EXPECT_THAT(disabled("other-cat/fold"), testing::IsEmpty());
}

}  // namespace
}  // namespace talaria
