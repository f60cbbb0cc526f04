// What a command without a network meets, and what it is told.
#include <gmock/gmock.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* note =
    "(The network is off in this sandbox, and the command tried to reach it. If it is needed, run the command with "
    "exec "
    "and host=gateway.)";
constexpr const char* try_it = "exec 5<>/dev/tcp/10.0.0.1/80";

class NoNetworkTest : public testing::Test {
 protected:
  House house_;
};

TEST_F(NoNetworkTest, ACommandThatFailedForLackOfItIsToldSo) {
  const JsonObject failed = house_.exec(try_it);
  EXPECT_THAT(text_of(failed), EndsWith(note));
  EXPECT_EQ(text_or(details_of(failed), "network_tried"), "itself");
  const JsonObject looked_up = house_.exec("curl -sS https://example.com");
  EXPECT_THAT(text_of(looked_up), AllOf(HasSubstr("Could not resolve host"), EndsWith(note)));
}

TEST_F(NoNetworkTest, AFailureWithoutItAndASuccessAreNotToldSo) {
  EXPECT_THAT(text_of(house_.exec("false")), Not(HasSubstr("network")));
  EXPECT_THAT(text_of(house_.exec("exec 5<>/dev/tcp/127.0.0.1/1")), Not(HasSubstr("network is off")));
  EXPECT_THAT(text_of(house_.exec(std::string(try_it) + " || true; (" + try_it + ") || echo went on")),
              Not(HasSubstr("network is off")));
  // What the one before tried is not the doing of this one.
  EXPECT_THAT(text_of(house_.exec("exit 3")), Not(HasSubstr("network is off")));
}

TEST_F(NoNetworkTest, WhereOthersRunBesideItTheNoteDoesNotSayWhoItWas) {
  const JsonObject other = house_.exec("read line", {{"background", true}});
  EXPECT_THAT(text_of(house_.exec("exit 3")), Not(HasSubstr("network is off")));
  EXPECT_THAT(text_of(house_.exec(try_it)), HasSubstr("a command of this session tried to reach it meanwhile."));
}

TEST_F(NoNetworkTest, EveryWayToRunACommandTells) {
  EXPECT_THAT(text_of(house_.call("terminal", {{"command", try_it}})), EndsWith(note));
  const std::string program = "import urllib.request\nurllib.request.urlopen('http://example.com')";
  EXPECT_THAT(text_of(house_.call("execute_code", {{"code", program}})),
              AllOf(HasSubstr("Name or service not known"), HasSubstr(note)));
  const JsonObject job = house_.exec(try_it, {{"background", true}});
  EXPECT_THAT(text_of(house_.process("wait", id_of(job))), HasSubstr(note));
  EXPECT_THAT(text_of(house_.process("poll", id_of(job))), HasSubstr(note));
  EXPECT_THAT(house_.run({"exec", try_it}).err, HasSubstr("talaria sandbox run --network on"));
}

TEST_F(NoNetworkTest, WhereThePlainHostIsRefusedItIsNotOffered) {
  ASSERT_EQ(house_.run({"config", "set", "exec.host", "sandbox"}).code, 0);
  EXPECT_THAT(text_of(house_.exec(try_it)),
              EndsWith("If it is needed, ask the person to set sandbox.network: on in the configuration.)"));
}

TEST_F(NoNetworkTest, AFailedCloneIsToldOfTheNetworkAndNotOfProtectedFiles) {
  EXPECT_EQ(details_of(house_.exec("git init -q .")).at("exitCode"), Json(0));
  for (const char* command : {"git clone https://example.com/a/b.git", "git fetch https://example.com/a/b.git",
                              "git submodule add https://example.com/a/b.git"}) {
    const std::string text = text_of(house_.exec(command));
    EXPECT_THAT(text, AllOf(HasSubstr("Could not resolve host"), EndsWith(note))) << command;
    EXPECT_THAT(text, Not(HasSubstr(".git/config"))) << command;
  }
}

TEST_F(NoNetworkTest, PackageManagersDoNotTryAgainUnlessTheCallerWantsThem) {
  const std::string show = "echo $npm_config_fetch_retries $PIP_RETRIES";
  EXPECT_EQ(text_of(house_.exec(show)), "0 0\n");
  EXPECT_EQ(text_of(house_.exec(show, {{"env", JsonObject{{"PIP_RETRIES", "7"}}}})), "0 7\n");
  ASSERT_EQ(house_.run({"config", "set", "sandbox.network", "on"}).code, 0);
  EXPECT_EQ(text_of(house_.exec(show)), "\n");
}

TEST_F(NoNetworkTest, TheMachinesOwnNamesAreKnown) {
  EXPECT_EQ(text_of(house_.exec("getent hosts localhost > /dev/null && getent passwd root | cut -d: -f1")), "root\n");
  EXPECT_THAT(text_of(house_.exec("cat /etc/resolv.conf")), HasSubstr("The network is off in this sandbox"));
}

}  // namespace
}  // namespace talaria
