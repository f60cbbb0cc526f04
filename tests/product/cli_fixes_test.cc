// What the command line says where things are not as usual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CliOddTest : public testing::Test {
 protected:
  JsonObject json(std::vector<std::string> arguments) {
    const Ran ran = house_.run(std::move(arguments));
    Result<JsonObject> object = parse_json_object(ran.out);
    EXPECT_TRUE(object) << ran.out << ran.err;
    return object ? *std::move(object) : JsonObject();
  }
  void configure(const std::string& text) {
    ASSERT_TRUE(house_.home().prepare());
    ASSERT_TRUE(write_file_atomically(house_.home().config(), text));
  }

  PlainHouse house_;
};

TEST_F(CliOddTest, BackgroundThatIsNotAllowedRunsInTheForeground) {
  ASSERT_EQ(house_.run({"config", "set", "exec.allow_background", "false"}).code, 0);
  const Ran ran = house_.run({"exec", "-b", "echo hi; cat; exit 4"}, "typed\n");
  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(ran.out, "hi\ntyped\n");
  EXPECT_THAT(ran.err, HasSubstr("exec.allow_background is false"));
}

TEST_F(CliOddTest, ReplaceReturnsWhenTheNewGatewayIsReady) {
  const pid_t before = house_.gateway_pid();
  EXPECT_EQ(house_.run({"serve", "--replace", "--background"}).code, 0);
  const Ran ran = house_.run({"serve", "--replace"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("gateway "));
  EXPECT_NE(house_.gateway_pid(), before);
  EXPECT_EQ(house_.run({"serve", "--replace", "--stop"}).code, 2);
}

TEST_F(CliOddTest, ConfigGetListsASection) {
  configure("exec:\n  timeout: 7\n");
  EXPECT_THAT(house_.run({"config", "get", "exec"}).out,
              AllOf(HasSubstr("exec.timeout\t7\tconfig.yaml\t"), HasSubstr("exec.yield_ms\t10000\tdefault\t")));
  const Ran elevated = house_.run({"config", "get", "exec.elevated"});
  EXPECT_EQ(elevated.code, 0);
  EXPECT_THAT(elevated.out, StartsWith("exec.elevated.enabled\tfalse\tdefault\t"));
  const JsonObject section = json({"config", "get", "exec.elevated", "--json"});
  EXPECT_EQ(section.at("settings").as_array().at(0).as_object().at("value"), Json(false));
}

TEST_F(CliOddTest, ABrokenConfigIsNamedWithItsPlace) {
  configure("exec:\n  timeout: [\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"config", "show"}, {"config", "get", "exec.timeout"}, {"config", "get", "exec"}}) {
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, StartsWith("talaria: " + house_.home().config() + ":3:1: "));
  }
  configure("exec: {timeout: soon}\n");
  EXPECT_THAT(house_.run({"config", "show"}).err,
              StartsWith("talaria: " + house_.home().config() + ":1:17: exec.timeout"));
}

TEST_F(CliOddTest, OnlyNearKeysAreSuggested) {
  EXPECT_EQ(
      house_.run({"config", "set", "exec.nope", "1"}).err,
      "talaria: nothing reads the key exec.nope. Nothing was changed; --force sets a key that a newer version may "
      "know\n");
  EXPECT_THAT(house_.run({"config", "set", "exec.timout", "1"}).err, HasSubstr("did you mean exec.timeout?"));
}

TEST_F(CliOddTest, AToolCallThatLosesItsGatewaySaysWhereTheCommandIs) {
  Running call = house_.start({"tool", "exec", R"({"command": "touch up; sleep 60"})"});
  await("the command to run", [&] { return exists(house_.workspace() + "/up"); });
  house_.kill_gateway();
  const Ran ran = call.finish();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("may go on at the keeper"), HasSubstr("talaria ps")));
  EXPECT_NE(house_.run({"ps", "-rq"}).out, "");
}

TEST_F(CliOddTest, OurLogAsJson) {
  house_.exec("true");
  const std::string out = house_.run({"logs", "--json"}).out;
  const JsonObject line = *parse_json_object(out.substr(0, out.find('\n')));
  EXPECT_EQ(text_or(line, "level"), "info");
  EXPECT_THAT(text_or(line, "text"), StartsWith("gateway "));
  EXPECT_THAT(text_or(line, "time"), StartsWith("20"));
}

TEST_F(CliOddTest, ControlCWithJsonReachesTheJobAndTheResultIsPrinted) {
  const std::string loop = "echo >> up; while :; do sleep 0.02; done";
  const std::string up = house_.workspace() + "/up";
  Running once = house_.start({"exec", "--json", "trap 'echo int; exit 9' INT; " + loop});
  await("the first to run", [&] { return exists(up); });
  ::kill(once.pid(), SIGINT);
  const Ran interrupted = once.finish();
  EXPECT_EQ(interrupted.code, 9) << interrupted.err;
  EXPECT_THAT(text_of(*parse_json_object(interrupted.out)), StartsWith("int\n"));

  Running twice = house_.start({"exec", "--json", "trap 'echo x >> ints' INT; " + loop});
  await("the second to run", [&] { return *read_file(up) == "\n\n"; });
  ::kill(twice.pid(), SIGINT);
  await("the first signal", [&] {
    const Result<std::string> ints = read_file(house_.workspace() + "/ints");
    return ints && *ints == "x\n";
  });
  await_next_signal();
  ::kill(twice.pid(), SIGINT);
  const Ran killed = twice.finish();
  EXPECT_EQ(killed.code, 128 + SIGTERM) << killed.err;
  EXPECT_EQ(status_of(*parse_json_object(killed.out)), "failed");
}

TEST_F(CliOddTest, WrongUsageOfExecIsOurOwnFailure) {
  EXPECT_EQ(house_.run({"exec"}).code, 125);
  EXPECT_EQ(house_.run({"exec", "--bogus", "true"}).code, 125);
  EXPECT_EQ(house_.run({"exec", "-e", "novalue", "true"}).code, 125);
  EXPECT_EQ(house_.run({"ps", "--bogus"}).code, 2);
}

TEST_F(CliOddTest, StdoutHoldsOnlyWhatTheJobPrinted) {
  const std::string id(trim(house_.run({"exec", "-b", "printf a; exit 3"}).out));
  const Ran waited = house_.run({"wait", id});
  EXPECT_EQ(waited.code, 3);
  EXPECT_EQ(waited.out, "");
  EXPECT_EQ(waited.err, "Command exited with code 3.\n");
  EXPECT_EQ(house_.run({"poll", id}).out, "a");
  EXPECT_THAT(house_.run({"log", "zzzz"}).err, HasSubstr("talaria ps"));
}

TEST_F(CliOddTest, APersonHearsOfWhatACommandLeftBehind) {
  const std::string command = program_path("talaria") + " exec 'sleep 60 & echo hi'";
  const Ran seen = house_.start_program("/usr/bin/script", {"-qec", command, "/dev/null"}).finish();
  EXPECT_THAT(seen.out, AllOf(HasSubstr("hi"), HasSubstr("1 process it started still runs (talaria log -f ")));
  EXPECT_EQ(house_.run({"exec", "sleep 60 & echo hi"}).err, "");
}

TEST_F(CliOddTest, EveryListedWordHasItsHelp) {
  EXPECT_THAT(house_.run({"help", "completion"}).out, HasSubstr("talaria completion bash"));
  EXPECT_EQ(house_.run({"completion", "fish"}).code, 2);
}

TEST_F(CliOddTest, AHomeThatIsAFileIsNamed) {
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/file", ""));
  const std::string before = house_.environment()["TALARIA_HOME"];
  house_.environment()["TALARIA_HOME"] = house_.workspace() + "/file";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"ps"}, {"config", "show"}, {"serve", "--status"}, {"doctor"}}) {
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out + ran.err, HasSubstr("is not a directory"));
  }
  house_.environment()["TALARIA_HOME"] = before;
}

}  // namespace
}  // namespace talaria
