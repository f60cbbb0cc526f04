#include "product/prompt_window.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "os/file.h"

namespace talaria {
namespace {

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace

PromptWindow::PromptWindow(House& house, const std::string& program, std::vector<std::string> arguments,
                           unsigned short columns) {
  arguments.insert(arguments.begin(), program_path(program));
  std::vector<std::string> entries;
  for (const auto& [name, value] : house.environment()) entries.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  for (std::string& entry : entries) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  const winsize size{24, columns, 0, 0};
  int master = -1, side = -1;
  EXPECT_EQ(::openpty(&master, &side, nullptr, nullptr, &size), 0);
  master_ = UniqueFd(master);
  side_ = UniqueFd(side);
  for (const int fd : {master, side}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  first_settings_ = settings();
  pid_ = ::fork();
  if (pid_ == 0) {
    const bool ready = ::login_tty(side) == 0 && ::chdir(house.workspace().c_str()) == 0;
    if (ready) ::execve(argv[0], argv.data(), envp.data());
    ::_exit(126);
  }
  EXPECT_GT(pid_, 0);
}

PromptWindow::~PromptWindow() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void PromptWindow::type(const std::string& bytes) { ASSERT_TRUE(write_all(master_.get(), bytes)); }

void PromptWindow::await_output(const std::string& text, int times) {
  const auto deadline = Clock::now() + 30s;
  while (count_of(shown_, text) < times && Clock::now() < deadline) read_some(100);
  EXPECT_GE(count_of(shown_, text), times) << text << " in:\n" << shown_;
}

termios PromptWindow::settings() const {
  termios now{};
  EXPECT_EQ(::tcgetattr(side_.get(), &now), 0);
  return now;
}

int PromptWindow::finish() {
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

bool PromptWindow::read_some(int timeout_ms) {
  pollfd entry{master_.get(), POLLIN, 0};
  if (::poll(&entry, 1, timeout_ms) <= 0) return false;
  char buffer[4096];
  const ssize_t count = ::read(master_.get(), buffer, sizeof buffer);
  if (count > 0) shown_.append(buffer, static_cast<size_t>(count));
  return count > 0;
}

}  // namespace talaria
