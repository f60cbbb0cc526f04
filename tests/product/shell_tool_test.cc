// terminal: a shell call that keeps where it went, and the tools as a list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ShellToolTest : public testing::Test {
 protected:
  JsonObject shell(const std::string& command, JsonObject more = {}) {
    more["command"] = command;
    return details_of(house_.call("terminal", std::move(more)));
  }
  std::string output(const std::string& command) { return text_or(shell(command), "output"); }
  std::vector<std::string> tools() {
    std::vector<std::string> names;
    RpcClient client = house_.connect();
    const Result<JsonObject> list =
        client.call_object("tools/list", {{"client", "cli"}, {"session", JsonObject{{"cwd", house_.workspace()}}}});
    EXPECT_TRUE(list);
    for (const Json& tool : list->at("tools").as_array()) names.push_back(text_or(tool.as_object(), "name"));
    return names;
  }

  House house_;
};

TEST_F(ShellToolTest, WhatRunsCommandsSaysWhereInTheSameWordsForEverySession) {
  const auto descriptions = [&](const std::string& session) {
    RpcClient client = house_.connect();
    const Result<JsonObject> list =
        client.call_object("tools/list", {{"session", JsonObject{{"cwd", house_.workspace()}, {"name", session}}}});
    EXPECT_TRUE(list);
    std::map<std::string, std::string> found;
    for (const Json& tool : list->at("tools").as_array()) {
      found[text_or(tool.as_object(), "name")] = text_or(tool.as_object(), "description");
    }
    return found;
  };
  const auto before = descriptions("one");
  const std::string where =
      " Runs in a sandbox: the workspace is writable, home and /tmp are private, the network is off.";
  for (const char* name : {"exec", "terminal", "execute_code"}) EXPECT_THAT(before.at(name), EndsWith(where)) << name;
  EXPECT_THAT(before.at("read_file"), Not(HasSubstr("sandbox:")));
  (void)shell("cd /tmp; export A=b");
  EXPECT_EQ(descriptions("two"), before);
  ASSERT_EQ(house_.run({"config", "set", "sandbox.network", "on"}).code, 0);
  EXPECT_THAT(descriptions("one").at("exec"), EndsWith("the network is on."));
}

TEST_F(ShellToolTest, TellsHowTheCommandEnded) {
  JsonObject result = shell("echo hi; exit 3");
  EXPECT_GE(result.at("duration_seconds").as_double(), 0);
  for (const char* name : {"duration_seconds", "sandbox", "agentSession"}) EXPECT_TRUE(result.erase(name)) << name;
  EXPECT_EQ(result,
            (JsonObject{{"output", "hi\n"}, {"exit_code", 3}, {"cwd", house_.workspace()}, {"truncated", false}}));
}

TEST_F(ShellToolTest, KeepsTheDirectoryAndWhatWasExported) {
  EXPECT_EQ(text_or(shell("mkdir -p sub; cd sub; export NAME='a b'; plain=1; exit 1"), "cwd"),
            house_.workspace() + "/sub");
  EXPECT_EQ(output("pwd; echo \"$NAME:$plain\""), house_.workspace() + "/sub\na b:\n");
  shell("unset NAME; cd ..");
  EXPECT_EQ(output("pwd; echo \"$NAME\""), house_.workspace() + "\n\n");
  EXPECT_EQ(text_of(house_.exec("pwd")), house_.workspace() + "\n");
}

TEST_F(ShellToolTest, ACommandMayBeginWithADash) {
  EXPECT_EQ(output("-x 2>/dev/null; echo ran"), "ran\n");
  EXPECT_EQ(text_of(house_.exec("--version 2>/dev/null; echo ran")), "ran\n");
  EXPECT_EQ(text_of(house_.exec("--version 2>/dev/null; echo ran", {{"stdin", "x"}})), "ran\n");
  EXPECT_EQ(shell("-c").at("exit_code"), Json(127));
}

TEST_F(ShellToolTest, KeepsAVirtualEnvironment) {
  ASSERT_TRUE(make_directories(house_.workspace() + "/venv/bin", 0755));
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/venv/bin/activate",
                                    "export VIRTUAL_ENV=" + house_.workspace() + "/venv; PATH=$VIRTUAL_ENV/bin:$PATH\n",
                                    0644, Durable::no));
  ASSERT_TRUE(
      write_file_atomically(house_.workspace() + "/venv/bin/tool", "#!/bin/sh\necho mine\n", 0755, Durable::no));
  shell(". venv/bin/activate");
  EXPECT_EQ(output("tool"), "mine\n");
}

TEST_F(ShellToolTest, RemembersTheDirectoryWhenTheGatewayIsKilledAndSaysThatVariablesAreGone) {
  shell("mkdir -p sub; cd sub; export NAME=x");
  house_.kill_gateway();
  const JsonObject result = shell("pwd; echo \"[$NAME]\"");
  EXPECT_EQ(text_or(result, "output"), house_.workspace() + "/sub\n[]\n");
  EXPECT_THAT(text_or(result, "note"), AllOf(HasSubstr("NAME"), HasSubstr("started anew")));
  EXPECT_THAT(text_or(shell("true"), "note"), Not(HasSubstr("NAME")));
}

TEST_F(ShellToolTest, WritesNoExportedValueToDisk) {
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/key", "very-secret-value\n", 0600, Durable::no));
  shell("export API_TOKEN=$(cat key)");
  EXPECT_EQ(output("[ ${#API_TOKEN} = 17 ] && echo there"), "there\n");
  house_.run({"serve", "--stop"});
  const Ran found =
      house_.start_program("/usr/bin/grep", {"-r", "-l", "-a", "very-secret-value", house_.root()}).finish();
  EXPECT_EQ(found.out, "");
}

TEST_F(ShellToolTest, ParallelCallsDoNotMix) {
  std::vector<RpcClient> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(house_.connect());
  for (size_t i = 0; i < clients.size(); ++i) {
    const std::string n = std::to_string(i);
    ASSERT_TRUE(clients[i].send(
        "tools/call",
        {{"name", "terminal"},
         {"arguments", JsonObject{{"command", "mkdir -p d" + n + "; cd d" + n + "; export V" + n + "=" + n + "; pwd"}}},
         {"client", "cli"},
         {"session", JsonObject{{"cwd", house_.workspace()}}}}));
  }
  for (size_t i = 0; i < clients.size(); ++i) {
    const Result<RpcMessage> answer = clients[i].wait();
    ASSERT_TRUE(answer);
    const auto& response = std::get<RpcResponse>(*answer);
    const JsonObject& result = std::get<Json>(response.outcome).as_object();
    EXPECT_EQ(text_or(details_of(result), "output"), house_.workspace() + "/d" + std::to_string(i) + "\n");
  }
  EXPECT_EQ(output("echo $V0$V1$V2$V3$V4$V5$V6$V7"), "01234567\n");
}

TEST_F(ShellToolTest, EndsACommandWhoseTimeIsOver) {
  const JsonObject result = shell("echo begun; sleep 60", {{"timeout", 0.5}});
  EXPECT_EQ(integer_or(result, "exit_code"), 124);
  EXPECT_TRUE(boolean_or(result, "timed_out"));
  EXPECT_EQ(text_or(result, "output"), "begun\n");
  EXPECT_THAT(text_or(result, "error"), HasSubstr("timed out after 0.5 seconds"));
}

TEST_F(ShellToolTest, NamesProcessForWhatItDoesNotDo) {
  for (const char* name : {"background", "pty"}) {
    const JsonObject result = house_.call("terminal", {{"command", "true"}, {name, true}});
    EXPECT_TRUE(boolean_or(result, "isError"));
    EXPECT_THAT(text_of(result), AllOf(HasSubstr("process"), HasSubstr(name)));
    EXPECT_EQ(integer_or(details_of(result), "exit_code"), -1);
  }
  EXPECT_THAT(text_of(house_.call("terminal", {{"code", "print(1)"}})), HasSubstr("python3 -c"));
}

TEST_F(ShellToolTest, SaysWhenTheDirectoryItWasInIsGone) {
  shell("mkdir sub; cd sub");
  ASSERT_TRUE(remove_tree(house_.workspace() + "/sub"));
  EXPECT_THAT(text_or(shell("pwd"), "error"), HasSubstr("is gone"));
  EXPECT_EQ(output("pwd"), house_.workspace() + "\n");
}

TEST_F(ShellToolTest, ExecKeepsStateTooWhereTheOwnerWantsIt) {
  ASSERT_EQ(house_.run({"config", "set", "exec.keep_state", "true"}).code, 0);
  house_.exec("mkdir -p sub; cd sub; export A=1");
  EXPECT_EQ(text_of(house_.exec("pwd; echo $A")), house_.workspace() + "/sub\n1\n");
}

TEST_F(ShellToolTest, KeepsNothingThatHijacksProgramsOnThePlainHost) {
  ASSERT_EQ(house_.run({"config", "set", "exec.host", "gateway"}).code, 0);
  const JsonObject result = shell("export LD_PRELOAD=/tmp/x.so FINE=1 2>/dev/null");
  EXPECT_THAT(text_or(result, "note"), HasSubstr("LD_PRELOAD was not kept"));
  EXPECT_EQ(output("echo \"[$LD_PRELOAD]$FINE\""), "[]1\n");
}

TEST_F(ShellToolTest, DroppingTheCallEndsTheCommand) {
  {
    RpcClient client = house_.connect();
    ASSERT_TRUE(client.send("tools/call", {{"name", "terminal"},
                                           {"arguments", JsonObject{{"command", "touch begun; sleep 60; touch late"}}},
                                           {"client", "cli"},
                                           {"session", JsonObject{{"cwd", house_.workspace()}}}}));
    await("the command to begin", [&] { return exists(house_.workspace() + "/begun"); });
  }
  await("the command to end", [&] {
    const JsonObject jobs = details_of(house_.process("list", ""));
    for (const Json& job : jobs.at("sessions").as_array()) {
      if (text_or(job.as_object(), "status") == "running") return false;
    }
    return true;
  });
  EXPECT_FALSE(exists(house_.workspace() + "/late"));
}

// --- toolsets ---

TEST_F(ShellToolTest, ASessionHasTheToolsetsItWasGiven) {
  EXPECT_THAT(tools(),
              AllOf(Contains("exec"), Contains("read_file"), Contains("web_extract"), Not(Contains("web_search"))));
  const Ran listed = house_.run({"tools", "--toolsets", "file,web"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("patch"), Not(HasSubstr("terminal"))));
  EXPECT_THAT(tools(), Not(Contains("exec")));
  RpcClient client = house_.connect();
  const Result<JsonObject> refused =
      client.call_object("tools/call", {{"name", "exec"},
                                        {"arguments", JsonObject{{"command", "true"}}},
                                        {"client", "cli"},
                                        {"session", JsonObject{{"cwd", house_.workspace()}}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("not enabled for this session"));
  ASSERT_EQ(house_.run({"config", "set", "toolsets", "[web]"}).code, 0);
  EXPECT_THAT(tools(), testing::ElementsAre("web_extract"));
  EXPECT_THAT(house_.run({"tools", "--toolsets", "files"}).err, HasSubstr("there is no toolset \"files\""));
}

TEST_F(ShellToolTest, ListsItsToolsWithTheirParameters) {
  EXPECT_THAT(house_.run({"tools", "patch"}).out, AllOf(HasSubstr("old_string"), HasSubstr("replace|patch")));
  const Result<JsonObject> all = parse_json_object(house_.run({"tools", "--json"}).out);
  ASSERT_TRUE(all);
  for (const Json& tool : all->at("tools").as_array()) {
    EXPECT_FALSE(text_or(tool.as_object(), "description").empty());
    EXPECT_TRUE(tool.as_object().at("annotations").as_object().contains("readOnlyHint"));
    EXPECT_EQ(tool.as_object().at("inputSchema").as_object().at("additionalProperties"), Json(false));
  }
  EXPECT_LT(write_json(*all).size(), 16'384U) << "a model reads all of it";
  EXPECT_EQ(house_.run({"tools", "sing"}).code, 1);
}

}  // namespace
}  // namespace talaria
