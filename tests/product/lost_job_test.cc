// Jobs that are lost, and jobs that only seem to be: whoever follows one is told the truth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/fake_gateway.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

constexpr const char* lost_words =
    "Command lost: the process that looked after it went away (a crash or a reboot), so how it ended is not known. Its "
    "output up to then is kept; start it again if it is still needed.\n";

class LostJobTest : public testing::Test {
 protected:
  std::string start(const std::string& command) { return std::string(trim(house_.run({"exec", "-b", command}).out)); }

  std::string output_file(const std::string& id) {
    const Result<std::string> text = read_file(house_.home().job(id) + "/output");
    return text ? *text : "";
  }
  void await_on_disk(const std::string& id, const std::string& output) {
    await("its output to be on disk", [&] { return output_file(id) == output; });
  }

  pid_t spawner() {
    for (const pid_t pid : descendants_of(house_.keeper_pid())) {
      const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (name && *name == "talaria-spawner\n") return pid;
    }
    ADD_FAILURE() << "no spawner";
    return 0;
  }

  PlainHouse house_;
};

TEST_F(LostJobTest, WhoFollowsOneIsToldSoAndFails) {
  const std::string id = start("echo begun; exec sleep 600");
  await_on_disk(id, "begun\n");
  Running following = house_.start({"log", "--follow", id});
  following.await_output("begun\n");
  house_.kill_keeper();
  const Ran followed = following.finish();
  EXPECT_EQ(followed.code, 1);
  EXPECT_EQ(followed.out, "begun\n");
  EXPECT_EQ(followed.err, std::string("talaria: ") + lost_words);
  const Ran later = house_.run({"log", "--follow", id});
  EXPECT_EQ(later.code, 1);
  EXPECT_EQ(later.out, "begun\n");
  EXPECT_EQ(later.err, std::string("talaria: ") + lost_words);
}

TEST_F(LostJobTest, ItsLogSaysSoBesideTheOutput) {
  const std::string id = start("echo begun; exec sleep 600"), silent = start("exec sleep 600");
  await_on_disk(id, "begun\n");
  house_.kill_keeper();
  await("it to be lost", [&] { return status_of(house_.process("poll", id)) == "lost"; });
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"log", id}, {"log", "--raw", id}}) {
    const Ran ran = house_.run(command);
    EXPECT_EQ(ran.code, 0) << command[1];
    EXPECT_EQ(ran.out, "begun\n") << command[1];
    EXPECT_EQ(ran.err, lost_words) << command[1];
  }
  const Ran nothing = house_.run({"log", silent}), raw = house_.run({"log", "--raw", silent});
  EXPECT_EQ(nothing.code, 0);
  EXPECT_EQ(nothing.out + nothing.err, std::string("(no output recorded)\n") + lost_words);
  EXPECT_EQ(raw.code, 0);
  EXPECT_EQ(raw.out + raw.err, lost_words);
}

// The keeper cannot open the file that it is asked for, and a moment later it can.
TEST_F(LostJobTest, AFollowerOutlastsAKeeperWithoutDescriptors) {
  const std::string id = start("echo one; read x; echo two; read x; echo three");
  await_on_disk(id, "one\n");
  Running following = house_.start({"log", "--follow", id});
  following.await_output("one\n");
  const pid_t keeper = house_.keeper_pid();
  rlimit before{};
  ASSERT_EQ(::prlimit(keeper, RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit few{3, before.rlim_max};
  ASSERT_EQ(::prlimit(keeper, RLIMIT_NOFILE, &few, nullptr), 0);
  ASSERT_EQ(house_.run({"write", id, "x"}).code, 0);
  await_on_disk(id, "one\ntwo\n");
  // When it takes this it has tried to tell the follower of what came before.
  ASSERT_EQ(house_.run({"write", id, "x"}).code, 0);
  ASSERT_EQ(::prlimit(keeper, RLIMIT_NOFILE, &before, nullptr), 0);
  const Ran followed = following.finish();
  EXPECT_EQ(followed.code, 0);
  EXPECT_EQ(followed.out, "one\ntwo\nthree\n");
  EXPECT_EQ(followed.err, "");
}

TEST_F(LostJobTest, AFollowerThatIsToldOfAnErrorSaysItAndFails) {
  FakeGateway gateway(house_.home(), 1, [](int, const JsonObject& request) {
    const JsonObject details{{"status", "failed"}, {"error", "no luck"}, {"code", "system"}};
    return FakeAnswer{answer_line(request, {{"subscription", 1}, {"id", "k3f9k3f9"}}) +
                          notice_line("jobs/ended", {{"id", "k3f9k3f9"}, {"text", "no luck"}, {"details", details}}),
                      false};
  });
  const Ran followed = house_.run({"log", "--follow", "k3f9k3f9"});
  EXPECT_EQ(followed.code, 1);
  EXPECT_EQ(followed.err, "talaria: no luck\n");
}

// The keeper has its order and has not begun it when the gateway is killed.
TEST_F(LostJobTest, AJobThatStartsWhileTheGatewayIsKilledIsNotLost) {
  house_.exec("true");
  const pid_t gateway = house_.gateway_pid(), stopped = spawner();
  ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
  Running starting = house_.start({"exec", "-b", "--no-stdin", "echo begun; exit 3"});
  await("its row to be written", [&] { return !house_.run({"ps", "-rq"}).out.empty(); });
  house_.kill_gateway();
  await("another gateway", [&] { return house_.gateway_pid() != gateway; });
  EXPECT_EQ(trim(house_.run({"ps", "--state", "lost", "-q"}).out), "");
  ASSERT_EQ(::kill(stopped, SIGCONT), 0);
  const Ran started = starting.finish();
  EXPECT_EQ(started.code, 0) << started.err;
  const std::string id(trim(started.out));
  EXPECT_EQ(house_.run({"wait", id}).code, 3);
  const Ran followed = house_.run({"log", "--follow", id});
  EXPECT_EQ(followed.code, 0) << followed.err;
  EXPECT_EQ(followed.out, "begun\n");
}

}  // namespace
}  // namespace talaria
