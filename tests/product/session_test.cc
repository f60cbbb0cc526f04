// What belongs to a session: its jobs, its directory, and the environment its commands see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class SessionTest : public testing::Test {
 protected:
  const std::string& user_home() { return house_.environment()["HOME"]; }
  void put(const std::string& path, const std::string& content) { ASSERT_TRUE(write_file_atomically(path, content)); }

  // tools/call in a session given whole; the result, or an object with only the error's message in it.
  JsonObject call_in(const Json& session, const std::string& tool, JsonObject arguments) {
    if (!client_) client_.emplace(house_.connect());
    return call_as("test", *client_, session, tool, std::move(arguments));
  }
  static JsonObject call_as(const Json& name, RpcClient& client, const Json& session, const std::string& tool,
                            JsonObject arguments) {
    JsonObject params = {{"name", tool}, {"arguments", std::move(arguments)}};
    if (!name.is_null()) params["client"] = name;
    if (!session.is_null()) params["session"] = session;
    Result<JsonObject> result = client.call_object("tools/call", std::move(params));
    return result ? *std::move(result) : JsonObject{{"refused", result.error().message()}};
  }
  size_t jobs_seen_in(const Json& session) {
    return details_of(call_in(session, "process", {{"action", "list"}})).at("sessions").as_array().size();
  }
  std::string session_of(const JsonObject& result) { return text_or(details_of(result), "agentSession"); }

  PlainHouse house_;
  std::optional<RpcClient> client_;
};

// --- whose jobs ---

TEST_F(SessionTest, AnAgentSeesItsOwnJobsAndThePersonSeesAll) {
  const std::string other_folder = user_home() + "/other";
  ASSERT_TRUE(make_directories(other_folder));
  const JsonObject mine{{"cwd", house_.workspace()}}, other{{"cwd", other_folder}},
      named{{"cwd", house_.workspace()}, {"name", "review"}};
  const std::string id =
      id_of(call_in(mine, "exec", {{"command", "echo secret plan; sleep 60"}, {"background", true}}));
  ASSERT_EQ(id.size(), 8u);
  EXPECT_EQ(jobs_seen_in(mine), 1u);
  for (const JsonObject& stranger : {other, named}) {
    EXPECT_EQ(jobs_seen_in(stranger), 0u);
    for (const char* action : {"poll", "log", "write", "kill", "remove", "clear", "wait", "submit"}) {
      const JsonObject result = call_in(stranger, "process", {{"action", action}, {"sessionId", id}, {"data", "x"}});
      EXPECT_TRUE(boolean_or(result, "isError")) << action << ": " << write_json(result);
      EXPECT_THAT(text_of(result), AllOf(HasSubstr(id), Not(HasSubstr("secret plan"))));
    }
  }
  EXPECT_THAT(house_.run({"ps"}).out, HasSubstr(id));
  const Result<JsonObject> person =
      client_->call_object("jobs/process", {{"arguments", JsonObject{{"action", "kill"}, {"sessionId", id}}}});
  ASSERT_TRUE(person);
  EXPECT_EQ(status_of(*person), "failed");
}

TEST_F(SessionTest, AgentsInOneFolderShareNoDirectoryAndNoVariables) {
  const JsonObject here{{"cwd", house_.workspace()}};
  RpcClient first = house_.connect(), second = house_.connect();
  const JsonObject look{{"command", "echo $PWD ${WHO-nobody}"}};
  const std::string untouched = house_.workspace() + " nobody\n";
  call_as("one", first, here, "terminal", {{"command", "cd /; export WHO=one"}});
  EXPECT_EQ(text_of(call_as("one", first, nullptr, "terminal", look)), "/ one\n");
  EXPECT_EQ(text_of(call_as("two", second, here, "terminal", look)), untouched);
  EXPECT_EQ(text_of(call_as(nullptr, second, here, "terminal", look)), untouched);
  EXPECT_EQ(house_.run({"tool", "terminal", write_json(look)}).out.find("one"), std::string::npos);
  // Two of one name, where each asks for a free one.
  const JsonObject free{{"cwd", house_.workspace()}, {"slot", "free"}};
  EXPECT_EQ(text_of(call_as("one", second, free, "terminal", look)), untouched);
  // Whoever means to join says so.
  const std::string id = session_of(call_as("one", first, nullptr, "terminal", look));
  EXPECT_EQ(text_of(call_as("two", second, JsonObject{{"id", id}}, "terminal", look)), "/ one\n");
}

TEST_F(SessionTest, OneWorkspaceIsOneSessionOfAClientWhicheverDirectory) {
  const std::string repository = user_home() + "/repository";
  for (const char* name : {"/.git/objects", "/.git/refs"}) ASSERT_TRUE(make_directories(repository + name));
  ASSERT_TRUE(write_file_atomically(repository + "/.git/HEAD", "ref: refs/heads/main\n", 0600, Durable::no));
  ASSERT_TRUE(make_directories(repository + "/src/deep"));
  const JsonObject top = call_in(JsonObject{{"cwd", repository}}, "exec", {{"command", "pwd"}});
  const JsonObject deep = call_in(JsonObject{{"cwd", repository + "/src/deep"}}, "exec", {{"command", "pwd"}});
  EXPECT_EQ(session_of(top), session_of(deep));
  EXPECT_EQ(text_of(deep), repository + "/src/deep\n");
  const JsonObject by_id = call_in(JsonObject{{"id", session_of(top)}}, "exec", {{"command", "pwd"}});
  EXPECT_EQ(session_of(by_id), session_of(top));
  EXPECT_EQ(text_of(by_id), repository + "/src/deep\n");  // where it was last
  const JsonObject here = call_in(JsonObject{{"cwd", house_.workspace()}}, "exec", {{"command", "true"}});
  EXPECT_NE(session_of(here), session_of(top));
  const Ran tool = house_.run({"tool", "exec", R"({"command": "true"})"});
  EXPECT_NE(session_of(*parse_json_object(tool.out)), session_of(here));
  const Ran again = house_.run({"tool", "exec", R"({"command": "true"})"});
  EXPECT_EQ(session_of(*parse_json_object(again.out)), session_of(*parse_json_object(tool.out)));
  const Ran named = house_.run({"tool", "--session", "two", "exec", R"({"command": "true"})"});
  EXPECT_NE(session_of(*parse_json_object(named.out)), session_of(*parse_json_object(tool.out)));
  const JsonObject joined{{"cwd", house_.workspace()}, {"name", "two"}};
  EXPECT_EQ(session_of(call_in(joined, "exec", {{"command", "true"}})), session_of(*parse_json_object(named.out)));
}

TEST_F(SessionTest, AConnectionRemembersItsSessionAndNeedsOneFirst) {
  EXPECT_THAT(text_or(call_in(nullptr, "exec", {{"command", "true"}}), "refused"),
              AllOf(HasSubstr("\"session\""), HasSubstr("\"cwd\"")));
  EXPECT_THAT(text_or(call_in(JsonObject{{"id", "zzzzzzzz"}}, "exec", {{"command", "true"}}), "refused"),
              HasSubstr("zzzzzzzz"));
  EXPECT_THAT(text_or(call_in(JsonObject{{"cwd", "relative"}}, "exec", {{"command", "true"}}), "refused"),
              HasSubstr("relative"));
  EXPECT_THAT(text_or(call_in(JsonObject{{"cwd", "/no/such/place"}}, "exec", {{"command", "true"}}), "refused"),
              HasSubstr("/no/such/place"));
  const JsonObject first = call_in(JsonObject{{"cwd", house_.workspace()}}, "exec", {{"command", "pwd"}});
  const JsonObject next = call_in(nullptr, "exec", {{"command", "pwd"}});
  EXPECT_EQ(text_of(next), house_.workspace() + "\n");
  EXPECT_EQ(session_of(next), session_of(first));
}

TEST_F(SessionTest, ASessionAndItsJobsOutliveTheGateway) {
  const JsonObject first = house_.exec("sleep 60", {{"background", true}});
  house_.kill_gateway();
  EXPECT_EQ(session_of(house_.exec("true")), session_of(first));
  EXPECT_EQ(status_of(house_.process("poll", id_of(first))), "running");
}

// --- the environment ---

TEST_F(SessionTest, CommandsKnowTheirJobAndGetTheCallsVariables) {
  const JsonObject result = house_.exec("echo $TALARIA $TALARIA_JOB");
  EXPECT_EQ(text_of(result), "exec " + id_of(result) + "\n");
  EXPECT_EQ(text_of(house_.exec("printf '<%s><%s><%s>' \"$GREETING\" \"$EMPTY\" \"${EMPTY-unset}\"",
                                {{"env", JsonObject{{"GREETING", "two\nlines = 'x'"}, {"EMPTY", ""}}}})),
            "<two\nlines = 'x'><><>");
  house_.environment()["MY_SETTING"] = "unseen: this gateway began without it";
  EXPECT_EQ(text_of(house_.exec("echo ${MY_SETTING-none}", {{"env", JsonObject{{"LANG", "C"}}}})), "none\n");
}

TEST_F(SessionTest, OurAndTheProvidersCredentialsStayOutside) {
  for (const char* name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "HF_TOKEN",
                           "TALARIA_API_TOKEN", "HERMES_SECRET"}) {
    house_.environment()[name] = "sk-do-not-show-1234567890";
  }
  house_.environment()["PYTHONSTARTUP"] = "/tmp/evil.py";
  house_.environment()["MY_SETTING"] = "my value";
  put(user_home() + "/.bashrc", "export MISTRAL_API_KEY=sk-do-not-show-1234567890 FROM_RC=yes\n");
  house_.exec("env > seen; tr '\\0' '\\n' < /proc/$PPID/environ > around");  // and its supervisor
  const std::string seen = *read_file(house_.workspace() + "/seen");
  EXPECT_THAT(seen, AllOf(HasSubstr("MY_SETTING=my value\n"), HasSubstr("FROM_RC=yes\n"), HasSubstr("\nHOME=")));
  for (const char* name :
       {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "TALARIA_HOME", "TALARIA_API_TOKEN",
        "TALARIA_READY_FD", "HERMES_SECRET", "PYTHONSTARTUP", "sk-do-not-show"}) {
    EXPECT_THAT(seen, Not(HasSubstr(name)));
  }
  EXPECT_THAT(*read_file(house_.workspace() + "/around"), AllOf(HasSubstr("="), Not(HasSubstr("sk-do-not-show"))));
}

TEST_F(SessionTest, SecretsThatPassAreMaskedInEveryTextForAModel) {
  const std::string secret = "hunter2-hunter2";
  house_.environment()["DEPLOY_TOKEN"] = secret;
  const JsonObject counted = house_.exec("echo ${#DEPLOY_TOKEN}; echo \"<$DEPLOY_TOKEN>\"");
  EXPECT_EQ(text_of(counted), "15\n<[masked DEPLOY_TOKEN]>\n");
  EXPECT_THAT(text_of(house_.exec("echo $CALL_PASSWORD", {{"env", JsonObject{{"CALL_PASSWORD", "swordfish9"}}}})),
              "[masked CALL_PASSWORD]\n");
  const JsonObject running =
      house_.exec("echo line $DEPLOY_TOKEN; sleep 60", {{"yieldMs", 1000}, {"notify", JsonArray{"pattern:line"}}});
  EXPECT_EQ(text_or(details_of(running), "tail"), "line [masked DEPLOY_TOKEN]\n");
  const std::string id = id_of(running);
  for (const JsonObject& result : {house_.process("poll", id), house_.process("log", id),
                                   house_.process("wait", id, {{"until", "line"}, {"timeout", 20000}})}) {
    EXPECT_THAT(write_json(result), AllOf(HasSubstr("line [masked DEPLOY_TOKEN]"), Not(HasSubstr(secret))));
  }
  house_.exec("mkdir $DEPLOY_TOKEN");
  const JsonObject inside = house_.exec("echo there", {{"workdir", house_.workspace() + "/" + secret}});
  EXPECT_EQ(text_or(details_of(inside), "cwd"), house_.workspace() + "/[masked DEPLOY_TOKEN]");
  EXPECT_THAT(write_json(house_.process("list", "")),
              AllOf(HasSubstr("/[masked DEPLOY_TOKEN]"), Not(HasSubstr(secret))));
  house_.kill_gateway();
  EXPECT_THAT(write_json(house_.process("log", id)), Not(HasSubstr(secret)));
  EXPECT_EQ(house_.run({"exec", "echo $DEPLOY_TOKEN"}).out, secret + "\n");  // a person's own pipe is no model
}

TEST_F(SessionTest, TheLoginEnvironmentArrivesAndFollowsItsFiles) {
  put(user_home() + "/.bashrc", "echo noise\nexport FROM_RC=one\nalias ls=false\n");
  EXPECT_EQ(text_of(house_.exec("echo $FROM_RC")), "one\n");
  put(user_home() + "/.bashrc", "export FROM_RC=two\n");
  EXPECT_EQ(text_of(house_.exec("echo $FROM_RC")), "two\n");
  house_.kill_gateway();
  EXPECT_EQ(text_of(house_.exec("echo $FROM_RC")), "two\n");
  put(user_home() + "/.profile", "export FROM_PROFILE=three PATH=/from/profile:$PATH\n. ~/.bashrc\n");
  EXPECT_THAT(text_of(house_.exec("echo $FROM_RC $FROM_PROFILE $PATH")),
              testing::StartsWith("two three /from/profile:"));
  ASSERT_TRUE(remove_tree(user_home() + "/.profile"));
  ASSERT_TRUE(remove_tree(user_home() + "/.bashrc"));
  EXPECT_EQ(text_of(house_.exec("echo .$FROM_RC.$FROM_PROFILE.")), "...\n");
}

TEST_F(SessionTest, BrokenStartupFilesDoNotStopCommands) {
  put(user_home() + "/.bashrc", "export BEFORE=yes\nif then fi (((\n");
  EXPECT_EQ(text_of(house_.exec("echo works")), "works\n");
  put(user_home() + "/.bashrc", "exit 3\n");
  EXPECT_EQ(text_of(house_.exec("echo works")), "works\n");
  put(user_home() + "/.bashrc", "exec >/dev/null\nexport LATE=1\n");
  EXPECT_EQ(text_of(house_.exec("echo works")), "works\n");
}

TEST_F(SessionTest, AJobCannotStartOrStopAGateway) {
  const std::string talaria = program_path("talaria");
  const std::string home = "TALARIA_HOME=" + house_.root() + " ";
  const JsonObject stop = house_.exec(home + talaria + " serve --stop");
  EXPECT_EQ(integer_or(details_of(stop), "exitCode"), 1) << text_of(stop);
  const JsonObject elsewhere = house_.exec("TALARIA_HOME=$PWD/new " + talaria + " exec true");
  EXPECT_EQ(integer_or(details_of(elsewhere), "exitCode"), 125) << text_of(elsewhere);
  EXPECT_THAT(text_of(elsewhere), HasSubstr("job"));
  const JsonObject allowed = house_.exec(home + talaria + " exec 'echo a job may run commands'");
  EXPECT_EQ(text_of(allowed), "a job may run commands\n");
}

}  // namespace
}  // namespace talaria
