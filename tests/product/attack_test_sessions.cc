// One session against another, against the programs that hold it, and against its own end.
#include <fcntl.h>
#include <sys/stat.h>

#include "os/file.h"
#include "os/proc.h"
#include "product/attack_test_fixture.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class AttackSessionTest : public AttackTest {
 protected:
  std::string directory(const std::string& name) {
    const std::string path = bait_.at("home") + "/" + name;
    EXPECT_TRUE(make_directories(path, 0755));
    return path;
  }
  std::vector<std::string> left() {
    return processes_from(house_.workspace(), {static_cast<pid_t>(std::stol(bait_.at("victim")))});
  }
  void await_nothing_left(const std::string& what) {
    await(
        what + " to be gone", [&] { return left().empty(); }, 20s);
  }
  void expect_gone_with_its_job(const std::string& how) {
    const JsonObject result = run("./attack leave " + how + " left-" + how);
    EXPECT_EQ(status_of(result), "completed") << write_json(result);
    EXPECT_TRUE(exists(house_.workspace() + "/left-" + how));
    await(how + " to be seen", [&] { return !left().empty(); });  // one that keeps running can be missed
    EXPECT_GE(integer_or(details_of(result), "childrenStillRunning"), 1) << how;
    house_.process("kill", id_of(result));
    await_nothing_left(how);
  }
};

constexpr const char* server =
    "perl -MIO::Socket -e '$s = IO::Socket::INET->new(LocalAddr => \"127.0.0.1:8123\", Listen => 1) or die; "
    "open F, \">ready\"; while ($c = $s->accept) { print $c \"contacted\\n\"; close $c }'";

TEST_F(AttackSessionTest, AnotherSessionIsAnotherWorld) {
  const std::string other = directory("other");
  run("echo " + bait_.secret() + " > /tmp/secret; echo " + bait_.secret() +
      " > /dev/shm/secret; mkfifo /tmp/pipe; "
      "echo " +
      bait_.secret() + " > ~/secret");
  run(std::string("SECRET=") + bait_.secret() + " " + server, {{"background", true}});
  await("the server to listen", [&] { return exists(house_.workspace() + "/ready"); });
  ASSERT_EQ(text_of(run("cat < /dev/tcp/127.0.0.1/8123")), "contacted\n");
  const std::string pid = std::to_string(descendants_of(house_.keeper_pid()).back());
  const JsonObject result = run_elsewhere(
      other, "cat /tmp/secret /dev/shm/secret ~/secret " + house_.workspace() + "/bait-list /proc/" + pid +
                 "/environ; cat < /dev/tcp/127.0.0.1/8123; ls /tmp /dev/shm; cat /proc/*/environ | tr '\\0' '\\n'; "
                 "touch " +
                 house_.workspace() + "/new; kill -9 " + pid + "; ps -ef; ipcs");
  EXPECT_THAT(text_of(result),
              AllOf(Not(HasSubstr(bait_.secret())), Not(HasSubstr("contacted")), Not(HasSubstr("perl"))));
  EXPECT_FALSE(exists(house_.workspace() + "/new"));
  EXPECT_EQ(text_of(run("cat < /dev/tcp/127.0.0.1/8123")), "contacted\n");
}

// The files of jobs, of other sessions and its own, are not its business.
TEST_F(AttackSessionTest, JobsAndTheirLogsAreOutOfReach) {
  const std::string other = directory("other");
  const JsonObject job = run_elsewhere(other, "echo " + bait_.secret() + "; exec sleep 60", {{"background", true}});
  ASSERT_EQ(status_of(job), "running") << write_json(job);
  const JsonObject result =
      run("grep -rs . " + house_.root() + "; ls -laR " + house_.root() +
          "; ls -la /proc/self/fd /proc/1/fd; "
          "find / -name '*" +
          id_of(job) + "*' -not -path '/proc/*' 2>/dev/null; echo attacked > " + house_.root() + "/x");
  EXPECT_THAT(text_of(result), AllOf(Not(HasSubstr(bait_.secret())), Not(HasSubstr(id_of(job)))));
  EXPECT_FALSE(exists(house_.root() + "/x"));
}

// What a call sets is its own; what is shown of the person's home follows from the person's own variables.
TEST_F(AttackSessionTest, ACallsVariablesOpenNothing) {
  const std::string documents = bait_.at("home") + "/documents";
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "CARGO_HOME", "GOPATH", "HOME",
                           "PATH", "XDG_RUNTIME_DIR", "TALARIA_HOME", "TMPDIR"}) {
    const std::string value = std::string(name) == "PATH" ? documents + ":/usr/bin:/bin" : documents;
    const JsonObject result =
        run("cat " + documents + "/x; ls -A " + documents + "; true", {{"env", JsonObject{{name, value}}}});
    EXPECT_THAT(text_of(result), Not(HasSubstr(bait_.secret()))) << name;
  }
}

TEST_F(AttackSessionTest, ALinkAsWorkdirLeadsNowhere) {
  run("ln -s " + bait_.at("home") + "/.ssh way; ln -s " + house_.root() + " own; ln -s / root");
  for (const char* workdir : {"way", "own", "root/root", "../.ssh", "/root", "way/../.aws"}) {
    const JsonObject result =
        run("pwd; ls -A; cat id_ed25519 credentials own-bait; touch attacked", {{"workdir", workdir}});
    EXPECT_THAT(text_of(result), Not(HasSubstr(bait_.secret()))) << workdir;
  }
  for (const char* place : {"/.ssh/attacked", "/.aws/attacked"}) EXPECT_FALSE(exists(bait_.at("home") + place));
  EXPECT_FALSE(exists(house_.root() + "/attacked"));
}

// Our own programs, taken along: they start no gateway inside and reach none outside.
TEST_F(AttackSessionTest, OurselvesInsideReachNothing) {
  for (const char* name : {"talaria", "talaria-gateway", "talaria-keeper"}) {
    const Result<std::string> program = read_file(program_path(name), 256 << 20);
    ASSERT_TRUE(program) << name;
    ASSERT_TRUE(write_file_atomically(house_.workspace() + "/" + name, *program, 0755));
  }
  const std::string id = id_of(run("exec sleep 60", {{"background", true}}));
  const std::string tries = "./talaria ps; ./talaria kill " + id + "; ./talaria exec --host gateway -- cat " +
                            bait_.at("home") + "/home-bait; ./talaria serve --background; ps -e -o args=";
  for (const std::string& first : {std::string(), "export TALARIA_HOME=" + house_.root() + "; "}) {
    const std::string said = text_of(run(first + tries, {{"timeout", 30}}));
    EXPECT_THAT(said, HasSubstr("no gateway is running, and a command inside a job does not start one")) << first;
    EXPECT_THAT(said, AllOf(Not(HasSubstr(bait_.secret())), Not(HasSubstr("talaria-gateway")))) << first;
  }
  EXPECT_EQ(status_of(house_.process("poll", id)), "running");
}

// --- the end ---

// However a process tries to outlive its command, it ends with the job.
TEST_F(AttackSessionTest, WhatIsLeftBehindEndsWithTheJob) {
  for (const char* how : {"daemon", "deaf", "stopped", "undying", "runner", "waiting"}) expect_gone_with_its_job(how);
}

TEST_F(AttackSessionTest, WhatIsLeftBehindEndsWithTheKeeper) {
  run("for how in daemon deaf stopped undying nameless runner waiting; do ./attack leave $how left-$how; done");
  await("all of it to be seen", [&] { return left().size() >= 7; });  // one that keeps running can be missed
  house_.kill_keeper();
  await_nothing_left("all of it");
}

TEST_F(AttackSessionTest, ATimeoutEndsWhatIgnoresIt) {
  const JsonObject result =
      run("./attack leave deaf left; trap '' TERM INT HUP; while :; do sleep 1; done", {{"timeout", 1}});
  EXPECT_EQ(text_or(details_of(result), "reason"), "timeout") << write_json(result);
  await_nothing_left("all of it");
}

}  // namespace
}  // namespace talaria
