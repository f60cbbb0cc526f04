#pragma once
#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/json.h"
#include "os/fd.h"
#include "os/home.h"
#include "rpc/client.h"

namespace talaria {

// How a program ended that a test ran.
struct Ran {
  int code = -1;  // exit code, or 128 + signal
  std::string out;
  std::string err;
};

// A program a test started and has not waited for yet; killed when it goes.
class Running {
 public:
  Running(pid_t pid, UniqueFd input, UniqueFd out, UniqueFd err);
  Running(Running&&) noexcept;
  ~Running();

  pid_t pid() const { return pid_; }
  int input() const { return input_.get(); }
  void close_input() { input_.reset(); }
  // Reads until stdout holds `text`; fails the test when it never does.
  const std::string& await_output(const std::string& text);
  // Reads to the end and waits.
  Ran finish();

 private:
  bool pump(int timeout_ms);

  pid_t pid_;
  UniqueFd input_, out_, err_;
  Ran ran_;
};

// Waits for something to become true, looking often; fails the test after `patience`.
void await(const std::string& what, const std::function<bool()>& condition, Clock::duration patience = 30s);

// Between two signals to the command line that are to be two: what arrives within 20 ms of the first counts as the
// same.
void await_next_signal();

// A fresh home with its own gateway and keeper, as a new user has it; everything of it is gone at the end.
class House {
 public:
  // `home` is the name of its home, beside the workspace "w" or in it.
  explicit House(const std::string& home = "h");
  ~House();

  const Home& home() const { return home_; }
  const std::string& root() const { return home_.root; }
  const std::string& workspace() const { return workspace_; }  // an empty folder, the current directory of programs
  std::map<std::string, std::string>& environment() { return environment_; }

  // The CLI, as a person uses it.
  Ran run(std::vector<std::string> arguments, const std::string& input = {});
  Running start(std::vector<std::string> arguments);
  // One of the programs beside this test, or any absolute path.
  Running start_program(const std::string& program, std::vector<std::string> arguments);

  // The socket, as an agent uses it. Starts the gateway when none is there.
  RpcClient connect();
  // tools/call in the workspace's session, or in that of another directory; the whole result. Fails the test on a
  // protocol error.
  JsonObject call(const std::string& tool, JsonObject arguments) { return call_in(workspace_, tool, arguments); }
  JsonObject call_in(const std::string& cwd, const std::string& tool, JsonObject arguments);
  JsonObject exec(const std::string& command, JsonObject more = {});
  JsonObject process(const std::string& action, const std::string& id, JsonObject more = {});

  pid_t gateway_pid();
  pid_t keeper_pid();
  // kill -9, and waits until it is dead.
  void kill_gateway();
  void kill_keeper();

 private:
  pid_t pid_in_status(const std::string& field);
  std::vector<std::string> envp() const;

  std::string base_;
  Home home_;
  std::string workspace_;
  std::map<std::string, std::string> environment_;
  std::unique_ptr<RpcClient> client_;
};

// One whose commands run on the plain host, or, with TALARIA_TEST_HOST=sandbox around the tests, as they do for a new
// user: what holds for jobs holds in both.
class PlainHouse : public House {
 public:
  PlainHouse();
};

// Short ways into a result.
std::string text_of(const JsonObject& result);
const JsonObject& details_of(const JsonObject& result);
std::string status_of(const JsonObject& result);
std::string id_of(const JsonObject& result);

std::string program_path(const std::string& name);

}  // namespace talaria
