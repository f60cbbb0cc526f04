// Jobs in terminals, and our own program in one: real ptys, keys as bytes, sizes, colours.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

int64_t code_of(const JsonObject& result) { return integer_or(details_of(result), "exitCode", -1); }

// A person's terminal with our CLI in it.
class Window {
 public:
  Window(House& house, std::vector<std::string> arguments, winsize size = {24, 80, 0, 0}) {
    arguments.insert(arguments.begin(), program_path("talaria"));
    std::vector<std::string> entries;
    for (const auto& [name, value] : house.environment()) entries.push_back(name + "=" + value);
    std::vector<char*> argv, envp;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    for (std::string& entry : entries) envp.push_back(entry.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    if (pid_ == 0) {
      if (::chdir(house.workspace().c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
      ::_exit(126);
    }
    EXPECT_GT(pid_, 0);
    master_ = UniqueFd(master);
    // Kept open so that the terminal's settings can be looked at after the program.
    side_ = UniqueFd(::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  ~Window() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void type(const std::string& bytes) { ASSERT_TRUE(write_all(master_.get(), bytes)); }
  void resize(unsigned short rows, unsigned short cols) {
    const winsize size{rows, cols, 0, 0};
    ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }
  termios settings() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(side_.get(), &now), 0);
    return now;
  }
  const std::string& await_output(const std::string& text) {
    const auto deadline = Clock::now() + 20s;
    while (shown_.find(text) == std::string::npos && Clock::now() < deadline) read_some(100);
    EXPECT_THAT(shown_, HasSubstr(text));
    return shown_;
  }
  // Its exit code, when it has ended.
  int finish() {
    int status = 0;
    await("the program in the terminal to end", [&] {
      read_some(0);
      return ::waitpid(pid_, &status, WNOHANG) == pid_;
    });
    pid_ = 0;
    while (read_some(0)) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  const std::string& shown() const { return shown_; }

 private:
  bool read_some(int timeout_ms) {
    pollfd entry{master_.get(), POLLIN, 0};
    if (::poll(&entry, 1, timeout_ms) <= 0) return false;
    char buffer[4096];
    const ssize_t count = ::read(master_.get(), buffer, sizeof buffer);
    if (count > 0) shown_.append(buffer, static_cast<size_t>(count));
    return count > 0;
  }

  pid_t pid_ = 0;
  UniqueFd master_, side_;
  std::string shown_;
};

class TerminalTest : public testing::Test {
 protected:
  std::string start(const std::string& command, JsonObject more = {}) {
    more["background"] = true;
    more["pty"] = true;
    const JsonObject result = house_.exec(command, std::move(more));
    EXPECT_EQ(status_of(result), "running") << write_json(result);
    return id_of(result);
  }
  void await_line(const std::string& id, const std::string& pattern) {
    const JsonObject seen = house_.process("wait", id, {{"until", pattern}, {"timeout", 20000}});
    ASSERT_TRUE(details_of(seen).contains("found")) << write_json(seen);
  }
  // A program that takes its terminal raw, perhaps asks for modes, and prints the next `count` bytes in hexadecimal.
  std::string start_reader(size_t count, const std::string& modes = "") {
    const std::string id = start("stty raw -echo; printf '" + modes + "ready\\n'; head -c " + std::to_string(count) +
                                 " | od -An -v -tx1 -w1000");
    await_line(id, "ready");
    return id;
  }
  // What the reader read: "1b 5b 41".
  std::string bytes_read(const std::string& id) {
    const JsonObject ended = house_.process("wait", id, {{"timeout", 20000}});
    EXPECT_EQ(code_of(ended), 0) << write_json(ended);
    std::string text = text_of(house_.process("log", id));
    text.erase(0, text.find("ready") + 5);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.erase(0, 1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text;
  }

  PlainHouse house_;
};

// --- exec with pty ---

TEST_F(TerminalTest, APtyIsARealTerminalOfTheSizeThatWasAskedFor) {
  const std::string look = "tty; stty size; echo $TERM; test -t 0 && test -t 1 && test -t 2 && echo all three";
  const JsonObject usual = house_.exec(look, {{"pty", true}});
  EXPECT_THAT(text_of(usual), MatchesRegex("/dev/pts/[0-9]+\n40 120\nxterm-256color\nall three\n"));
  EXPECT_EQ(code_of(usual), 0);
  EXPECT_THAT(text_of(house_.exec(look, {{"pty", true}, {"rows", 10}, {"cols", 33}})), HasSubstr("\n10 33\n"));
  EXPECT_EQ(text_of(house_.exec("env | grep ^TERM=; test -t 1 || echo none")), "none\n");
}

TEST_F(TerminalTest, APtyIsTheControllingTerminalAndItsCodesAreStripped) {
  EXPECT_EQ(text_of(house_.exec("printf '\\033[31mred\\033[0m\\n' > /dev/tty; exit 3", {{"pty", true}})),
            "red\n\n(Command exited with code 3)");
  EXPECT_THAT(text_of(house_.exec("cat", {{"pty", true}, {"stdin", "typed\n"}})), StartsWith("typed\n"));
}

// --- keys ---

TEST_F(TerminalTest, KeysArriveAsTheBytesATerminalSends) {
  const JsonArray keys = {"Enter",  "Tab", "S-Tab", "Escape", "Space", "BSpace", "Up", "Left", "Home",   "IC",     "DC",
                          "PageUp", "F1",  "F5",    "F12",    "C-c",   "M-x",    "a",  "S-b",  "C-Left", "C-Space"};
  const std::string expected =
      "0d 09 1b 5b 5a 1b 20 7f 1b 5b 41 1b 5b 44 1b 5b 48 1b 5b 32 7e 1b 5b 33 7e 1b 5b 35 7e 1b 4f 50 "
      "1b 5b 31 35 7e 1b 5b 32 34 7e 03 1b 78 61 42 1b 5b 31 3b 35 44 00";
  const std::string id = start_reader((expected.size() + 1) / 3);
  house_.process("send-keys", id, {{"keys", keys}});
  EXPECT_EQ(bytes_read(id), expected);
}

TEST_F(TerminalTest, LiteralTextAndHexComeBeforeKeys) {
  const std::string id = start_reader(9);
  house_.process("send-keys", id,
                 {{"literal", "Up ä"}, {"hex", JsonArray{"1b5b", "00"}}, {"keys", JsonArray{"Enter"}}});
  EXPECT_EQ(bytes_read(id), "55 70 20 c3 a4 1b 5b 00 0d");
}

TEST_F(TerminalTest, CursorKeysFollowTheModeTheProgramSet) {
  const std::string id = start_reader(3, "\\033[?1h");
  house_.process("send-keys", id, {{"keys", JsonArray{"Up"}}});
  EXPECT_EQ(bytes_read(id), "1b 4f 41");
}

TEST_F(TerminalTest, AnUnknownKeySendsNothingAtAll) {
  const std::string id = start_reader(1);
  const JsonObject refused = house_.process("send-keys", id, {{"keys", JsonArray{"x", "Entre"}}});
  EXPECT_TRUE(boolean_or(refused, "isError"));
  EXPECT_THAT(text_of(refused), AllOf(HasSubstr("Entre"), HasSubstr("Enter")));
  house_.process("send-keys", id, {{"keys", JsonArray{"y"}}});
  EXPECT_EQ(bytes_read(id), "79");
}

TEST_F(TerminalTest, ControlCInterruptsWhatRunsInTheForeground) {
  const std::string id = start("trap 'echo interrupted; exit 3' INT; echo ready; while :; do sleep 0.02; done");
  await_line(id, "ready");
  house_.process("send-keys", id, {{"keys", JsonArray{"C-c"}}});
  EXPECT_EQ(code_of(house_.process("wait", id, {{"timeout", 20000}})), 3);
  EXPECT_THAT(text_of(house_.process("log", id)), HasSubstr("interrupted"));
}

// --- paste, submit, end of file ---

TEST_F(TerminalTest, APasteIsBracketedWhenTheProgramAskedForIt) {
  const JsonObject paste = {{"text", "a\nb\033[201~c"}};
  const std::string asked = start_reader(16, "\\033[?2004h");
  house_.process("paste", asked, paste);
  EXPECT_EQ(bytes_read(asked), "1b 5b 32 30 30 7e 61 0d 62 63 1b 5b 32 30 31 7e");
  const std::string plain = start_reader(4);
  house_.process("paste", plain, paste);
  EXPECT_EQ(bytes_read(plain), "61 0d 62 63");
  const std::string took_back = start_reader(4, "\\033[?2004h\\033[?2004l");
  house_.process("paste", took_back, paste);
  EXPECT_EQ(bytes_read(took_back), "61 0d 62 63");
  const std::string overruled = start_reader(4, "\\033[?2004h");
  house_.process("paste", overruled, {{"text", "a\nbc"}, {"bracketed", false}});
  EXPECT_EQ(bytes_read(overruled), "61 0d 62 63");
}

TEST_F(TerminalTest, SubmitIsACarriageReturnAndEofEndsTheInput) {
  const std::string id = start_reader(1);
  EXPECT_EQ(text_of(house_.process("submit", id)), "Submitted to job " + id + " (sent CR).");
  EXPECT_EQ(bytes_read(id), "0d");
  const std::string cat = start("stty -echo; echo ready; cat; echo over");
  await_line(cat, "ready");
  house_.process("write", cat, {{"data", "line\n"}, {"eof", true}});
  EXPECT_EQ(code_of(house_.process("wait", cat, {{"timeout", 20000}})), 0);
  EXPECT_EQ(text_of(house_.process("log", cat)), "ready\nline\nover\n");
}

TEST_F(TerminalTest, ATerminalWorksOnAfterTheGatewayWasKilled) {
  const std::string id = start_reader(8, "\\033[?2004h\\033[?1h");
  house_.kill_gateway();
  house_.process("resize", id, {{"rows", 5}, {"cols", 6}});
  house_.process("send-keys", id, {{"keys", JsonArray{"Up", "Enter"}}});
  house_.process("write", id, {{"data", "wxyz"}});
  EXPECT_EQ(bytes_read(id), "1b 4f 41 0d 77 78 79 7a");
}

// --- size ---

TEST_F(TerminalTest, ResizeReachesTheProgram) {
  // One signal for each job: bash forgets a second one that comes while the trap of the first is under way.
  const char* tell_size = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done";
  const std::string id = start(tell_size), other = start(tell_size);
  await_line(id, "ready");
  await_line(other, "ready");
  EXPECT_EQ(text_of(house_.process("resize", id, {{"rows", 50}, {"cols", 161}})),
            "Resized job " + id + " to 50 rows and 161 columns.");
  await_line(id, "^50 161$");
  EXPECT_EQ(house_.run({"resize", other, "51", "162"}).code, 0);
  await_line(other, "^51 162$");
  const std::string pipe = id_of(house_.exec("sleep 60", {{"background", true}}));
  const JsonObject refused = house_.process("resize", pipe, {{"rows", 5}, {"cols", 5}});
  EXPECT_TRUE(boolean_or(refused, "isError"));
  EXPECT_THAT(text_of(refused), HasSubstr("has no terminal"));
}

// --- our CLI in a person's terminal ---

TEST_F(TerminalTest, ExecTConnectsThisTerminalAndRestoresIt) {
  house_.environment()["TERM"] = "screen-256color";
  house_.exec("true");
  Window window(house_,
                {"exec", "-t", "stty size; echo $TERM; tty >&2; read -r line; echo \"<$line>\"; stty raw; exit 5"},
                {31, 97, 0, 0});
  const termios before = window.settings();
  EXPECT_THAT(window.await_output("/dev/pts/"), AllOf(HasSubstr("31 97\r\n"), HasSubstr("screen-256color\r\n")));
  EXPECT_EQ(window.settings().c_lflag & (ICANON | ECHO), 0u);  // raw: every key goes to the job
  window.type("hello\r");
  window.await_output("<hello>\r\n");
  EXPECT_EQ(window.finish(), 5);
  EXPECT_EQ(window.settings().c_lflag, before.c_lflag);
  EXPECT_EQ(window.settings().c_iflag, before.c_iflag);
  EXPECT_EQ(window.settings().c_oflag, before.c_oflag);
}

TEST_F(TerminalTest, ExecTPassesKeysAndTheWindowsSize) {
  house_.exec("true");
  Window window(house_, {"exec", "-t",
                         "trap 'stty size' WINCH; trap 'echo interrupted; exit 7' INT; echo ready; "
                         "while :; do sleep 0.02; done"});
  window.await_output("ready");
  window.resize(33, 44);
  window.await_output("33 44\r\n");
  window.type("\x03");
  window.await_output("interrupted");
  EXPECT_EQ(window.finish(), 7);
}

TEST_F(TerminalTest, WithoutTACommandAtATerminalReadsNothingAndControlCInterruptsIt) {
  house_.exec("true");
  Window plain(house_, {"exec", "cat; echo over"});
  plain.await_output("over");
  EXPECT_EQ(plain.finish(), 0);
  Window loop(house_, {"exec", "trap 'echo int; exit 8' INT; echo ready; while :; do sleep 0.02; done"});
  loop.await_output("ready");
  loop.type("\x03");
  EXPECT_EQ(loop.finish(), 8);
}

TEST_F(TerminalTest, ColoursAreForTerminalsOnlyAndNoColorIsRespected) {
  house_.environment()["TERM"] = "xterm-256color";
  house_.environment().erase("NO_COLOR");
  const std::string id = start("sleep 60");
  const auto shown = [&](std::vector<std::string> arguments) {
    Window window(house_, std::move(arguments), {24, 200, 0, 0});
    EXPECT_EQ(window.finish(), 0);
    return window.shown();
  };
  EXPECT_THAT(shown({"ps"}), AllOf(HasSubstr("\033["), HasSubstr("STATUS"), HasSubstr(id)));
  EXPECT_THAT(shown({"ps", "--json"}), AllOf(Not(HasSubstr("\033[")), HasSubstr("{\r\n  \"")));  // indented
  house_.environment()["NO_COLOR"] = "1";
  EXPECT_THAT(shown({"ps"}), AllOf(Not(HasSubstr("\033")), HasSubstr("STATUS"), HasSubstr(id)));
  EXPECT_THAT(shown({"--help"}), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace talaria
