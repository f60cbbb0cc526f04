// Wrong input, broken files, missing rights: each a clear error that names it, nothing lost, the gateway alive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BadInputTest : public testing::Test {
 protected:
  // The error a call of exec gives.
  std::string refusal(JsonObject arguments) {
    const JsonObject result = house_.call("exec", std::move(arguments));
    EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
    return text_of(result);
  }
  std::string refusal_with(const std::string& name, Json value) {
    return refusal({{"command", "touch ran"}, {name, std::move(value)}});
  }
  std::string process_refusal(JsonObject arguments) {
    const JsonObject result = house_.call("process", std::move(arguments));
    EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
    return text_of(result);
  }
  void TearDown() override {
    EXPECT_FALSE(exists(house_.workspace() + "/ran"));  // nothing that was refused ran
  }

  PlainHouse house_;
};

TEST_F(BadInputTest, ExecParametersAreNamedInTheirErrors) {
  EXPECT_EQ(refusal({{"command", ""}}), "Provide a command to start.");
  EXPECT_EQ(refusal({{"command", "  \n"}}), "Provide a command to start.");
  EXPECT_EQ(refusal({}), "Provide a command to start.");
  EXPECT_THAT(refusal({{"command", std::string("a\0b", 3)}}), AllOf(HasSubstr("command"), HasSubstr("NUL")));
  EXPECT_THAT(refusal({{"command", std::string(2 << 20, 'x')}}), AllOf(HasSubstr("command"), HasSubstr("2,097,152")));
  EXPECT_THAT(refusal({{"command", 7}}), AllOf(HasSubstr("command"), HasSubstr("string")));
  EXPECT_THAT(refusal_with("comand", "x"), AllOf(HasSubstr("comand"), HasSubstr("known"), HasSubstr("yieldMs")));
  EXPECT_THAT(refusal_with("timeout", "soon"), HasSubstr("timeout"));
  EXPECT_THAT(refusal_with("timeout", -1), HasSubstr("timeout"));
  EXPECT_THAT(refusal_with("timeout", 1e300), HasSubstr("timeout"));
  EXPECT_THAT(refusal_with("yieldMs", "x"), HasSubstr("yieldMs"));
  EXPECT_THAT(refusal_with("background", "yes"), HasSubstr("background"));
  EXPECT_THAT(refusal_with("rows", 0), HasSubstr("rows"));
  EXPECT_THAT(refusal_with("cols", 100000), HasSubstr("cols"));
  EXPECT_THAT(refusal_with("host", "myhost"), AllOf(HasSubstr("myhost"), HasSubstr("auto, sandbox, gateway, node")));
  EXPECT_THAT(refusal_with("security", "loose"), AllOf(HasSubstr("loose"), HasSubstr("deny, allowlist, full")));
  EXPECT_THAT(refusal_with("ask", "never"), AllOf(HasSubstr("never"), HasSubstr("off, on-miss, always")));
  EXPECT_THAT(refusal_with("env", JsonArray()), HasSubstr("env"));
  EXPECT_THAT(refusal_with("env", JsonObject{{"A", 1}}), HasSubstr("env.A"));
}

TEST_F(BadInputTest, EveryToolNamesAnUnknownParameterAndTheKnownOnes) {
  RpcClient client = house_.connect();
  const Result<JsonObject> list =
      client.call_object("tools/list", {{"client", "cli"}, {"session", JsonObject{{"cwd", house_.workspace()}}}});
  ASSERT_TRUE(list);
  for (const Json& tool : list->at("tools").as_array()) {
    const std::string name = text_or(tool.as_object(), "name");
    const JsonObject result = house_.call(name, {{"bogus", 1}});
    EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
    EXPECT_THAT(text_of(result), HasSubstr("unknown " + name + " parameter \"bogus\"; known: "));
    const JsonObject& properties = tool.at("inputSchema").at("properties").as_object();
    for (const auto& property : properties) EXPECT_THAT(text_of(result), HasSubstr(std::string(property.key())));
  }
  EXPECT_THAT(refusal({{"cmd", "touch ran"}}), HasSubstr("\"cmd\" (did you mean \"command\"?); known: command, "));
}

TEST_F(BadInputTest, WhatThisVersionCannotDoIsSaidPlainly) {
  EXPECT_THAT(refusal_with("host", "sandbox"), HasSubstr("configured host is gateway"));
  EXPECT_THAT(refusal_with("host", "node"), HasSubstr("node"));
  EXPECT_THAT(refusal_with("security", "allowlist"), HasSubstr("allowlist"));
  EXPECT_THAT(refusal_with("ask", "always"), HasSubstr("always"));
  EXPECT_THAT(refusal_with("elevated", true),
              AllOf(HasSubstr("elevated is not available right now"), HasSubstr("exec.elevated.enabled")));
  const JsonObject denied = house_.exec("touch ran", {{"security", "deny"}});
  EXPECT_EQ(status_of(denied), "denied") << write_json(denied);
}

TEST_F(BadInputTest, DirectoriesThatCannotBeUsedAreNamed) {
  EXPECT_THAT(refusal_with("workdir", "no/such"), HasSubstr(house_.workspace() + "/no/such"));
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/file", ""));
  EXPECT_THAT(refusal_with("workdir", "file"), HasSubstr("/file"));
  EXPECT_THAT(refusal_with("workdir", "~"), HasSubstr("/~"));
  EXPECT_THAT(refusal_with("cwd", Json(std::string("a\0b", 3))), HasSubstr("NUL"));
  EXPECT_THAT(refusal_with("workdir", Json(std::string(5000, 'x'))), HasSubstr("long"));
  EXPECT_EQ(text_or(details_of(house_.exec("pwd", {{"workdir", "  "}})), "cwd"), house_.workspace());
}

TEST_F(BadInputTest, ForbiddenAndMalformedVariablesAreNamed) {
  const auto with = [&](const char* name) { return refusal_with("env", JsonObject{{name, "x"}}); };
  for (const char* name : {"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "IFS", "PS4", "PROMPT_COMMAND",
                           "SHELLOPTS", "PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT",
                           "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "EDITOR", "DYLD_INSERT_LIBRARIES"}) {
    EXPECT_THAT(with(name), HasSubstr(name));
  }
  EXPECT_THAT(with("FOO-BAR"), HasSubstr("FOO-BAR"));
  EXPECT_THAT(with("1A"), HasSubstr("1A"));
  EXPECT_FALSE(boolean_or(house_.exec("true", {{"env", JsonObject{{"GOOD", "line\nbreak"}}}}), "isError"));
}

TEST_F(BadInputTest, UnknownAndAmbiguousIdsAndClosedStdin) {
  EXPECT_THAT(process_refusal({{"action", "poll"}, {"sessionId", "zzzzzzzz"}}), HasSubstr("zzzzzzzz"));
  EXPECT_THAT(process_refusal({{"action", "poll"}}), HasSubstr("sessionId is required"));
  EXPECT_THAT(process_refusal({{"action", "dance"}}), HasSubstr("Expected one of"));
  EXPECT_THAT(process_refusal({}), HasSubstr("action"));
  EXPECT_THAT(process_refusal({{"action", "list"}, {"colour", "red"}}), HasSubstr("colour"));
  for (int i = 0; i < 40; ++i) house_.exec("true");  // two of 41 ids share their first letter for certain
  std::map<char, int> firsts;
  const JsonObject listed = house_.process("list", "");
  for (const Json& row : details_of(listed).at("sessions").as_array())
    ++firsts[text_or(row.as_object(), "sessionId")[0]];
  for (const auto& [letter, count] : firsts) {
    if (count < 2) continue;
    EXPECT_THAT(process_refusal({{"action", "log"}, {"sessionId", std::string(1, letter)}}),
                HasSubstr("several jobs begin with"));
    break;
  }
  const std::string id = id_of(house_.exec("sleep 60", {{"background", true}}));
  house_.process("write", id, {{"data", "x"}, {"eof", true}});
  EXPECT_THAT(process_refusal({{"action", "write"}, {"sessionId", id}, {"data", "y"}}), HasSubstr("stdin"));
  EXPECT_THAT(process_refusal({{"action", "send-keys"}, {"sessionId", id}, {"keys", JsonArray{"Entr"}}}),
              HasSubstr("Enter"));
  EXPECT_THAT(process_refusal({{"action", "clear"}, {"sessionId", id}}), HasSubstr(id));
}

TEST_F(BadInputTest, ABrokenConfigIsNamedWithLineAndColumnAndNothingRunsUntilItIsFixed) {
  house_.exec("true");
  ASSERT_TRUE(write_file_atomically(house_.home().config(), "exec:\n  timeout: [1\n"));
  const std::string broken = text_of(house_.exec("touch ran"));
  EXPECT_THAT(broken, HasSubstr(house_.home().config() + ":"));
  ASSERT_TRUE(write_file_atomically(house_.home().config(), "# mine\nexec:\n  timeout: soon\n"));
  EXPECT_THAT(text_of(house_.exec("touch ran")), AllOf(HasSubstr(":3:"), HasSubstr("exec.timeout")));
  EXPECT_EQ(house_.run({"config", "set", "exec.timeout", "60"}).code, 0);
  EXPECT_EQ(*read_file(house_.home().config()), "# mine\nexec:\n  timeout: 60\n");
  EXPECT_EQ(status_of(house_.exec("true")), "completed");
  EXPECT_NE(house_.run({"config", "set", "exec.timeout", "soon"}).code, 0);
}

TEST_F(BadInputTest, ADamagedOrNewerDatabaseIsSetAsideAndNamed) {
  house_.exec("true");
  house_.run({"serve", "--stop", "--end-jobs"});
  const std::string garbage(8192, 'g');
  for (const char* suffix : {"-wal", "-shm"}) (void)remove_tree(house_.home().database() + suffix);
  ASSERT_TRUE(write_file_atomically(house_.home().database(), garbage));
  EXPECT_EQ(status_of(house_.exec("true")), "completed");
  bool kept = false;
  const std::vector<std::string> names = *list_directory(house_.root());
  for (const std::string& name : names) {
    if (!name.starts_with("talaria.db.corrupt-")) continue;
    kept = *read_file(house_.root() + "/" + name) == garbage;
    EXPECT_THAT(house_.run({"doctor"}).out, HasSubstr(name));
  }
  EXPECT_TRUE(kept);
}

TEST_F(BadInputTest, ASocketPathThatIsTooLongIsExplained) {
  house_.environment()["TALARIA_HOME"] = house_.root() + "/" + std::string(110, 'x');
  const Ran ran = house_.run({"exec", "true"});
  EXPECT_EQ(ran.code, 125);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("socket path"), HasSubstr("TALARIA_HOME")));
  house_.environment()["TALARIA_HOME"] = house_.root();
}

TEST_F(BadInputTest, AHomeThatIsNotOursIsRefused) {
  std::string foreign = "/usr";
  if (::geteuid() == 0) {
    foreign = house_.workspace() + "/foreign";
    ASSERT_TRUE(make_directories(foreign));
    ASSERT_EQ(::chown(foreign.c_str(), 65534, 65534), 0);
  }
  house_.environment()["TALARIA_HOME"] = foreign;
  const Ran ran = house_.run({"exec", "true"});
  EXPECT_EQ(ran.code, 125);
  EXPECT_THAT(ran.err, HasSubstr(foreign + " belongs to"));
  house_.environment()["TALARIA_HOME"] = house_.root();
}

TEST_F(BadInputTest, TenClientsThatFindNoGatewayStartExactlyOne) {
  std::vector<Running> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(house_.start({"exec", "echo $PPID; exit " + std::to_string(i)}));
    clients.back().close_input();
  }
  for (int i = 0; i < 10; ++i) {
    const Ran ran = clients[static_cast<size_t>(i)].finish();
    EXPECT_EQ(ran.code, i) << ran.err;
  }
  const Ran second = house_.run({"serve"});  // in the foreground, while one runs
  EXPECT_NE(second.code, 0);
  EXPECT_THAT(second.err, HasSubstr("already"));
}

TEST_F(BadInputTest, AFullDiskCostsOutputButNoJobAndIsSaid) {
  // A small filesystem of our own where that is allowed; else a folder that takes nothing, which is the same to us.
  const std::string jobs = house_.home().jobs();
  house_.exec("true");
  house_.run({"serve", "--stop", "--end-jobs"});
  const bool mounted = ::mount("tmpfs", jobs.c_str(), "tmpfs", 0, "size=256k") == 0;
  if (!mounted) {
    ASSERT_EQ(::chmod(jobs.c_str(), 0500), 0);
  }
  const JsonObject result = house_.exec("seq 1 200000; echo the end; exit 3");
  EXPECT_EQ(integer_or(details_of(result), "exitCode"), 3) << write_json(result).substr(0, 2000);
  EXPECT_THAT(text_of(result), HasSubstr(mounted ? "No space left" : "Permission denied"));
  EXPECT_EQ(status_of(house_.exec("true")), "completed");
  house_.run({"serve", "--stop", "--end-jobs"});
  ASSERT_EQ(mounted ? ::umount2(jobs.c_str(), MNT_DETACH) : ::chmod(jobs.c_str(), 0700), 0);
}

}  // namespace
}  // namespace talaria
