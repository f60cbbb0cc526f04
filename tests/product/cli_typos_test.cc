// What was probably meant is named, in our words, and the exit code says that nothing was done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;

struct Typo {
  Words words;
  std::string said;
};

class CliTyposTest : public testing::Test {
 protected:
  PlainHouse house_;
};

TEST_F(CliTyposTest, TheNearestNameIsSuggestedAndNothingIsDone) {
  const std::vector<Typo> typos = {
      {{"exce", "true"}, "did you mean exec?"},
      {{"help", "conifg"}, "did you mean config?"},
      {{"--jsn"}, "there is no option \"--jsn\"; options follow a command"},
      {{"config", "shwo"}, "there is no action \"shwo\"; did you mean show? There are show, get, set"},
      {{"skills", "lst"}, "did you mean list?"},
      {{"env", "lits"}, "did you mean list?"},
      {{"sandbox", "explian"}, "did you mean explain?"},
      {{"sandbox", "quarantine", "resotre", "x"}, "did you mean restore?"},
      {{"import", "hermse"}, "settings can be taken over from hermes only"},
      {{"ps", "--runing"}, "ps: there is no option --runing; did you mean --running?"},
      {{"exec", "--timout", "3", "true"}, "there is no option --timout; did you mean --timeout? Put -- before"},
      {{"exec", "-x", "true"}, "there is no option -x; put -- before a command that begins with a dash"},
      {{"ps", "--state", "runing"}, "did you mean running?"},
      {{"config", "set", "exec.hots", "sandbox"}, "did you mean exec.host? Nothing was changed; --force sets"},
      {{"config", "set", "exec.host", "sandbx"}, "did you mean sandbox?"},
      {{"config", "get", "exec.hots"}, "did you mean exec.host?"},
      {{"config", "show", "exce"}, "did you mean exec?"},
      {{"config", "unset", "exec.hots"}, "did you mean exec.host? It is not in "},
      {{"tools", "pach"}, "there is no tool \"pach\"; did you mean patch?"},
      {{"tools", "pach", "--json"}, "there is no tool \"pach\"; did you mean patch?"},
      {{"tool", "exeec", "{}"}, "did you mean exec?"},
      {{"tools", "--toolsets", "fils"}, "did you mean file?"},
      {{"exec", "--host", "gatway", "true"}, "id you mean gateway?"},
      {{"exec", "--ask", "alway", "true"}, "id you mean always?"},
      {{"code", "--mode", "strikt", "-c", "1"}, "did you mean strict?"},
      {{"sandbox", "explain", "-p", "read-onyl"}, "did you mean read-only?"},
      {{"skills", "view", "arxvi"}, "arxiv"},
  };
  const auto config_text = [&] {
    const Result<std::string> text = read_file(house_.home().config());
    return text ? *text : std::string("none");
  };
  const std::string before = config_text();
  for (const Typo& typo : typos) {
    const Ran ran = house_.run(typo.words);
    EXPECT_NE(ran.code, 0) << join(typo.words, " ");
    EXPECT_THAT(ran.err, HasSubstr(typo.said)) << join(typo.words, " ");
  }
  EXPECT_EQ(config_text(), before);
}

TEST_F(CliTyposTest, NoSentenceOfTheOptionParserIsShown) {
  const std::vector<Typo> mistakes = {
      {{"log"}, "log: ID is missing: the job, or the beginning of its id"},
      {{"kill"}, "kill: ID is missing: jobs, or the beginnings of their ids"},
      {{"ps", "x", "y"}, "ps: unexpected word \"x\"; only options are taken here"},
      {{"log", "a", "b"}, "log: unexpected word \"b\"; what is taken is ID"},
      {{"resize", "a", "1", "2", "3"}, "unexpected word \"3\"; what is taken is ID, ROWS and COLS"},
      {{"ps", "--limit"}, "ps: --limit needs a value: --limit NUMBER"},
      {{"read", "-o"}, "read: -o needs a value: -o LINE"},
      {{"ps", "--json=yes"}, "ps: --json takes no value"},
      {{"ps", "--limit=many"}, "ps: --limit must be a whole number, got \"many\""},
      {{"ps", "-rz"}, "ps: there is no option -rz"},
      {{"config"}, "config: ACTION is missing: show, get, set"},
  };
  for (const Typo& mistake : mistakes) {
    const Ran ran = house_.run(mistake.words);
    EXPECT_EQ(ran.code, 2) << join(mistake.words, " ");
    EXPECT_THAT(ran.err, AllOf(StartsWith("talaria: " + mistake.words[0] + ": "), HasSubstr(mistake.said),
                               HasSubstr("\nTry: talaria "), Not(HasSubstr("were not expected")),
                               Not(HasSubstr("is required")), Not(HasSubstr("requires"))));
  }
}

TEST_F(CliTyposTest, HelpAndTheVersionAreEverywhere) {
  const std::string version = house_.run({"--version"}).out;
  EXPECT_THAT(version, StartsWith("talaria "));
  for (const Words& words : std::vector<Words>{{"-v"}, {"-V"}, {"version"}, {"ps", "-v"}, {"config", "--version"}}) {
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, version) << join(words, " ");
  }
  for (const Words& words : std::vector<Words>{{"-h"}, {"--help"}, {"help"}, {"help", "--help"}}) {
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, HasSubstr("Usage: talaria COMMAND")) << join(words, " ");
  }
  // The same help by every way to it.
  const std::vector<std::vector<Words>> same = {
      {{"log", "--help"}, {"log", "-h"}, {"help", "log"}, {"log", "k3f9", "-h"}},
      {{"ps", "--help"}, {"ps", "help"}, {"help", "ps"}},
      {{"config", "--help"}, {"config", "help"}, {"help", "config"}},
      {{"config", "set", "--help"}, {"config", "help", "set"}, {"help", "config", "set"}, {"config", "set", "-h"}},
      {{"skills", "view", "-h"}, {"skills", "help", "view"}, {"help", "skills", "view"}},
      {{"sandbox", "quarantine", "-h"}, {"sandbox", "quarantine", "help"}, {"help", "sandbox", "quarantine"}},
      {{"sandbox", "quarantine", "list", "-h"},
       {"sandbox", "quarantine", "help", "list"},
       {"help", "sandbox", "quarantine", "list"}},
  };
  for (const std::vector<Words>& ways : same) {
    const std::string first = house_.run(ways.front()).out;
    EXPECT_THAT(first, HasSubstr("talaria " + ways.front().front()));
    for (const Words& words : ways) {
      const Ran ran = house_.run(words);
      EXPECT_EQ(ran.code, 0) << join(words, " ") << ran.err;
      EXPECT_EQ(ran.out, first) << join(words, " ");
    }
  }
  // What belongs to somebody else's command is not ours.
  EXPECT_EQ(house_.run({"exec", "echo", "-v", "--help"}).out, "-v --help\n");
  EXPECT_EQ(house_.run({"help", "exec", "touch", "made"}).code, 0);
  EXPECT_FALSE(exists(house_.workspace() + "/made"));
}

TEST_F(CliTyposTest, AKeyThatNothingReadsIsSetWithForce) {
  const Ran refused = house_.run({"config", "set", "exec.later", "1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err,
            "talaria: nothing reads the key exec.later. Nothing was changed; --force sets a key that a newer version "
            "may know\n");
  const Ran forced = house_.run({"config", "set", "exec.later", "1", "--force"});
  EXPECT_EQ(forced.code, 0);
  EXPECT_EQ(forced.err, "talaria: nothing reads the key exec.later\n");
  EXPECT_EQ(house_.run({"config", "get", "exec.later"}).out, "1\n");
  EXPECT_EQ(house_.run({"config", "unset", "exec.later"}).code, 0);
  EXPECT_EQ(house_.run({"config", "unset", "exec.later"}).code, 1);
  EXPECT_EQ(house_.run({"config", "unset", "exec.timeout"}).code, 0) << "what holds then is what was asked for";
  EXPECT_EQ(house_.run({"config", "get", "exec.timeout", "--force"}).code, 2);
  EXPECT_THAT(house_.run({"config", "show", "exec.elevated"}).out, StartsWith("exec.elevated.enabled\t"));
}

}  // namespace
}  // namespace talaria
