// talaria env: a secret goes from a person's keys to .env and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "config/dotenv.h"
#include "os/file.h"
#include "product/prompt_window.h"
#include "product/secret_hunt.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* prompt = "(it is not shown): ";

class EnvCliTest : public testing::Test {
 protected:
  std::string file() const { return house_.root() + "/.env"; }
  std::map<std::string, std::string> variables() { return *read_dotenv(file()); }
  void put(const std::string& text, mode_t mode = 0600) {
    ASSERT_TRUE(make_directories(house_.root()));
    ASSERT_EQ(::chmod(house_.root().c_str(), 0700), 0);
    ASSERT_TRUE(write_file_atomically(file(), text, 0600, Durable::no));
    ASSERT_EQ(::chmod(file().c_str(), mode), 0);
  }
  // A script in namespaces of its own, so that it may mount.
  Ran run_mounting(const std::string& script) {
    const std::string talaria = program_path("talaria");
    Running running =
        house_.start_program("/usr/bin/unshare", {"--map-root-user", "--mount", "sh", "-c", "PATH=$1:$PATH\n" + script,
                                                  "sh", talaria.substr(0, talaria.rfind('/'))});
    running.close_input();
    return running.finish();
  }

  House house_;
};

TEST_F(EnvCliTest, ASecretTypedAtThePromptIsInTheFileAndNowhereElse) {
  const std::string secret = "TSK-4h7 $x'9\"q";
  ASSERT_EQ(house_.run({"config", "set", "log.level", "debug"}).code, 0);
  house_.exec("true");  // a gateway, a database and logs are there
  PromptWindow window(house_, "talaria", {"env", "set", "TENOR_API_KEY"});
  window.await_output(prompt);
  EXPECT_FALSE(window.echoes());
  window.type(secret);
  EXPECT_THAT(processes_with("TSK-4h7"), IsEmpty());
  window.type("\r");
  EXPECT_EQ(window.finish(), 0);
  EXPECT_TRUE(window.echoes());
  house_.exec("env; cat /proc/self/environ");
  EXPECT_EQ(variables().at("TENOR_API_KEY"), secret);
  EXPECT_THAT(window.shown(), AllOf(HasSubstr("TENOR_API_KEY is set in " + file()), Not(HasSubstr("TSK"))));
  EXPECT_THAT(processes_with("TSK-4h7"), IsEmpty());
  const std::string base = house_.root().substr(0, house_.root().rfind('/'));
  EXPECT_THAT(files_with(base, "TSK-4h7"), ElementsAre(file()));
  for (const Ran& ran : {house_.run({"env", "list"}), house_.run({"env", "list", "--json"}), house_.run({"logs"}),
                         house_.run({"config", "show", "--json"}), house_.run({"doctor"})}) {
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("TSK")));
  }
}

TEST_F(EnvCliTest, TheTerminalIsAsBeforeHoweverTheQuestionEnds) {
  struct Ending {
    std::string typed;
    int signal;
    int code;
  };
  const Ending endings[] = {{"\r", 0, 1},
                            {"\x04", 0, 1},
                            {"half\x03", 0, 128 + SIGINT},
                            {"half\x1c", 0, 128 + SIGQUIT},
                            {"half", SIGTERM, 128 + SIGTERM},
                            {"half", SIGHUP, 128 + SIGHUP},
                            {"half", SIGINT, 128 + SIGINT}};
  for (const Ending& ending : endings) {
    PromptWindow window(house_, "talaria", {"env", "set", "KEY"});
    window.await_output(prompt);
    EXPECT_FALSE(window.echoes());
    window.type(ending.typed);
    if (ending.signal != 0) ::kill(window.pid(), ending.signal);
    EXPECT_EQ(window.finish(), ending.code);
    EXPECT_EQ(window.settings().c_lflag, window.first_settings().c_lflag);
    EXPECT_THAT(window.shown(), Not(HasSubstr("half")));
  }
  EXPECT_FALSE(exists(file()));
}

TEST_F(EnvCliTest, CtrlZStopsItWithAnUsableTerminalAndItAsksAnewAfterwards) {
  house_.environment()["PS1"] = "$ ";
  PromptWindow window(house_, "/bin/bash", {"--norc", "--noprofile", "--noediting", "-i"});
  window.type(program_path("talaria") + " env set KEY\n");
  window.await_output(prompt);
  window.type("half\x1a");
  window.await_output("Stopped");
  EXPECT_TRUE(window.echoes());
  window.type("echo at the $((40 + 2))\n");
  window.await_output("at the 42");
  window.type("fg\n");
  window.await_output(prompt, 2);
  EXPECT_FALSE(window.echoes());
  window.type("TSK-whole\r");
  window.await_output("KEY is set");
  window.type("exit\n");
  EXPECT_EQ(window.finish(), 0);
  EXPECT_EQ(variables().at("KEY"), "TSK-whole");
  EXPECT_THAT(window.shown(), AllOf(Not(HasSubstr("half")), Not(HasSubstr("TSK"))));
}

TEST_F(EnvCliTest, TheRestOfAPasteReachesNoShell) {
  PromptWindow window(house_, "/bin/bash", {"--norc", "--noprofile", "--noediting", "-i"});
  window.type(program_path("talaria") + " env set KEY\n");
  window.await_output(prompt);
  window.type("first line\ntouch leaked\n");
  window.await_output("KEY is set");
  window.type("exit\n");
  EXPECT_EQ(window.finish(), 0);
  EXPECT_EQ(variables().at("KEY"), "first line");
  EXPECT_FALSE(exists(house_.workspace() + "/leaked"));
}

TEST_F(EnvCliTest, FromAPipeItTakesOneLine) {
  EXPECT_EQ(house_.run({"env", "set", "A"}, "  two words \r\n").code, 0);
  EXPECT_EQ(house_.run({"env", "set", "B"}, "no newline").code, 0);
  const Ran more = house_.run({"env", "set", "C"}, "first\nsecond\n");
  EXPECT_EQ(more.err, "talaria: only the first line of stdin was taken\n");
  const std::string talaria = program_path("talaria");
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/lines", "one\ntwo\n"));
  Running both = house_.start_program("/bin/sh", {"-c", "{ \"$0\" env set D; \"$0\" env set E; } < lines", talaria});
  EXPECT_EQ(both.finish().code, 0);
  EXPECT_EQ(variables(), (std::map<std::string, std::string>{
                             {"A", "  two words "}, {"B", "no newline"}, {"C", "first"}, {"D", "one"}, {"E", "two"}}));
  for (const char* nothing : {"", "\n", "\r\n"}) {
    const Ran ran = house_.run({"env", "set", "A"}, nothing);
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.err, "talaria: nothing was entered, so A stays as it was\n");
  }
  EXPECT_EQ(variables().at("A"), "  two words ");
}

TEST_F(EnvCliTest, AValueOnTheCommandLineIsRefusedAndNotRepeated) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"env", "set", "KEY", "TSK-1"},
                                                {"env", "set", "KEY=TSK-1"},
                                                {"env", "set", "KEY", "--TSK-1"},
                                                {"env", "set", "--", "KEY", "TSK-1"},
                                                {"env", "KEY=TSK-1"},
                                                {"env", "set", "TSK-1"}}) {
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("TSK")));
  }
  EXPECT_THAT(house_.run({"env", "set", "KEY", "x"}).err,
              AllOf(HasSubstr("list of processes"), HasSubstr("talaria env set KEY < FILE")));
  EXPECT_FALSE(exists(file()));
}

TEST_F(EnvCliTest, ListsNamesAndRemovesThem) {
  EXPECT_EQ(house_.run({"env", "list"}).out, "");
  put("# keys\nB=TSK-b\nexport A='TSK-a' # note\nEMPTY=\n");
  ASSERT_EQ(house_.run({"config", "set", "terminal.env_passthrough", "[A]"}).code, 0);
  EXPECT_EQ(house_.run({"env", "list"}).out, "A\tset\tget it (terminal.env_passthrough)\nB\tset\t\nEMPTY\tempty\t\n");
  const JsonObject listed = *parse_json_object(house_.run({"env", "list", "--json"}).out);
  EXPECT_EQ(text_or(listed, "path"), file());
  EXPECT_EQ(listed.at("variables").as_array().at(2),
            Json(JsonObject{{"name", "EMPTY"}, {"empty", true}, {"passthrough", false}}));
  const Ran removed = house_.run({"env", "unset", "B", "NONE", "EMPTY"});
  EXPECT_EQ(removed.code, 1);
  EXPECT_EQ(removed.err, "talaria: NONE is not in " + file() + "\n");
  EXPECT_EQ(*read_file(file()), "# keys\nexport A='TSK-a' # note\n");
  EXPECT_EQ(house_.run({"env", "unset"}).code, 2);
  EXPECT_EQ(house_.run({"env", "list", "A"}).code, 2);
}

TEST_F(EnvCliTest, AFileThatIsNotPrivateIsRefusedBeforeAnythingIsAsked) {
  put("A=1\n", 0644);
  PromptWindow window(house_, "talaria", {"env", "set", "KEY"});
  EXPECT_EQ(window.finish(), 1);
  EXPECT_THAT(window.shown(), AllOf(HasSubstr("run: chmod 600 " + file()), Not(HasSubstr(prompt))));
  EXPECT_EQ(house_.run({"env", "unset", "A"}).code, 1);
  EXPECT_EQ(house_.run({"env", "list"}).code, 1);
  EXPECT_EQ(*read_file(file()), "A=1\n");
  ASSERT_TRUE(remove_tree(file()));
  ASSERT_EQ(::mkdir(file().c_str(), 0700), 0);
  EXPECT_THAT(house_.run({"env", "set", "KEY"}).err, HasSubstr("is a directory"));
}

TEST_F(EnvCliTest, AJobNeitherSeesNorChangesThem) {
  put("A=TSK-a\n");
  house_.environment()["TALARIA_JOB"] = "abcdefgh";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"env", "list"}, {"env", "set", "A"}, {"env", "unset", "A"}}) {
    const Ran ran = house_.run(words);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out + ran.err, AllOf(HasSubstr("from inside a job"), Not(HasSubstr("TSK"))));
  }
  house_.environment().erase("TALARIA_JOB");
  EXPECT_EQ(*read_file(file()), "A=TSK-a\n");
}

TEST_F(EnvCliTest, AJobThatHidesWhereItRunsIsInsideAllTheSame) {
  put("A=TSK-a\n");
  const std::string unset = "env -u TALARIA -u TALARIA_JOB TALARIA_HOME=" + house_.root() + " ";
  const std::string nothing = "env -i TALARIA_HOME=" + house_.root() + " ";
  const std::string list = program_path("talaria") + " env list", trust = program_path("talaria") + " skills trust /";
  for (const std::string& command : {unset + list, "exec " + nothing + list, unset + trust,
                                     "mkfifo f && (setsid " + nothing + list + " >f 2>&1 &); cat f",
                                     unset + program_path("talaria") + " config set exec.timeout 5"}) {
    const std::string told = text_of(house_.exec(command, {{"host", "gateway"}}));
    EXPECT_THAT(told, AllOf(HasSubstr("from inside a job"), Not(HasSubstr("TSK")))) << command;
  }
  EXPECT_FALSE(exists(house_.home().config()) &&
               read_file(house_.home().config())->find("timeout") != std::string::npos);
}

TEST_F(EnvCliTest, ListSaysWhatIsNeverPassed) {
  put("OPENAI_API_KEY=TSK-a\n");
  ASSERT_EQ(house_.run({"config", "set", "terminal.env_passthrough", "[OPENAI_API_KEY]"}).code, 0);
  EXPECT_EQ(house_.run({"env", "list"}).out,
            "OPENAI_API_KEY\tset\tnever get it: it is a credential of a model provider, the agent's and not its "
            "commands'\n");
}

TEST_F(EnvCliTest, TenAtOnceLoseNothing) {
  put("# mine\nOLD=1\n");
  std::vector<Running> running;
  for (int i = 0; i < 10; ++i) {
    running.push_back(house_.start({"env", "set", "KEY" + std::to_string(i)}));
    ASSERT_TRUE(write_all(running.back().input(), "value " + std::to_string(i) + "\n"));
  }
  for (Running& one : running) {
    const Ran ran = one.finish();
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  std::map<std::string, std::string> wanted = {{"OLD", "1"}};
  for (int i = 0; i < 10; ++i) wanted["KEY" + std::to_string(i)] = "value " + std::to_string(i);
  EXPECT_EQ(variables(), wanted);
  EXPECT_TRUE(read_file(file())->starts_with("# mine\nOLD=1\n"));
}

TEST_F(EnvCliTest, AFullDiskLeavesTheFileAsItWas) {
  ASSERT_TRUE(make_directories(house_.root()));
  const Ran ran = run_mounting(R"(
    mount -t tmpfs -o size=256k,mode=0700 none "$TALARIA_HOME" && cd "$TALARIA_HOME" || exit 9
    echo A=1 > .env; chmod 600 .env
    cat /dev/zero > filler 2> /dev/null
    echo TSK-1 | talaria env set KEY; echo "code $?"
    cat .env; ls -A | grep env
    rm filler
    echo TSK-1 | talaria env set KEY; echo "code $?")");
  EXPECT_EQ(ran.out, "code 1\nA=1\n.env\n.env.lock\nKEY is set in " + file() + "\ncode 0\n") << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("No space left on device"), Not(HasSubstr("TSK"))));
}

TEST_F(EnvCliTest, AHomeThatCannotBeWrittenIsAnErrorThatSaysSo) {
  ASSERT_TRUE(make_directories(house_.root()));
  const Ran ran = run_mounting(R"(
    mount -t tmpfs -o mode=0700 none "$TALARIA_HOME" || exit 9
    echo A=1 > "$TALARIA_HOME/.env"; chmod 600 "$TALARIA_HOME/.env"
    mount -o bind,remount,ro "$TALARIA_HOME" || exit 9
    echo TSK-1 | talaria env set KEY; echo "code $?"
    talaria env unset A; echo "code $?"
    talaria env list)");
  EXPECT_EQ(ran.out, "code 1\ncode 1\nA\tset\t\n") << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("Read-only file system"), Not(HasSubstr("TSK"))));
}

TEST_F(EnvCliTest, AHomeThatWasUsedAndCanNoLongerBeWrittenSaysWhatToDo) {
  ASSERT_TRUE(make_directories(house_.root()));
  const Ran ran = run_mounting(R"(
    mount -t tmpfs -o mode=0700 none "$TALARIA_HOME" || exit 9
    mkdir -m 700 "$TALARIA_HOME/jobs" "$TALARIA_HOME/cache" "$TALARIA_HOME/logs" "$TALARIA_HOME/run"
    mount -o bind,remount,ro "$TALARIA_HOME" || exit 9
    talaria exec true; echo "code $?")");
  EXPECT_NE(ran.out, "code 0\n");
  const std::string root = house_.root();
  EXPECT_THAT(ran.err, HasSubstr("write into " + root + ": Read-only file system. Talaria writes into its home " +
                                 root + ": make it writable, or set TALARIA_HOME to a directory that is"));
}

}  // namespace
}  // namespace talaria
