#include "talaria/config_skills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace talaria {
namespace {

using testing::ElementsAre;
using Stored = std::map<std::string, std::string>;

AskedSetting local(AskedSetting setting) {
  setting.directory = "/skills/" + setting.skill;
  setting.trust = "local";
  return setting;
}

const AskedSetting wiki_path =
    local({"wiki.path", "Where the wiki is", "Folder of the wiki", "~/wiki", "wiki", {}, "", "", ""});
const AskedSetting wiki_domain = local({"wiki.domain", "What it is about", "", {}, "wiki", {}, "", "", ""});
const AskedSetting paper_count = local({"papers.count", "How many papers", "", "10", "arxiv", "25", "", "", ""});
const AskedSetting sly_word = {"sly.pw",        "Your password",           "", {}, "sly", {}, "/skills/sly",
                               "agent-created", "talaria skills trust sly"};

TEST(ConfigSkillsTest, ReadsTheGatewaysAnswerAndLeavesOutWhatIsNone) {
  const JsonObject answer = *parse_json_object(R"({"settings": [
    {"key": "wiki.path", "description": "Where the wiki is", "prompt": "Folder of the wiki", "default": "~/wiki",
     "skill": "wiki", "directory": "/skills/wiki", "trust": "local", "trust_command": null, "value": null},
    {"description": "no key"}, 5,
    {"key": "sly.pw", "description": "Your password", "skill": "sly", "directory": "/skills/sly",
     "trust": "agent-created", "trust_command": "talaria skills trust sly"},
    {"key": "papers.count", "description": "How many papers", "prompt": "", "default": "10", "skill": "arxiv",
     "directory": "/skills/arxiv", "trust": "local", "value": "25"}]})");
  EXPECT_THAT(read_skill_settings(answer), ElementsAre(wiki_path, sly_word, paper_count));
  EXPECT_TRUE(read_skill_settings({}).empty());
}

TEST(ConfigSkillsTest, OpenIsWhatHasNoValueAtAll) {
  AskedSetting blank = wiki_domain, twice = wiki_path, nothing = wiki_domain;
  blank.key = "wiki.blank";
  blank.value = "";
  twice.skill = "other";
  nothing.key = "wiki.nothing";
  nothing.default_value = "";
  const OpenSettings open =
      open_settings({wiki_path, paper_count, twice, sly_word, blank, wiki_domain, nothing, sly_word});
  EXPECT_THAT(open.needed, ElementsAre(wiki_domain));
  EXPECT_THAT(open.optional, ElementsAre(wiki_path, nothing));
  EXPECT_THAT(open.untrusted, ElementsAre(sly_word));
  EXPECT_THAT(open.to_ask(), ElementsAre(wiki_domain, wiki_path, nothing));
}

TEST(ConfigSkillsTest, TheSectionIsForAPerson) {
  AskedSetting blank = paper_count;
  blank.value = "";
  AskedSetting nothing = wiki_domain;
  nothing.value = " ";
  EXPECT_EQ(settings_section({wiki_path, wiki_domain, paper_count, blank, nothing}),
            "\n◆ Skill Settings\n"
            "  wiki.path            (not set; default: ~/wiki)  [wiki]\n"
            "  wiki.domain          (not set)  [wiki]\n"
            "  papers.count         25  [arxiv]\n"
            "  papers.count         (empty; default: 10)  [arxiv]\n"
            "  wiki.domain          (empty)  [wiki]\n");
  EXPECT_EQ(settings_section({}), "");
  EXPECT_EQ(missing_section("no gateway\nis running"), "\n◆ Skill Settings\n  not known: no gateway is running\n");
}

TEST(ConfigSkillsTest, TheListSaysWhoWantsWhatAndWhatIsNotAskedFor) {
  EXPECT_EQ(open_list({{wiki_domain}, {wiki_path}, {sly_word}}),
            "  1 skill setting not configured:\n"
            "    • wiki.domain — What it is about (from skill: wiki, /skills/wiki)\n"
            "  1 skill setting left to the skill's own default:\n"
            "    • wiki.path — Where the wiki is (default: ~/wiki; from skill: wiki, /skills/wiki)\n"
            "  1 skill setting not asked for:\n"
            "    • sly.pw — Your password (from skill: sly, /skills/sly)\n"
            "      an agent may have written this skill, so nothing is asked for it until you have read it and run: "
            "talaria skills trust sly\n");
  EXPECT_THAT(why_not_asked("community", "x"), testing::StartsWith("strangers have written this skill, so nothing"));
  EXPECT_THAT(open_list({{}, {wiki_path}, {}}), testing::StartsWith("  all skill settings have a value\n  1 skill"));
  EXPECT_EQ(open_list({}), "  all skill settings have a value\n");
  EXPECT_EQ(open_list({{{"a", "x\n\033[2J", "", {}, "s", {}, "/s\n", "", ""}}, {}, {}}),
            "  1 skill setting not configured:\n    • a — x  [2J (from skill: s, /s)\n");
  EXPECT_EQ(write_json(settings_json({sly_word})),
            R"([{"key":"sly.pw","description":"Your password","prompt":"","default":null,"skill":"sly",)"
            R"("directory":"/skills/sly","trust":"agent-created","trust_command":"talaria skills trust sly",)"
            R"("value":null}])");
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

TEST_F(DialogueTest, AsksForEachAfterAYesAndSaysWhoAsks) {
  EXPECT_TRUE(run({"y", " /srv/wiki ", "physics"}, {wiki_path, wiki_domain}));
  EXPECT_THAT(asked_, ElementsAre("Configure skill settings? [y/N]: ",
                                  "  The skill wiki (/skills/wiki) asks for skills.config.wiki.path\n"
                                  "  Folder of the wiki [default: ~/wiki, Enter keeps it]: ",
                                  "  The skill wiki (/skills/wiki) asks for skills.config.wiki.domain\n"
                                  "  What it is about [Enter leaves it unset]: "));
  EXPECT_EQ(stored_, (Stored{{"wiki.path", "/srv/wiki"}, {"wiki.domain", "physics"}}));
}

TEST_F(DialogueTest, AnEmptyAnswerStoresNothing) {
  AskedSetting nothing = wiki_domain;
  nothing.default_value = "";
  EXPECT_TRUE(run({"YES", "", "", "  "}, {wiki_path, wiki_domain, nothing}));
  EXPECT_EQ(stored_, Stored());
  EXPECT_THAT(asked_.back(), testing::EndsWith("  What it is about [default: nothing, Enter keeps it]: "));
}

TEST_F(DialogueTest, AQuestionForASecretSaysWhetherAgentsReadTheAnswer) {
  const auto asks_for_secret = [&](const std::string& key, const std::string& prompt) {
    asked_.clear();
    EXPECT_TRUE(run({"y", ""}, {local({key, "It", prompt, {}, "s", {}, "", "", ""})}));
    return asked_.back().find("belong into .env: talaria env set NAME\n") != std::string::npos;
  };
  EXPECT_TRUE(asks_for_secret("my.pw", "Your GitHub password"));
  EXPECT_THAT(asked_.back(), testing::HasSubstr("Agents are shown what you type here."));
  EXPECT_TRUE(asks_for_secret("my.api-key", "It"));
  EXPECT_THAT(asked_.back(), testing::HasSubstr("Agents are not shown a secret that you type here"));
  EXPECT_TRUE(asks_for_secret("service.token", "It"));
  EXPECT_TRUE(asks_for_secret("my.x", "API key (from the site):"));
  EXPECT_FALSE(asks_for_secret("wiki.path", "Folder of the wiki"));
  EXPECT_FALSE(asks_for_secret("monkey.path", "Where the monkey is"));
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
  EXPECT_FALSE(run({"y", "x", "/a"}, {{"bad..key", "Bad", "", {}, "s", {}, "", "", ""}, wiki_path}));
  EXPECT_THAT(complaints_, ElementsAre("not a key"));
  EXPECT_EQ(stored_, (Stored{{"wiki.path", "/a"}}));
}

}  // namespace
}  // namespace talaria
