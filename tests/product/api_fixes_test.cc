// What went wrong once in the tools, as their callers met it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"
#include "store/database.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ApiFixesTest : public testing::Test {
 protected:
  std::string start(const std::string& command, JsonObject more = {}) {
    more["background"] = true;
    const JsonObject result = house_.exec(command, std::move(more));
    EXPECT_EQ(status_of(result), "running") << write_json(result);
    return id_of(result);
  }
  void configure(const std::string& key, const std::string& value) {
    ASSERT_EQ(house_.run({"config", "set", key, value}).code, 0);
  }
  void await_line(const std::string& id, const std::string& pattern) {
    const JsonObject seen = house_.process("wait", id, {{"until", pattern}, {"timeout", 20000}});
    ASSERT_TRUE(details_of(seen).contains("found")) << write_json(seen);
  }
  void write_bashrc(const std::string& text) {
    ASSERT_TRUE(write_file_atomically(house_.environment()["HOME"] + "/.bashrc", text));
  }
  std::vector<std::string> listed() {
    std::vector<std::string> ids;
    const JsonObject result = house_.process("list", "");
    for (const Json& row : details_of(result).at("sessions").as_array()) {
      ids.push_back(text_or(row.as_object(), "sessionId"));
    }
    return ids;
  }

  PlainHouse house_;
};

// A store that takes no new job is what a full disk leaves of it.
class FullStore {
 public:
  explicit FullStore(const Home& home) : database_(*Database::open(home.database())) {
    EXPECT_TRUE(database_.execute("CREATE TRIGGER full BEFORE INSERT ON jobs BEGIN SELECT RAISE(FAIL, 'full'); END",
                                  "fill the disk"));
  }
  ~FullStore() { EXPECT_TRUE(database_.execute("DROP TRIGGER full", "free the disk")); }

 private:
  Database database_;
};

TEST_F(ApiFixesTest, JobsThatCannotBeStoredAreThereAllTheSame) {
  const std::string before = start("sleep 60");
  std::string running, ended;
  {
    const FullStore full(house_.home());
    running = start("echo one; read -r line; echo two; sleep 60");
    await_line(running, "one");
    ended = start("echo gone; exit 3");
    house_.process("wait", ended, {{"timeout", 20000}});
    EXPECT_EQ(listed(), (std::vector<std::string>{running, before, ended}));
    const std::string prefix = running.substr(0, 7);
    EXPECT_EQ(text_or(details_of(house_.process("poll", prefix)), "output"), "one\n");
    EXPECT_EQ(text_or(details_of(house_.process("poll", prefix)), "output", "?"), "");
    EXPECT_EQ(text_or(details_of(house_.process("poll", ended)), "output"), "gone\n");
    house_.process("write", prefix, {{"data", "\n"}});
    EXPECT_EQ(text_or(details_of(house_.process("poll", prefix, {{"timeout", 20000}})), "output"), "two\n");
    RpcClient client = house_.connect();
    const Result<JsonObject> status = client.call_object("gateway/status", {});
    ASSERT_TRUE(status);
    EXPECT_EQ(integer_or(*object_or_null(*status, "jobs"), "running"), 2);
    EXPECT_EQ(integer_or(*object_or_null(*status, "jobs"), "finished"), 1);
  }
  const std::string after = start("sleep 60");
  EXPECT_EQ(listed(), (std::vector<std::string>{after, running, before, ended}));
  EXPECT_EQ(status_of(house_.process("kill", running.substr(0, 7))), "failed");
}

TEST_F(ApiFixesTest, PollingBeyondTheEndSilencesNothing) {
  const std::string id = start("echo one; read -r line; echo two; sleep 60");
  await_line(id, "one");
  const JsonObject beyond = house_.process("poll", id, {{"offset", 99999}});
  EXPECT_EQ(integer_or(details_of(beyond), "nextOffset"), 4);
  house_.process("write", id, {{"data", "\n"}});
  EXPECT_EQ(text_or(details_of(house_.process("poll", id, {{"timeout", 20000}})), "output"), "two\n");
}

TEST_F(ApiFixesTest, ASecretPrintedInTwoPartsIsMasked) {
  house_.environment()["MY_API_KEY"] = "sk-0123456789-abcdefghij";
  const std::string id =
      start("echo -n \"key: ${MY_API_KEY:0:10}\"; read -r line; echo \"${MY_API_KEY:10}\"; echo end; sleep 60");
  const JsonObject first = house_.process("poll", id, {{"timeout", 20000}});
  EXPECT_EQ(text_or(details_of(first), "output"), "key: ") << write_json(first);
  house_.process("write", id, {{"data", "\n"}});
  await_line(id, "^end$");
  EXPECT_EQ(text_or(details_of(house_.process("poll", id)), "output"), "[masked MY_API_KEY]\nend\n");
}

TEST_F(ApiFixesTest, ASecretAtTheCutOfAnExcerptIsMasked) {
  house_.environment()["MY_API_KEY"] = "sk-0123456789-abcdefghij";
  configure("exec.max_output", "1000");
  // One long line of nothing but the secret, so that both cuts go through one.
  const std::string text = text_of(house_.exec("for i in {1..200}; do printf %s \"$MY_API_KEY\"; done"));
  ASSERT_THAT(text, HasSubstr("left out"));
  for (const char* rest : {"sk-0", "ghij", "0123", "abcd"}) EXPECT_THAT(text, Not(HasSubstr(rest)));
}

TEST_F(ApiFixesTest, AStartThatMayNotGoToTheBackgroundSaysSo) {
  configure("exec.allow_background", "false");
  RpcClient client = house_.connect();
  const Result<JsonObject> started =
      client.call_object("jobs/start", {{"arguments", JsonObject{{"command", "sleep 60"}, {"background", true}}},
                                        {"client", "cli"},
                                        {"session", JsonObject{{"cwd", house_.workspace()}}}});
  ASSERT_TRUE(started) << started.error().message();
  const JsonObject* details = object_or_null(*started, "details");
  const JsonObject& said = details ? *details : *started;
  EXPECT_TRUE(boolean_or(said, "foreground")) << write_json(*started);
  EXPECT_THAT(text_or(said, "note"), HasSubstr("exec.allow_background"));
}

TEST_F(ApiFixesTest, ASlowStartUpFileHoldsCommandsUpOnlyTheFirstTime) {
  write_bashrc("export MARK=one\n");
  EXPECT_EQ(text_of(house_.exec("echo $MARK")), "one\n");
  write_bashrc("while [ ! -e " + house_.workspace() + "/go ]; do sleep 0.02; done; export MARK=two\n");
  EXPECT_EQ(text_of(house_.exec("echo $MARK")), "one\n");
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/go", ""));
  await("the new environment", [&] { return text_of(house_.exec("echo $MARK")) == "two\n"; });
}

TEST_F(ApiFixesTest, ABrokenStartUpFileLeavesTheLastGoodEnvironment) {
  write_bashrc("export MARK=one\n");
  EXPECT_EQ(text_of(house_.exec("echo $MARK")), "one\n");
  write_bashrc("exit 1\n");
  EXPECT_EQ(text_of(house_.exec("echo $MARK")), "one\n");
  house_.kill_gateway();
  EXPECT_EQ(text_of(house_.exec("echo $MARK")), "one\n");
  EXPECT_THAT(house_.run({"doctor"}).out, HasSubstr("commands run with what was read before"));
}

TEST_F(ApiFixesTest, ARefusedElevationIsDenied) {
  const JsonObject result = house_.exec("true", {{"elevated", true}});
  EXPECT_EQ(status_of(result), "denied") << write_json(result);
  EXPECT_TRUE(boolean_or(result, "isError"));
}

TEST_F(ApiFixesTest, TheTextSaysWhatOfALongOutputIsKept) {
  configure("exec.max_log_bytes", "1048576");
  const JsonObject most = house_.exec("head -c 800000 /dev/zero | tr '\\0' 'x'");
  EXPECT_THAT(text_of(most), HasSubstr("(The rest is in the log: process log with sessionId " + id_of(most)));
  const JsonObject part = house_.exec("head -c 8000000 /dev/zero | tr '\\0' 'x'");
  EXPECT_THAT(text_of(part), HasSubstr("bytes of it are not kept (exec.max_log_bytes)"));
}

TEST_F(ApiFixesTest, LinesAreNumberedFromOneAndSkippedByNumber) {
  const std::string id = start("seq 100 104");
  house_.process("wait", id, {{"timeout", 20000}});
  const JsonObject page = house_.process("log", id, {{"offset", 2}, {"limit", 2}});
  EXPECT_EQ(text_of(page), "102\n103\n\n[showing lines 3 to 4 of 5 lines; pass offset/limit to page]");
  EXPECT_EQ(integer_or(details_of(page), "firstLine"), 3);
  EXPECT_THAT(text_of(house_.process("log", id, {{"grep", "102"}})), StartsWith("3:102\n"));
}

TEST_F(ApiFixesTest, TheLogOfAnEndlessPrinterEndsWithWhatItPrints) {
  configure("exec.max_log_bytes", "4194304");
  const std::string id = start("yes");
  await("a full log", [&] {
    return integer_or(details_of(house_.process("log", id, {{"limit", 1}})), "totalBytes") > (16 << 20);
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(text_of(house_.process("log", id, {{"limit", 2}})), StartsWith("y\ny\n\n["));
  }
  house_.process("kill", id);
}

TEST_F(ApiFixesTest, ASignalThatEndsItIsAnsweredWithTheEnd) {
  const JsonObject killed = house_.process("kill", start("sleep 60"), {{"signal", "KILL"}});
  EXPECT_EQ(status_of(killed), "failed") << write_json(killed);
  EXPECT_EQ(text_or(details_of(killed), "exitSignal"), "SIGKILL");
  EXPECT_THAT(text_of(killed), EndsWith("Command ended by signal SIGKILL."));
  const std::string deaf = start("trap '' TERM; echo ready; sleep 60");
  await_line(deaf, "ready");
  const JsonObject alive = house_.process("kill", deaf, {{"signal", "TERM"}});
  EXPECT_EQ(status_of(alive), "running");
  EXPECT_THAT(text_of(alive), EndsWith("Command still running."));
  house_.process("kill", deaf, {{"signal", "KILL"}});
}

TEST_F(ApiFixesTest, InputSaysWhatWasSent) {
  const std::string id = start("cat", {{"pty", true}});
  EXPECT_EQ(text_of(house_.process("send-keys", id, {{"literal", "ab"}, {"keys", JsonArray{"Up", "Enter"}}})),
            "Sent 2 characters of text, Up, Enter (6 bytes) to job " + id + ".");
  EXPECT_THAT(text_of(house_.process("paste", id, {{"text", "a\r\nb\x1b[201~"}})), StartsWith("Pasted 3 chars"));
  EXPECT_THAT(text_of(house_.process("write", id, {{"data", "x\n"}, {"eof", true}})),
              AllOf(HasSubstr("end-of-file key"), Not(HasSubstr("stdin closed"))));
}

}  // namespace
}  // namespace talaria
