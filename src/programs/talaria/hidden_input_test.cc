#include "talaria/hidden_input.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What ask_hidden gives a program in a terminal of its own whose stdin and stdout are elsewhere.
class Asked {
 public:
  explicit Asked(const std::string& prompt) {
    auto ends = *make_pipe();
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      const int nowhere = ::open("/dev/null", O_RDWR);
      for (const int fd : {0, 1, 2}) ::dup2(nowhere, fd);
      const Result<std::optional<std::string>> answer = ask_hidden(prompt);
      const std::string told = !answer   ? "error: " + answer.error().message()
                               : *answer ? "got: " + **answer
                                         : "skipped";
      ::_exit(write_all(ends.second.get(), told) ? 0 : 1);
    }
    master_ = UniqueFd(master);
    answer_ = std::move(ends.first);
  }
  ~Asked() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  const std::string& await_shown(const std::string& text) {
    const auto deadline = Clock::now() + 20s;
    while (shown_.find(text) == std::string::npos && Clock::now() < deadline) {
      pollfd entry{master_.get(), POLLIN, 0};
      char buffer[4096];
      if (::poll(&entry, 1, 100) <= 0) continue;
      const ssize_t count = ::read(master_.get(), buffer, sizeof buffer);
      if (count > 0) shown_.append(buffer, static_cast<size_t>(count));
    }
    EXPECT_THAT(shown_, HasSubstr(text));
    return shown_;
  }
  std::string type(const std::string& bytes) {
    EXPECT_TRUE(write_all(master_.get(), bytes));
    std::string told;
    char buffer[4096];
    for (ssize_t count = 1; count > 0;) {
      count = ::read(answer_.get(), buffer, sizeof buffer);
      if (count > 0) told.append(buffer, static_cast<size_t>(count));
    }
    return told;
  }

 private:
  pid_t pid_ = 0;
  UniqueFd master_, answer_;
  std::string shown_;
};

TEST(HiddenInputTest, AsksTheTerminalWhereverStdinComesFrom) {
  Asked asked("API key: ");
  asked.await_shown("API key: ");
  EXPECT_EQ(asked.type("s3 cret\n"), "got: s3 cret");
  EXPECT_THAT(asked.await_shown("\r\n"), Not(HasSubstr("cret")));
}

TEST(HiddenInputTest, AnEmptyLineAndCtrlDSkip) {
  for (const char* typed : {"\n", "\x04"}) {
    Asked asked("? ");
    asked.await_shown("? ");
    EXPECT_EQ(asked.type(typed), "skipped");
  }
}

TEST(HiddenInputTest, APromptCannotCommandTheTerminal) {
  Asked asked(
      "a\033[2Jb\xc2\x9b"
      "c\x7f: ");
  EXPECT_THAT(asked.await_shown(": "), AllOf(HasSubstr("a^[[2Jb\\x9bc^?: "), Not(HasSubstr("\033"))));
  EXPECT_EQ(asked.type("x\n"), "got: x");
}

TEST(HiddenInputTest, WithoutATerminalItSaysSo) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();  // a session of its own has no terminal
    const Result<std::optional<std::string>> answer = ask_hidden("? ");
    const bool good = !answer && answer.error().code() == ErrorCode::unavailable && !can_ask_hidden();
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace talaria
