// What once went wrong with sandboxes.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SandboxFixesTest : public testing::Test {
 protected:
  House house_;
};

TEST_F(SandboxFixesTest, AKilledSupervisorTakesNoSandboxAlong) {
  const JsonObject inside = house_.exec("sleep 1000", {{"background", true}});
  const JsonObject outside = house_.exec("sleep 1000", {{"background", true}, {"host", "gateway"}});
  const auto pid = static_cast<pid_t>(integer_or(details_of(outside), "pid"));
  ASSERT_EQ(::kill(parent_of(pid).value(), SIGKILL), 0);
  await("the job on the host to be gone",
        [&] { return status_of(house_.process("poll", id_of(outside))) != "running"; });
  EXPECT_EQ(status_of(house_.process("poll", id_of(inside))), "running");
  EXPECT_EQ(text_of(house_.exec("echo still there")), "still there\n");
}

TEST_F(SandboxFixesTest, ALostKeeperDoesNotHoldUpWhatMustBeProbedAnew) {
  EXPECT_EQ(text_of(house_.exec("echo one")), "one\n");
  house_.kill_keeper();
  ASSERT_EQ(house_.run({"config", "set", "sandbox.without", "[cgroups]"}).code, 0);
  EXPECT_EQ(text_of(house_.exec("echo two")), "two\n");
}

TEST_F(SandboxFixesTest, WhoFollowsACommandHearsWhichLimitEndedIt) {
  ASSERT_EQ(house_.run({"config", "set", "sandbox.profiles.small.limits.memory_bytes", "64M"}).code, 0);
  ASSERT_EQ(house_.run({"config", "set", "sandbox.profile", "small"}).code, 0);
  const Ran ran = house_.run({"exec", "x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 1000"});
  EXPECT_THAT(ran.err, AllOf(HasSubstr("of memory, and 64 MiB are allowed"), Not(HasSubstr("took 0 bytes"))));
}

TEST_F(SandboxFixesTest, AKeptSandboxStaysWhoItIs) {
  const std::string before = text_of(house_.exec("id -u; echo kept > /tmp/word"));
  (void)house_.exec("sleep 1000", {{"background", true}});
  house_.kill_gateway();
  const std::string after = text_of(house_.exec("id -u; cat /tmp/word; touch $XDG_RUNTIME_DIR/x"));
  EXPECT_EQ(after, before.substr(0, before.find('\n') + 1) + "kept\n");
  if (::geteuid() != 0) return;  // an ordinary user is the same in all
  const Result<JsonObject> other = house_.connect().call_object(
      "tools/call", {{"name", "exec"},
                     {"arguments", JsonObject{{"command", "id -u"}}},
                     {"client", "cli"},
                     {"session", JsonObject{{"cwd", house_.workspace()}, {"name", "other"}}}});
  ASSERT_TRUE(other);
  EXPECT_NE(text_of(*other) + "kept\n", after);
}

TEST_F(SandboxFixesTest, ADeniedCommandSaysWhereItWouldHaveRun) {
  const JsonObject denied = house_.exec("true", {{"security", "deny"}});
  EXPECT_EQ(status_of(denied), "denied");
  ASSERT_TRUE(object_or_null(details_of(denied), "sandbox"));
  EXPECT_EQ(text_or(*object_or_null(details_of(denied), "sandbox"), "profile"), "workspace-write");
}

}  // namespace
}  // namespace talaria
