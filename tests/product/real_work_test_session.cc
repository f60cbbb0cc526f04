// What the commands of one session share, what they keep from others, and how a person talks with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class SessionInsideTest : public testing::Test {
 protected:
  void configure(const std::string& key, const std::string& value) {
    const Ran ran = house_.run({"config", "set", key, value});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  const std::string& home() { return house_.environment()["HOME"]; }
  void put(const std::string& path, const std::string& content) {
    ASSERT_TRUE(make_directories(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(path, content, 0644));
  }
  JsonObject run_in(const std::string& session, const std::string& command) {
    const Result<JsonObject> result = house_.connect().call_object(
        "tools/call", {{"name", "exec"},
                       {"arguments", JsonObject{{"command", command}}},
                       {"client", "cli"},
                       {"session", JsonObject{{"cwd", house_.workspace()}, {"name", session}}}});
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : JsonObject();
  }
  std::string start(const std::string& command, JsonObject more = {}) {
    more["background"] = true;
    const JsonObject result = house_.exec(command, std::move(more));
    EXPECT_EQ(status_of(result), "running") << write_json(result);
    return id_of(result);
  }
  void await_line(const std::string& id, const std::string& pattern) {
    const JsonObject seen = house_.process("wait", id, {{"until", pattern}, {"timeout", 20000}, {"offset", 0}});
    ASSERT_TRUE(details_of(seen).contains("found")) << pattern << ": " << write_json(seen);
  }
  std::string output_of(const std::string& id) {
    house_.process("wait", id, {{"timeout", 20000}});
    return text_or(details_of(house_.process("poll", id, {{"offset", 0}})), "output");
  }

  House house_;
};

// --- shared and private ---

TEST_F(SessionInsideTest, TmpIsSharedInASessionAndPrivateBetweenTwoAndFromTheHost) {
  const std::string name = "/tmp/of-session-" + home().substr(home().rfind('/') + 1);
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
    const std::string file = folder + name.substr(4);
    EXPECT_EQ(text_of(run_in("one", "echo mine > " + file + "; stat -c %a " + folder)), "1777\n");
    EXPECT_EQ(text_of(run_in("one", "cat " + file)), "mine\n");
    EXPECT_EQ(text_of(run_in("two", "cat " + file + " 2>&- || echo none")), "none\n");
    EXPECT_FALSE(exists(file));
  }
  EXPECT_EQ(text_of(run_in("one", "cat /tmp" + name.substr(4) + " /var/tmp" + name.substr(4))), "mine\nmine\n");
  EXPECT_THAT(text_of(run_in("one", "echo x > ~/kept; echo $HOME")), testing::StartsWith(home() + "\n"));
  EXPECT_EQ(text_of(run_in("one", "cat ~/kept")), "x\n");
  EXPECT_EQ(text_of(run_in("two", "ls -A ~")), "w\n");
  EXPECT_FALSE(exists(home() + "/kept"));
}

TEST_F(SessionInsideTest, SocketsByPathAndByNameJoinTwoCommands) {
  for (const char* address : {"'/tmp/meeting'", "'\\0meeting'", "'here'"}) {
    const std::string server = std::string("import socket; s = socket.socket(socket.AF_UNIX); s.bind(") + address +
                               "); s.listen(); print('ready', flush=True); c = s.accept()[0]; "
                               "c.sendall(b'met ' + c.recv(100))";
    const std::string id = start("python3 -c \"" + server + "\"");
    await_line(id, "ready");
    const std::string client = std::string("import socket; s = socket.socket(socket.AF_UNIX); s.connect(") + address +
                               "); s.sendall(b'you'); print(s.recv(100).decode())";
    EXPECT_EQ(text_of(house_.exec("python3 -c \"" + client + "\"")), "met you\n") << address;
    EXPECT_THAT(text_of(run_in("other", "python3 -c \"" + client + "\"")), HasSubstr("Error")) << address;
    house_.process("wait", id);
  }
}

TEST_F(SessionInsideTest, TwoSessionsWorkInOneWorkspaceAtOnce) {
  EXPECT_EQ(text_of(run_in("one", "echo from one > f; id -u > u1")), "(no output)");
  EXPECT_EQ(text_of(run_in("two", "cat f; echo from two >> f; id -u > u2")), "from one\n");
  EXPECT_EQ(text_of(run_in("one", "cat f")), "from one\nfrom two\n");
  // As root each is a user of its own, so that none can touch the other's processes.
  const bool same = *read_file(house_.workspace() + "/u1") == *read_file(house_.workspace() + "/u2");
  EXPECT_EQ(same, ::geteuid() != 0);
}

// --- files ---

TEST_F(SessionInsideTest, WhatIsMadeInsideBelongsToTheWorkspacesOwner) {
  house_.exec("mkdir d; echo x > d/f; ln -s f d/l; chmod 750 d; head -c 200M /dev/zero > big", {{"yieldMs", 60000}});
  struct stat workspace {};
  ASSERT_EQ(::stat(house_.workspace().c_str(), &workspace), 0);
  for (const char* name : {"/d", "/d/f", "/d/l", "/big"}) {
    struct stat made {};
    ASSERT_EQ(::lstat((house_.workspace() + name).c_str(), &made), 0) << name;
    EXPECT_EQ(made.st_uid, workspace.st_uid) << name;
    EXPECT_EQ(made.st_gid, workspace.st_gid) << name;
  }
  struct stat big {};
  ASSERT_EQ(::stat((house_.workspace() + "/big").c_str(), &big), 0);
  EXPECT_EQ(big.st_size, 200 << 20);
  EXPECT_EQ(text_of(house_.exec("stat -c %U big | grep -qx \"$(id -un)\" && stat -c %s big")), "209715200\n");
}

TEST_F(SessionInsideTest, OthersFilesAreNamedAsNotWritable) {
  put(house_.workspace() + "/theirs", "theirs\n");
  put(house_.workspace() + "/mine", "mine\n");
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::chown((house_.workspace() + "/theirs").c_str(), 12345, 12345), 0);
  }
  const JsonObject result = house_.exec("cat theirs; echo more >> mine; echo more 2>/dev/null >> theirs || echo no");
  const std::string note = text_or(details_of(result), "note");
  if (root) {
    EXPECT_THAT(text_of(result), testing::StartsWith("theirs\nno\n"));
    EXPECT_THAT(note, AllOf(HasSubstr("Not writable inside"), HasSubstr("/theirs"), Not(HasSubstr("/mine"))));
    EXPECT_EQ(*read_file(house_.workspace() + "/theirs"), "theirs\n");
  } else {
    EXPECT_EQ(text_of(result), "theirs\n");
    EXPECT_EQ(note, "");
  }
  EXPECT_EQ(*read_file(house_.workspace() + "/mine"), "mine\nmore\n");
}

TEST_F(SessionInsideTest, NoSecretOfThePersonOrOfOursIsFound) {
  const std::string secret = "find-me-not-" + home().substr(home().rfind('/') + 1);
  for (const char* name : {"/.ssh/id_ed25519", "/.aws/credentials", "/.netrc", "/.config/gh/hosts.yml", "/notes"}) {
    put(home() + name, secret + "\n");
  }
  put(home() + "/.profile", "export FROM_PROFILE_TOKEN=" + secret + "\n");
  house_.environment()["API_KEY"] = secret;
  house_.environment()["HARMLESS_NAME"] = secret;  // the list says what passes, not what is held back
  house_.exec("true");
  const std::string half = secret.substr(0, 9);  // the pattern must not find itself
  const JsonObject result =
      house_.exec("p=" + half + "'['" + secret.substr(9, 1) + "']'" + secret.substr(10) +
                      "; env | grep -c \"$p\"; grep -rsal \"$p\" ~ /tmp /var/tmp /run /home /root /mnt /etc /dev/shm; "
                      "for f in /proc/[0-9]*/environ /proc/[0-9]*/cmdline; do tr '\\0' '\\n' < $f | grep -sq \"$p\" && "
                      "echo $f; done; "
                      "ls -A ~; echo end",
                  {{"yieldMs", 60000}});
  EXPECT_EQ(text_of(result), "0\nw\nend\n");
  for (const pid_t pid : {house_.gateway_pid(), house_.keeper_pid()}) {
    const JsonObject looked = house_.exec("cat /proc/" + std::to_string(pid) + "/environ");
    EXPECT_THAT(text_of(looked), AllOf(Not(HasSubstr(secret)), HasSubstr("No such file")));
  }
}

TEST_F(SessionInsideTest, FurtherPathsAreSeenOrWritten) {
  put(home() + "/data/set", "numbers\n");
  put(home() + "/results/old", "old\n");
  put(home() + "/elsewhere/x", "x\n");
  configure("sandbox.readable", "['" + home() + "/data']");
  configure("sandbox.writable", "[~/results]");
  EXPECT_EQ(text_of(house_.exec("cat ~/data/set ~/results/old; ls -A ~; echo new > ~/results/new; "
                                "echo bad 2>&- > ~/data/new || echo refused")),
            "numbers\nold\ndata\nresults\nw\nrefused\n");
  EXPECT_EQ(*read_file(home() + "/results/new"), "new\n");
  struct stat outer {
  }, made{};
  ASSERT_EQ(::stat((home() + "/results").c_str(), &outer), 0);
  ASSERT_EQ(::stat((home() + "/results/new").c_str(), &made), 0);
  EXPECT_EQ(made.st_uid, outer.st_uid);
  configure("sandbox.readable", "[" + home() + "/absent]");
  const JsonObject absent = house_.exec("touch ran");
  EXPECT_TRUE(boolean_or(absent, "isError")) << write_json(absent);
  EXPECT_THAT(text_of(absent), AllOf(HasSubstr(home() + "/absent"), HasSubstr("readable")));
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
}

// --- talking with a command ---

TEST_F(SessionInsideTest, TerminalsAreRealOnes) {
  EXPECT_THAT(text_of(house_.exec("tty; stty size; test -t 0 && test -t 1 && test -t 2 && echo terminal; "
                                  "echo x > /dev/tty; ls -l $(tty) > /dev/null && echo listed",
                                  {{"pty", true}, {"rows", 31}, {"cols", 97}})),
              MatchesRegex("/dev/pts/[0-9]+\n31 97\nterminal\nx\nlisted\n"));
  EXPECT_EQ(text_of(house_.exec("tty")), "not a tty\n\n(Command exited with code 1)");
  // A terminal inside a terminal, as script, tmux and expect make them.
  EXPECT_EQ(text_of(house_.exec("python3 -c \"import pty; pty.spawn(['sh', '-c', 'test -t 0 && echo inner'])\"")),
            "inner\n");
}

TEST_F(SessionInsideTest, KeysSizesAndSignalsReachATerminal) {
  const std::string id = start(
      "trap 'stty size' WINCH; trap 'echo interrupted' INT; echo ready; while :; do read -r line && echo \"<$line>\"; "
      "done",
      {{"pty", true}});
  await_line(id, "ready");
  house_.process("resize", id, {{"rows", 12}, {"cols", 34}});
  house_.process("write", id, {{"data", "one\r"}});
  await_line(id, "12 34");
  await_line(id, "<one>");
  house_.process("send-keys", id, {{"keys", JsonArray{"t", "w", "o", "Enter"}}});
  await_line(id, "<two>");
  house_.process("send-keys", id, {{"keys", JsonArray{"C-c"}}});
  await_line(id, "interrupted");
  house_.process("paste", id, {{"text", "three"}});
  house_.process("submit", id);
  await_line(id, "<three>");
  EXPECT_EQ(status_of(house_.process("kill", id)), "failed");
}

TEST_F(SessionInsideTest, StdinComesThroughInTheForegroundAndTheBackground) {
  EXPECT_EQ(text_of(house_.exec("wc -c", {{"stdin", std::string(1 << 20, 'x')}})), "1048576\n");
  EXPECT_EQ(text_of(house_.exec("cat")), "(no output)");
  EXPECT_EQ(house_.run({"exec", "--", "tr a-z A-Z"}, "piped\n").out, "PIPED\n");
  const std::string id = start("while read line; do echo \"got $line\"; done; echo end of input");
  house_.process("write", id, {{"data", "a\nb\n"}});
  await_line(id, "got b");
  house_.process("write", id, {{"data", "c\n"}, {"eof", true}});
  EXPECT_EQ(output_of(id), "got a\ngot b\ngot c\nend of input\n");
}

TEST_F(SessionInsideTest, ABackgroundJobIsPolledAndKilledWithItsTree) {
  const JsonObject begun =
      house_.exec("setsid sh -c 'sleep 1000 & sleep 1000 & wait' & echo started; wait", {{"background", true}});
  const std::string id = id_of(begun);
  await_line(id, "started");
  const auto command = static_cast<pid_t>(integer_or(details_of(begun), "pid"));
  std::vector<pid_t> tree;
  await("the whole tree", [&] { return (tree = descendants_of(command)).size() >= 3; });
  EXPECT_EQ(status_of(house_.process("poll", id)), "running");
  const JsonObject killed = house_.process("kill", id);
  EXPECT_EQ(status_of(killed), "failed");
  EXPECT_EQ(text_or(details_of(killed), "exitSignal"), "SIGTERM");
  for (const pid_t pid : tree) EXPECT_EQ(state_of(pid).value_or('Z'), 'Z');
}

TEST_F(SessionInsideTest, AWorkdirThatIsNotSeenIsRefusedWithTheReason) {
  ASSERT_TRUE(make_directories(house_.workspace() + "/sub"));
  EXPECT_EQ(text_of(house_.exec("pwd", {{"workdir", "sub"}})), house_.workspace() + "/sub\n");
  EXPECT_EQ(text_of(house_.exec("mkdir -p /tmp/inner && cd /tmp/inner && pwd")), "/tmp/inner\n");
  EXPECT_EQ(text_of(house_.exec("pwd", {{"workdir", "/tmp/inner"}})), "/tmp/inner\n");
  ASSERT_TRUE(make_directories(home() + "/hidden"));
  for (const std::string& place : {home() + "/hidden", house_.root(), std::string("no/such")}) {
    const JsonObject refused = house_.exec("touch /tmp/ran", {{"workdir", place}});
    EXPECT_NE(status_of(refused), "completed") << write_json(refused);
    EXPECT_THAT(text_of(refused), AllOf(HasSubstr(place), HasSubstr("sandbox.readable")));
  }
  EXPECT_EQ(text_of(house_.exec("ls /tmp/ran 2>&- || echo never")), "never\n");
}

}  // namespace
}  // namespace talaria
