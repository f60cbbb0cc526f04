#include "talaria/config_skills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace talaria {
namespace {

using testing::ElementsAre;
using Stored = std::map<std::string, std::string>;

const AskedSetting wiki_path = {"wiki.path", "Where the wiki is", "Folder of the wiki", "~/wiki", "wiki", std::nullopt};
const AskedSetting wiki_domain = {"wiki.domain", "What it is about", "", std::nullopt, "wiki", std::nullopt};
const AskedSetting paper_count = {"papers.count", "How many papers", "", "10", "arxiv", "25"};

TEST(ConfigSkillsTest, ReadsTheGatewaysAnswerAndLeavesOutWhatIsNone) {
  const JsonObject answer = *parse_json_object(R"({"settings": [
    {"key": "wiki.path", "description": "Where the wiki is", "prompt": "Folder of the wiki", "default": "~/wiki",
     "skill": "wiki", "value": null},
    {"description": "no key"}, 5,
    {"key": "papers.count", "description": "How many papers", "prompt": "", "default": "10", "skill": "arxiv",
     "value": "25"}]})");
  EXPECT_THAT(read_skill_settings(answer), ElementsAre(wiki_path, paper_count));
  EXPECT_TRUE(read_skill_settings({}).empty());
}

TEST(ConfigSkillsTest, UnsetIsWhatHasNoValueOrABlankOne) {
  AskedSetting blank = paper_count;
  blank.value = " ";
  AskedSetting twice = wiki_path;
  twice.skill = "other";
  EXPECT_THAT(unset_settings({wiki_path, paper_count, twice, wiki_domain}), ElementsAre(wiki_path, wiki_domain));
  EXPECT_THAT(unset_settings({blank}), ElementsAre(blank));
}

TEST(ConfigSkillsTest, TheSectionAndTheListAreForAPerson) {
  EXPECT_EQ(settings_section({wiki_path, paper_count}),
            "\n◆ Skill Settings\n"
            "  wiki.path            (not set)  [wiki]\n"
            "  papers.count         25  [arxiv]\n");
  EXPECT_EQ(settings_section({}), "");
  EXPECT_EQ(missing_section("no gateway\nis running"), "\n◆ Skill Settings\n  not known: no gateway is running\n");
  EXPECT_EQ(unset_list({wiki_path, wiki_domain}),
            "  2 skill settings not configured:\n"
            "    • wiki.path — Where the wiki is (from skill: wiki)\n"
            "    • wiki.domain — What it is about (from skill: wiki)\n");
  EXPECT_EQ(unset_list({{"a", "x\n\033[2J", "", {}, "s", {}}}),
            "  1 skill setting not configured:\n    • a — x  [2J (from skill: s)\n");
  EXPECT_EQ(
      write_json(settings_json({wiki_domain})),
      R"([{"key":"wiki.domain","description":"What it is about","prompt":"","default":null,"skill":"wiki","value":null}])");
}

class DialogueTest : public testing::Test {
 protected:
  bool run(std::vector<std::string> answers, const std::vector<AskedSetting>& unset) {
    SettingsDialogue dialogue;
    dialogue.ask = [this, answers, next = size_t{0}](const std::string& prompt) mutable {
      asked_.push_back(prompt);
      return next < answers.size() ? std::optional(answers[next++]) : std::nullopt;
    };
    dialogue.store = [this](const std::string& key, const std::string& value) -> Result<> {
      if (key == "bad..key") return invalid("not a key");
      stored_[key] = value;
      return ok;
    };
    dialogue.complain = [this](const std::string& line) { complaints_.push_back(line); };
    return ask_for_settings(unset, dialogue);
  }

  std::vector<std::string> asked_, complaints_;
  Stored stored_;
};

TEST_F(DialogueTest, AsksForEachAfterAYes) {
  EXPECT_TRUE(run({"y", " /srv/wiki ", "physics"}, {wiki_path, wiki_domain}));
  EXPECT_THAT(asked_, ElementsAre("Configure skill settings? [y/N]: ", "  Folder of the wiki (default: ~/wiki): ",
                                  "  What it is about: "));
  EXPECT_EQ(stored_, (Stored{{"wiki.path", "/srv/wiki"}, {"wiki.domain", "physics"}}));
}

TEST_F(DialogueTest, AnEmptyAnswerIsTheDefaultOrNothing) {
  EXPECT_TRUE(run({"YES", "", ""}, {wiki_path, wiki_domain}));
  EXPECT_EQ(stored_, (Stored{{"wiki.path", "~/wiki"}}));
}

TEST_F(DialogueTest, AnythingButYesChangesNothing) {
  for (const char* answer : {"", "n", "no", "yeah"}) EXPECT_TRUE(run({answer}, {wiki_path}));
  EXPECT_TRUE(run({}, {wiki_path}));
  EXPECT_TRUE(stored_.empty());
}

TEST_F(DialogueTest, TheEndOfTheAnswersKeepsWhatWasAnswered) {
  EXPECT_TRUE(run({"y", "/a"}, {wiki_path, wiki_domain}));
  EXPECT_EQ(stored_, (Stored{{"wiki.path", "/a"}}));
}

TEST_F(DialogueTest, AKeyThatCannotBeStoredIsSaidAndTheOthersAreAsked) {
  EXPECT_FALSE(run({"y", "x", "/a"}, {{"bad..key", "Bad", "", {}, "s", {}}, wiki_path}));
  EXPECT_THAT(complaints_, ElementsAre("not a key"));
  EXPECT_EQ(stored_, (Stored{{"wiki.path", "/a"}}));
}

}  // namespace
}  // namespace talaria
