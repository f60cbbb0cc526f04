// talaria sandbox run, explain and probe, as a person uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/text.h"
#include "config/profiles.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SandboxCliTest : public testing::Test {
 protected:
  Ran sandboxed(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.insert(arguments.begin(), {"sandbox", "run"});
    return house_.run(std::move(arguments), input);
  }
  std::string out(std::vector<std::string> arguments) {
    const Ran ran = house_.run(std::move(arguments));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  JsonObject json(std::vector<std::string> arguments) {
    const Ran ran = house_.run(std::move(arguments));
    Result<JsonObject> object = parse_json_object(ran.out);
    EXPECT_TRUE(object) << ran.out << ran.err;
    return object ? *std::move(object) : JsonObject();
  }
  bool is_in_workspace(const std::string& name) { return exists(house_.workspace() + "/" + name); }

  House house_;
};

TEST_F(SandboxCliTest, RunExitsAsTheCommandDid) {
  EXPECT_EQ(sandboxed({"exit 7"}).code, 7);
  EXPECT_EQ(sandboxed({"kill -KILL $$"}).code, 137);
  EXPECT_EQ(sandboxed({"--timeout", "0.5", "sleep 60"}).code, 124);
  EXPECT_EQ(sandboxed({"no-such-program-anywhere"}).code, 127);
  EXPECT_EQ(sandboxed({}).code, 125);
  EXPECT_EQ(sandboxed({"--bogus", "--", "true"}).code, 125);
}

TEST_F(SandboxCliTest, RunPassesWordsInputAndDirectory) {
  EXPECT_EQ(sandboxed({"--", "printf", "<%s>", "a b", "$HOME", "--json"}).out, "<a b><$HOME><--json>");
  EXPECT_EQ(sandboxed({"cat"}, "in\n").out, "in\n");
  EXPECT_EQ(sandboxed({"-n", "cat"}, "").out, "");
  EXPECT_EQ(sandboxed({"-e", "A=1", "-w", "/usr", "echo $A $PWD"}).out, "1 /usr\n");
}

TEST_F(SandboxCliTest, RunWritesOnlyWhatTheProfileAllows) {
  EXPECT_EQ(sandboxed({"touch here && ! touch /usr/x"}).code, 0);
  EXPECT_TRUE(is_in_workspace("here"));
  EXPECT_NE(sandboxed({"-p", "read-only", "touch there"}).code, 0);
  EXPECT_FALSE(is_in_workspace("there"));
  // Of the person's home only the workspace is there, of ours nothing.
  EXPECT_EQ(sandboxed({"test ! -e " + house_.root() + "/run && ls -A ~"}).out, "w\n");
}

TEST_F(SandboxCliTest, RunReachesTheNetworkThatWasChosen) {
  char own[64] = {};
  ASSERT_GT(::readlink("/proc/self/ns/net", own, sizeof own - 1), 0);
  const std::string command = "readlink /proc/self/ns/net";
  EXPECT_EQ(sandboxed({"--network", "on", command}).out, own + std::string("\n"));
  const std::string off = sandboxed({"--network", "off", command}).out;
  EXPECT_THAT(off, AllOf(StartsWith("net:["), Not(HasSubstr(own))));
  const Ran list = sandboxed({"--network", "allow", "true"});
  EXPECT_EQ(list.code, 125);
  EXPECT_THAT(list.err, HasSubstr("not available in this version"));
}

TEST_F(SandboxCliTest, RunSaysWhichSandboxHeldWhenAsked) {
  EXPECT_EQ(sandboxed({"true"}).err, "");
  const Ran told = sandboxed({"-v", "-p", "read-only", "echo out; exit 3"});
  EXPECT_EQ(told.code, 3);
  EXPECT_EQ(told.out, "out\n");
  EXPECT_THAT(told.err, HasSubstr("sandbox: profile read-only, network off"));
  const std::string command = program_path("talaria") + " sandbox run 'echo inside'";
  const Ran seen = house_.start_program("/usr/bin/script", {"-qec", command, "/dev/null"}).finish();
  EXPECT_THAT(seen.out, AllOf(HasSubstr("inside"), HasSubstr("sandbox: profile workspace-write, network off")));
}

TEST_F(SandboxCliTest, RunAsJsonIsOneResult) {
  const Ran ran = sandboxed({"--json", "-p", "read-only", "cat; exit 3"}, "given\n");
  EXPECT_EQ(ran.code, 3);
  const JsonObject result = *parse_json_object(ran.out);
  EXPECT_THAT(text_of(result), StartsWith("given\n"));
  const JsonObject* sandbox = object_or_null(details_of(result), "sandbox");
  ASSERT_TRUE(sandbox) << ran.out;
  EXPECT_EQ(text_or(*sandbox, "profile"), "read-only");
  EXPECT_EQ(integer_or(details_of(result), "exitCode"), 3);
}

TEST_F(SandboxCliTest, ControlCInterruptsWhatRunsInside) {
  Running once =
      house_.start({"sandbox", "run", "trap 'echo int; exit 9' INT; echo ready; while :; do sleep 0.02; done"});
  once.await_output("ready\n");
  ::kill(once.pid(), SIGINT);
  EXPECT_EQ(once.finish().code, 9);
}

TEST_F(SandboxCliTest, AProfileOfOnesOwnIsConfiguredAndTaken) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"base", "workspace-write"},
                                                                                   {"network", "on"},
                                                                                   {"limits.processes", "123"},
                                                                                   {"limits.memory_bytes", "2G"}}) {
    EXPECT_EQ(out({"config", "set", "sandbox.profiles.mine." + key, value}), "");
  }
  EXPECT_EQ(out({"config", "get", "sandbox.profiles.mine.limits.memory_bytes"}), "2G\n");
  const JsonObject explained = json({"sandbox", "explain", "-p", "mine", "--json"});
  EXPECT_EQ(text_or(explained, "profile"), "mine");
  EXPECT_EQ(text_or(explained, "base"), "workspace-write");
  EXPECT_EQ(text_or(explained, "network"), "on");
  EXPECT_EQ(integer_or(*object_or_null(explained, "limits"), "processes"), 123);
  EXPECT_EQ(out({"config", "set", "sandbox.profile", "mine"}), "");
  EXPECT_THAT(sandboxed({"-v", "true"}).err, HasSubstr("profile mine, network on"));
}

TEST_F(SandboxCliTest, AnUnknownProfileIsNamedWithTheKnownOnes) {
  for (const char* action : {"run", "explain"}) {
    std::vector<std::string> words = {"sandbox", action, "-p", "mien"};
    if (words[1] == "run") words.push_back("true");
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, words[1] == "run" ? 125 : 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("mien"), HasSubstr("workspace-write")));
  }
}

TEST_F(SandboxCliTest, ExplainShowsWhatIsSeenWrittenAndReached) {
  const std::string plain = out({"sandbox", "explain"});
  EXPECT_THAT(plain, StartsWith("profile\tworkspace-write\n"));
  EXPECT_THAT(plain, AllOf(HasSubstr("\nholds\ttier 1"), HasSubstr("\nnetwork\toff\n"),
                           HasSubstr("\nworkspace\t" + house_.workspace() + ", writable\n"), HasSubstr("\nhidden\t"),
                           HasSubstr("\nlimits\tmemory: 4 GiB\n"), HasSubstr("\nenvironment\tHOME=")));
  EXPECT_THAT(plain, AllOf(HasSubstr("\nwatched\tlocked (what"), HasSubstr("\nwatched\theld (a version"),
                           HasSubstr("\nwatched\tthe quarantine is " + house_.home().quarantine() + ":")));
  EXPECT_THAT(out({"sandbox", "explain", "-p", "read-only", "--network", "on"}),
              AllOf(HasSubstr("\nnetwork\ton\n"), HasSubstr(house_.workspace() + ", read-only\n"),
                    HasSubstr("\nwatched\tnothing: this profile has no guard\n")));
  out({"config", "set", "sandbox.protected", "[deploy/keys]"});
  const JsonObject explained = json({"sandbox", "explain", "--json"});
  const JsonObject* watched = object_or_null(explained, "watched");
  ASSERT_TRUE(watched) << write_json(explained);
  EXPECT_THAT(write_json(watched->at("locked")), AllOf(HasSubstr("\".claude\""), HasSubstr("\"deploy/keys\"")));
  EXPECT_THAT(write_json(watched->at("held")), HasSubstr("\".envrc\""));
  EXPECT_EQ(text_or(*object_or_null(*watched, "quarantine"), "folder"), house_.home().quarantine());
  EXPECT_EQ(house_.run({"sandbox", "explain", "--", "true"}).code, 125);
}

TEST_F(SandboxCliTest, ProbeShowsWhatTheMachineCanDo) {
  std::vector<std::string> names;
  for (const std::string& line : split(std::string(trim(out({"sandbox", "probe"}))), '\n')) {
    const std::vector<std::string> cells = split(line, '\t');
    ASSERT_LE(cells.size(), 4u) << line;
    names.push_back(cells[0]);
  }
  for (const char* name : {"user_namespaces", "landlock", "seccomp", "cgroups", "profile full", "identity", "limits"}) {
    EXPECT_THAT(names, Contains(name));
  }
  const JsonObject probed = json({"sandbox", "probe", "--json"});
  EXPECT_EQ(probed.at("profiles").as_array().size(), 3u);
  EXPECT_FALSE(text_or(probed, "identity").empty());
  EXPECT_EQ(house_.run({"sandbox", "probe", "-p", "full"}).code, 125);
  EXPECT_THAT(house_.run({"sandbox", "fly"}).err, HasSubstr("there are run, explain, probe, quarantine"));
}

TEST_F(SandboxCliTest, DoctorShowsItToo) {
  house_.exec("true");  // only a running gateway can tell
  const Ran doctor = house_.run({"doctor"});
  EXPECT_THAT(doctor.out, HasSubstr("\tsandbox: user namespaces\t"));
}

TEST_F(SandboxCliTest, WithoutWhatIsMissingItSaysSo) {
  EXPECT_EQ(out({"config", "set", "sandbox.without", "[cgroups, landlock-3]"}), "");
  const std::string probed = out({"sandbox", "probe"});
  EXPECT_THAT(probed, AllOf(HasSubstr("cgroups\tno\t"), HasSubstr("limits\t\trlimits and watchdog")));
  EXPECT_THAT(sandboxed({"-v", "true"}).err, HasSubstr("missing here: "));
}

TEST_F(SandboxCliTest, WhatRunsInAJobCannotChooseItsSandbox) {
  const std::string again = "TALARIA_HOME=" + house_.root() + " " + program_path("talaria") + " sandbox run ";
  const Ran refused = house_.run({"exec", "--host", "gateway", again + "-p full -- touch escaped"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.out, HasSubstr("for the person at this machine"));
  EXPECT_FALSE(is_in_workspace("escaped"));
}

TEST_F(SandboxCliTest, TheConfigPageListsTheFieldsOfAProfile) {
  const Result<std::string> page = read_file(TALARIA_SOURCE "/docs/config.md");
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("\n" + describe_profile_fields() + "\n"));
}

}  // namespace
}  // namespace talaria
