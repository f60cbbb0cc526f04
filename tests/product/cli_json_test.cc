// With --json every command gives JSON on stdout, one value or one a line, also when it fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class CliJsonTest : public testing::Test {
 protected:
  // All of stdout is JSON, and some is there.
  JsonObject run_as_json(const std::vector<std::string>& words, int code, const std::string& input = {}) {
    const Ran ran = house_.run(words, input);
    const std::string shown = join(words, " ");
    EXPECT_EQ(ran.code, code) << shown << "\n" << ran.out << ran.err;
    EXPECT_NE(ran.out, "") << shown << "\n" << ran.err;
    JsonObject last;
    for (const std::string& line : split(ran.out, '\n')) {
      if (line.empty()) continue;
      const Result<JsonObject> object = parse_json_object(line);
      EXPECT_TRUE(object) << shown << ": " << line;
      if (object) last = *object;
    }
    return last;
  }

  PlainHouse house_;
};

TEST_F(CliJsonTest, EveryCommandThatSucceedsPrintsJson) {
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/a.txt", "needle\n", 0644, Durable::no));
  const std::string job = id_of(run_as_json({"exec", "--json", "-b", "cat"}, 0));
  const std::string terminal = id_of(run_as_json({"exec", "--json", "-b", "--pty", "cat"}, 0));
  ASSERT_NE(job, "");
  ASSERT_NE(terminal, "");
  const std::vector<std::vector<std::string>> commands = {
      {"exec", "--json", "true"},
      {"ps", "--json"},
      {"write", job, "hello", "--json"},
      {"log", job, "--json"},
      {"poll", job, "--json"},
      {"keys", terminal, "Enter", "--json"},
      {"paste", terminal, "text", "--json"},
      {"submit", terminal, "--json"},
      {"resize", terminal, "30", "90", "--json"},
      {"kill", job, "--json"},
      {"clear", job, "--json"},
      {"rm", terminal, "--json"},
      {"read", "a.txt", "--json"},
      {"grep", "needle", "--json"},
      {"patch", "a.txt", "--old", "needle", "--new", "thread", "--json"},
      {"tool", "exec", R"({"command":"true"})", "--json"},
      {"tool", "--list", "--json"},
      {"tools", "--json"},
      {"tools", "exec", "--json"},
      {"sandbox", "explain", "--json"},
      {"config", "path", "--json"},
      {"config", "show", "--json"},
      {"config", "get", "exec", "--json"},
      {"config", "get", "exec.timeout", "--json"},
      {"config", "set", "exec.timeout", "60", "--json"},
      {"config", "unset", "exec.timeout", "--json"},
      {"config", "migrate", "--json"},
      {"env", "list", "--json"},
      {"skills", "list", "--json"},
      {"skills", "prompt", "--json"},
      {"skills", "config", "--json"},
      {"skills", "new", "abc", "--description", "Does it", "--json"},
      {"skills", "check", "--json"},
      {"skills", "disable", "abc", "--json"},
      {"skills", "enable", "abc", "--json"},
      {"logs", "--json"},
      {"serve", "--background", "--json"},
      {"serve", "--replace", "--json"},
      {"serve", "--status", "--json"},
  };
  for (const std::vector<std::string>& words : commands) run_as_json(words, 0);
  run_as_json({"env", "set", "--json", "MY_NAME"}, 0, "value\n");
  EXPECT_EQ(run_as_json({"env", "unset", "--json", "MY_NAME"}, 0).at("removed"), Json(JsonArray{"MY_NAME"}));
  EXPECT_EQ(run_as_json({"config", "path", "--json"}, 0), (JsonObject{{"path", house_.home().config()}}));
  run_as_json({"serve", "--stop", "--json"}, 0);
}

TEST_F(CliJsonTest, NamesThatAreNoTextDoNotBreakIt) {
  const std::string skill = house_.root() + "/skills/odd\xff";
  ASSERT_TRUE(make_directories(skill));
  ASSERT_TRUE(write_file_atomically(skill + "/SKILL.md", "---\nname: odd\ndescription: Does \xff\n---\nText.\n", 0600,
                                    Durable::no));
  for (const char* action : {"list", "check", "prompt"}) run_as_json({"skills", action, "--json"}, 0);
  EXPECT_THAT(house_.run({"skills", "check", "--json"}).out, HasSubstr("/odd\xef\xbf\xbd"));
}

TEST_F(CliJsonTest, EveryCommandThatFailsPrintsItsErrorAsJson) {
  struct Failure {
    std::vector<std::string> words;
    int code;
  };
  const std::vector<Failure> failures = {
      {{"exec", "--json", "--nope", "true"}, 125},
      {{"exec", "--json", "--timeout", "nan", "true"}, 125},
      {{"exec", "--json", "-w", "/nowhere", "true"}, 125},
      {{"write", "nope", "x", "--json"}, 1},
      {{"kill", "nope", "--json"}, 1},
      {{"log", "nope", "--json"}, 1},
      {{"poll", "nope", "--json"}, 1},
      {{"wait", "nope", "--json"}, 125},
      {{"rm", "nope", "--json"}, 1},
      {{"rm", "--json"}, 2},
      {{"resize", "nope", "x", "--json"}, 2},
      {{"read", "nope", "--json"}, 1},
      {{"read", "nope\xff", "--json"}, 2},
      {{"search", "x", "--json"}, 1},
      {{"fetch", "nothing://x", "--json"}, 1},
      {{"tool", "nope", "{}", "--json"}, 1},
      {{"tool", "exec", "no json", "--json"}, 2},
      {{"config", "nope", "--json"}, 2},
      {{"config", "get", "nope", "--json"}, 1},
      {{"config", "set", "exec.timeout", "soon", "--json"}, 1},
      {{"env", "nope", "--json"}, 2},
      {{"skills", "history", "nope", "--json"}, 1},
      {{"skills", "trust", "nope", "--json"}, 1},
      {{"skills", "nope", "--json"}, 2},
      {{"sandbox", "nope", "--json"}, 125},
      {{"import", "hermes", "--dry-run", "--from", "/nowhere", "--json"}, 1},
      {{"serve", "--stop", "--status", "--nope", "--json"}, 2},
  };
  for (const Failure& failure : failures) run_as_json(failure.words, failure.code);
  EXPECT_THAT(text_or(run_as_json({"rm", "--json"}, 2), "error"), HasSubstr("ID is missing"));
}

}  // namespace
}  // namespace talaria
