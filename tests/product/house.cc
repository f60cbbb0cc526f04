#include "product/house.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/id.h"
#include "os/daemon.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/socket.h"

namespace talaria {

std::string program_path(const std::string& name) { return name.front() == '/' ? name : sibling_program(name); }

void await(const std::string& what, const std::function<bool()>& condition, Clock::duration patience) {
  const auto deadline = Clock::now() + patience;
  while (!condition()) {
    ASSERT_LT(Clock::now(), deadline) << "waited too long: " << what;
    std::this_thread::yield();
    ::poll(nullptr, 0, 1);
  }
}

void await_next_signal() {
  const auto begin = Clock::now();
  await("another signal to be another one", [&] { return Clock::now() > begin + 50ms; });
}

Running::Running(pid_t pid, UniqueFd input, UniqueFd out, UniqueFd err)
    : pid_(pid), input_(std::move(input)), out_(std::move(out)), err_(std::move(err)) {}

Running::Running(Running&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      input_(std::move(other.input_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      ran_(std::move(other.ran_)) {}

Running::~Running() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Running::pump(int timeout_ms) {
  if (!out_ && !err_) return false;
  pollfd watched[] = {{out_ ? out_.get() : -1, POLLIN, 0}, {err_ ? err_.get() : -1, POLLIN, 0}};
  if (::poll(watched, 2, timeout_ms) <= 0) return true;
  const auto take = [](const pollfd& watch, UniqueFd& fd, std::string& into) {
    if (!watch.revents) return;
    char buffer[64 << 10];
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count > 0) into.append(buffer, static_cast<size_t>(count));
    else fd.reset();
  };
  take(watched[0], out_, ran_.out);
  take(watched[1], err_, ran_.err);
  return true;
}

const std::string& Running::await_output(const std::string& text) {
  const auto deadline = Clock::now() + 30s;
  while (ran_.out.find(text) == std::string::npos && Clock::now() < deadline && pump(100)) {
  }
  EXPECT_NE(ran_.out.find(text), std::string::npos)
      << "never printed " << text << "\nout: " << ran_.out << "\nerr: " << ran_.err;
  return ran_.out;
}

Ran Running::finish() {
  const auto deadline = Clock::now() + 90s;
  while (pump(1000)) {
    if (Clock::now() < deadline) continue;
    ADD_FAILURE() << "pid " << pid_ << " did not end\nout: " << ran_.out << "\nerr: " << ran_.err;
    ::kill(pid_, SIGKILL);
    break;
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  ran_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ran_;
}

House::House(const std::string& home) : base_(testing::TempDir() + "t" + id_from(random_u64())) {
  home_.root = base_ + "/" + home;
  home_.runtime = home_.root + "/run";
  workspace_ = base_ + "/w";
  EXPECT_TRUE(make_directories(workspace_));
  environment_ = {{"HOME", base_},
                  {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                  {"TALARIA_HOME", home_.root},
                  {"SHELL", "/bin/bash"},
                  {"LANG", "C.UTF-8"},
                  {"NO_COLOR", "1"}};
}

PlainHouse::PlainHouse() {
  const char* host = std::getenv("TALARIA_TEST_HOST");
  if (host && host == std::string_view("sandbox")) return;
  EXPECT_TRUE(make_directories(root()));
  EXPECT_EQ(::chmod(root().c_str(), 0700), 0);
  EXPECT_TRUE(write_file_atomically(home().config(), "exec:\n  host: gateway\n", 0600, Durable::no));
}

House::~House() {
  client_.reset();
  run({"serve", "--stop", "--end-jobs"});
  EXPECT_TRUE(remove_tree(base_));
}

std::vector<std::string> House::envp() const {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment_) entries.push_back(name + "=" + value);
  return entries;
}

Running House::start_program(const std::string& program, std::vector<std::string> arguments) {
  auto input = *make_pipe();
  auto out = *make_pipe();
  auto err = *make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, workspace_.c_str());
  posix_spawn_file_actions_adddup2(&actions, input.first.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.second.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.second.get(), 2);
  const std::string path = program_path(program);
  arguments.insert(arguments.begin(), path);
  std::vector<std::string> entries = envp();
  std::vector<char*> argv, environment;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  for (std::string& entry : entries) environment.push_back(entry.data());
  argv.push_back(nullptr);
  environment.push_back(nullptr);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failure, 0) << path;
  return Running(pid, std::move(input.second), std::move(out.first), std::move(err.first));
}

Running House::start(std::vector<std::string> arguments) { return start_program("talaria", std::move(arguments)); }

Ran House::run(std::vector<std::string> arguments, const std::string& input) {
  Running running = start(std::move(arguments));
  (void)write_all(running.input(), input);
  running.close_input();
  return running.finish();
}

RpcClient House::connect() {
  if (!exists(home_.gateway_socket()) || !RpcClient::connect(home_.gateway_socket())) {
    const Ran ran = run({"serve", "--background"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }
  Result<RpcClient> client = RpcClient::connect(home_.gateway_socket());
  EXPECT_TRUE(client) << client.error().message();
  return std::move(*client);
}

JsonObject House::call_in(const std::string& cwd, const std::string& tool, JsonObject arguments) {
  const JsonObject params = {
      {"name", tool}, {"arguments", std::move(arguments)}, {"client", "cli"}, {"session", JsonObject{{"cwd", cwd}}}};
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (!client_) client_ = std::make_unique<RpcClient>(connect());
    Result<JsonObject> result = client_->call_object("tools/call", params);
    if (result) return std::move(*result);
    client_.reset();  // a test may have killed the gateway since, and it may not be all dead yet
    if (attempt == 9 || result.error().code() != ErrorCode::unavailable) {
      ADD_FAILURE() << tool << ": " << result.error().message();
      return {};
    }
  }
  return {};
}

JsonObject House::exec(const std::string& command, JsonObject more) {
  more["command"] = command;
  return call("exec", std::move(more));
}

JsonObject House::process(const std::string& action, const std::string& id, JsonObject more) {
  more["action"] = action;
  if (!id.empty()) more["sessionId"] = id;
  return call("process", std::move(more));
}

pid_t House::pid_in_status(const std::string& field) {
  for (int attempt = 0; attempt < 10; ++attempt) {  // the one we reach may be about to die
    RpcClient client = connect();
    const Result<JsonObject> status = client.call_object("gateway/status", {});
    if (status) return static_cast<pid_t>(integer_or(*status, field));
  }
  ADD_FAILURE() << "no gateway answers";
  return 0;
}

pid_t House::gateway_pid() { return pid_in_status("pid"); }
pid_t House::keeper_pid() { return pid_in_status("keeper_pid"); }

namespace {
void kill_and_await(pid_t pid) {
  ASSERT_GT(pid, 1);
  ::kill(pid, SIGKILL);
  // Its first thread may be gone while another one, in the middle of a system call, still holds its sockets.
  await("pid " + std::to_string(pid) + " to die", [pid] {
    const Result<std::vector<std::string>> threads = list_directory("/proc/" + std::to_string(pid) + "/task");
    return !threads || (threads->size() <= 1 && state_of(pid).value_or('Z') == 'Z');
  });
}
}  // namespace

void House::kill_gateway() { kill_and_await(gateway_pid()); }
void House::kill_keeper() { kill_and_await(keeper_pid()); }

std::string text_of(const JsonObject& result) {
  const Json* content = result.if_contains("content");
  if (!content || !content->is_array() || content->get_array().empty()) return {};
  return text_or(content->get_array()[0].as_object(), "text");
}

const JsonObject& details_of(const JsonObject& result) {
  static const JsonObject none;
  const JsonObject* details = object_or_null(result, "details");
  return details ? *details : none;
}

std::string status_of(const JsonObject& result) { return text_or(details_of(result), "status"); }
std::string id_of(const JsonObject& result) { return text_or(details_of(result), "sessionId"); }

}  // namespace talaria
