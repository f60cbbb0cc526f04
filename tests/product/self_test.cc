// The command line's own affairs: the gateway, the configuration, the logs, the help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char* const every_command[] = {"exec",   "ps",     "log",    "poll", "wait",  "write", "keys",
                                     "paste",  "submit", "resize", "kill", "rm",    "clear", "tool",
                                     "events", "serve",  "config", "logs", "doctor"};

class SelfTest : public testing::Test {
 protected:
  int code(std::vector<std::string> arguments) { return house_.run(std::move(arguments)).code; }
  std::string out(std::vector<std::string> arguments) {
    const Ran ran = house_.run(std::move(arguments));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  std::string start(const std::string& command) { return std::string(trim(out({"exec", "-b", command}))); }
  JsonObject json(std::vector<std::string> arguments) {
    const std::string text = house_.run(std::move(arguments)).out;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;  // one line in a pipe
    Result<JsonObject> object = parse_json_object(text);
    EXPECT_TRUE(object) << text;
    return object ? *std::move(object) : JsonObject();
  }

  PlainHouse house_;
};

TEST_F(SelfTest, ServeStartsShowsReplacesAndStops) {
  const Ran none = house_.run({"serve", "--status", "--json"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.out, "{\"running\":false}\n");
  const JsonObject started = json({"serve", "--background", "--json"});
  EXPECT_TRUE(boolean_or(started, "running"));
  EXPECT_EQ(text_or(started, "socket"), house_.home().gateway_socket());
  const std::string id = start("sleep 300");
  EXPECT_EQ(code({"wait", start("true")}), 0);
  const JsonObject status = json({"serve", "--status", "--json"});
  EXPECT_EQ(integer_or(status, "pid"), integer_or(started, "pid"));
  EXPECT_GT(integer_or(status, "keeper_pid"), 1);
  EXPECT_GE(integer_or(status, "uptime_seconds", -1), 0);
  EXPECT_EQ("talaria " + text_or(status, "version") + "\n", out({"--version"}));
  ASSERT_TRUE(object_or_null(status, "jobs"));
  EXPECT_EQ(integer_or(*object_or_null(status, "jobs"), "running"), 1);
  EXPECT_EQ(integer_or(*object_or_null(status, "jobs"), "finished"), 1);
  const JsonObject replaced = json({"serve", "--replace", "--json"});
  EXPECT_NE(integer_or(replaced, "pid"), integer_or(started, "pid"));
  EXPECT_EQ(integer_or(replaced, "keeper_pid"), integer_or(status, "keeper_pid"));
  EXPECT_EQ(state_of(static_cast<pid_t>(integer_or(started, "pid"))).value_or('Z'), 'Z');
  EXPECT_EQ(out({"serve", "--stop"}), "stopped; 1 job runs on\n");
  EXPECT_EQ(code({"serve", "--status"}), 1);
  EXPECT_EQ(out({"ps", "-rq"}), id + "\n");
  EXPECT_EQ(out({"serve", "--stop", "--end-jobs"}), "stopped; all jobs ended\n");
  EXPECT_EQ(out({"serve", "--stop"}), "not running\n");
  const auto keeper = static_cast<pid_t>(integer_or(status, "keeper_pid"));
  await("the keeper to leave", [&] { return state_of(keeper).value_or('Z') == 'Z'; });
  EXPECT_EQ(code({"serve", "--stop", "--status"}), 2);
}

TEST_F(SelfTest, ConfigReadsAndChangesWithoutAGateway) {
  EXPECT_EQ(out({"config", "path"}), house_.home().config() + "\n");
  EXPECT_EQ(out({"config", "get", "exec.timeout"}), "1800\n");
  EXPECT_EQ(out({"config", "set", "exec.timeout", "600"}), "");
  EXPECT_EQ(out({"config", "get", "exec.timeout"}), "600\n");
  EXPECT_EQ(integer_or(json({"config", "get", "exec.timeout", "--json"}), "value"), 600);
  EXPECT_THAT(out({"config", "show"}), HasSubstr("exec.timeout\t600\t"));
  EXPECT_EQ(out({"config", "unset", "exec.timeout"}), "");
  EXPECT_EQ(out({"config", "get", "exec.timeout"}), "1800\n");
  const Ran wrong = house_.run({"config", "set", "exec.job_ttl", "5"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("exec.job_ttl must be a whole number from 60"));
  const Ran unknown = house_.run({"config", "set", "exec.timout", "5"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean exec.timeout?"));
  EXPECT_EQ(code({"config", "set", "exec.timout", "5", "--force"}), 0);
  EXPECT_EQ(code({"config", "dance"}), 2);
  house_.environment()["EDITOR"] = "sed -i s/timout/timeout/";
  EXPECT_EQ(code({"config", "edit"}), 0);
  EXPECT_EQ(out({"config", "get", "exec.timeout"}), "5\n");
  EXPECT_EQ(code({"serve", "--status"}), 1);
}

TEST_F(SelfTest, LogsAndDoctorLookAtOurselves) {
  EXPECT_EQ(code({"logs"}), 1);
  house_.exec("true");
  EXPECT_THAT(out({"logs"}), HasSubstr("\n"));
  const std::string last = out({"logs", "-n", "1"});
  EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 1);
  const Ran doctor = house_.run({"doctor", "--json"});
  EXPECT_EQ(doctor.code, 0) << doctor.out;
  const JsonObject report = *parse_json_object(doctor.out);
  EXPECT_TRUE(boolean_or(report, "ok"));
  for (const Json& item : report.at("checks").as_array()) {
    EXPECT_FALSE(text_or(item.as_object(), "name").empty());
    EXPECT_THAT(text_or(item.as_object(), "state"), testing::AnyOf("ok", "warning"));
  }
  ASSERT_TRUE(write_file_atomically(house_.home().config(), "exec: [\n"));
  const Ran broken = house_.run({"doctor"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, AllOf(HasSubstr("error\t"), HasSubstr(house_.home().config())));
}

TEST_F(SelfTest, EveryCommandExplainsItselfWithExamples) {
  const std::string overview = out({"--help"});
  for (const std::string name : every_command) {
    EXPECT_THAT(overview, HasSubstr("\n  " + name + " "));
    const std::string help = out({name, "--help"});
    EXPECT_THAT(help,
                AllOf(HasSubstr("Usage: talaria " + name), HasSubstr("Examples:\n"), HasSubstr("talaria " + name)));
    EXPECT_EQ(out({"help", name}), help);
    const Ran wrong = house_.run({name, "--no-such-option"});
    EXPECT_EQ(wrong.code, name == "exec" ? 125 : 2) << name;  // 2 could be the command's own
    EXPECT_THAT(wrong.err, HasSubstr("Try: talaria " + name + " --help"));
  }
  const Ran unknown = house_.run({"exce", "true"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean exec?"));
  EXPECT_EQ(code({}), 2);
  EXPECT_THAT(out({"completion", "bash"}), HasSubstr("complete "));
}

TEST_F(SelfTest, NothingInAPipeHasEscapeCodes) {
  house_.environment().erase("NO_COLOR");
  house_.environment()["TERM"] = "xterm-256color";
  const std::string id = start("printf '\\033[31mred\\033[0m\\n'; sleep 60");
  ASSERT_EQ(code({"wait", id, "--until", "red", "--timeout", "20"}), 0);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"ps"},
                                                  {"log", id},
                                                  {"poll", id},
                                                  {"doctor"},
                                                  {"config", "show"},
                                                  {"--help"},
                                                  {"serve", "--status"},
                                                  {"exec", "--help"},
                                                  {"ps", "--json"},
                                                  {"logs"},
                                                  {"kill", id}}) {
    const Ran ran = house_.run(command);
    EXPECT_THAT(ran.out + ran.err, AllOf(Not(HasSubstr("\033")), Not(testing::IsEmpty()))) << command[0];
  }
}

TEST_F(SelfTest, TheNameHermesIsTheSameProgram) {
  const std::string hermes = house_.workspace() + "/hermes";
  ASSERT_EQ(::symlink(program_path("talaria").c_str(), hermes.c_str()), 0);
  Running running = house_.start_program(hermes, {"exec", "echo same; exit 3"});
  running.close_input();
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_EQ(ran.out, "same\n");
}

}  // namespace
}  // namespace talaria
