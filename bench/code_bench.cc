// What execute_code costs, beside the floors of the same run: a cold python3, and a bare round trip between a Python
// program and a C++ one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "os/file.h"
#include "os/socket.h"
#include "product/house.h"
#include "table.h"

extern char** environ;

namespace talaria {
namespace {

constexpr const char* python = "/usr/bin/python3";

std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", value, unit);
  return text;
}

JsonObject run_code(RpcClient& socket, House& house, const std::string& code) {
  Result<JsonObject> result =
      socket.call_object("tools/call", {{"name", "execute_code"},
                                        {"arguments", JsonObject{{"code", code}, {"yieldMs", 0}}},
                                        {"session", JsonObject{{"cwd", house.workspace()}}},
                                        {"audience", "program"}});
  if (result && !boolean_or(*result, "isError")) return details_of(*result);
  std::fprintf(stderr, "%s\n", result ? write_json(*result).c_str() : result.error().message().c_str());
  std::exit(1);
}

// Runs it with python3 -c; what it printed.
std::string cold_python(const std::string& code, int passed = -1) {
  auto [out, in] = *make_pipe();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), 1);
  if (passed >= 0) ::posix_spawn_file_actions_adddup2(&actions, passed, 3);
  std::string source = code;
  char* argv[] = {const_cast<char*>(python), const_cast<char*>("-c"), source.data(), nullptr};
  pid_t pid = 0;
  if (::posix_spawn(&pid, python, &actions, nullptr, argv, environ) != 0) std::exit(1);
  ::posix_spawn_file_actions_destroy(&actions);
  in.reset();
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = ::read(out.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, count);
  ::waitpid(pid, nullptr, 0);
  return text;
}

void starts(House& house, Table& table) {
  RpcClient socket = house.connect();
  run_code(socket, house, "print('the first one is cold')");
  await("a warm start", [&] { return boolean_or(run_code(socket, house, "print('hi')"), "warm_start"); });
  const std::vector<Times> t = measure_together(
      60, {[&] { (void)cold_python("print('hi')"); }, [&] { run_code(socket, house, "print('hi')"); }});
  table.add("floor: python3 -c 'print(\"hi\")', no sandbox", t[0]);
  table.add("execute_code print(\"hi\"), sandboxed", t[1], "≤ 0.8 × floor = " + number(0.8 * t[0].median, " ms"),
            t[1].median <= 0.8 * t[0].median);
}

// Answers each frame with a short one, as a tool that does nothing would.
void echo(int socket) {
  char frame[4096];
  const std::string answer = "{\"id\":1,\"error\":\"Tool 'nothing' is not available in execute_code.\"}";
  std::string reply(4, '\0');
  const auto length = static_cast<uint32_t>(answer.size());
  std::memcpy(reply.data(), &length, sizeof length);
  reply += answer;
  while (::read(socket, frame, sizeof frame) > 0) {
    if (::write(socket, reply.data(), reply.size()) < 0) return;
  }
}

constexpr const char* timed = R"(
def timed(call, count):
    import time
    took = []
    for _ in range(count):
        began = time.perf_counter()
        call()
        took.append(time.perf_counter() - began)
    took.sort()
    print(took[0] * 1000, took[count // 2] * 1000, took[count * 95 // 100] * 1000)
)";

constexpr const char* raw_round_trip = R"(
import socket, json, struct
s = socket.socket(fileno=3)
def call():
    body = json.dumps({"id": 1, "tool": "nothing", "args": {}}).encode()
    s.sendall(struct.pack("<I", len(body)) + body)
    return json.loads(s.recv(4096)[4:])
timed(call, 2000)
)";

Times times_in(const std::string& text) {
  Times times;
  if (std::sscanf(text.c_str(), "%lf %lf %lf", &times.least, &times.median, &times.p95) != 3) {
    std::fprintf(stderr, "not three times: %s\n", text.c_str());
    std::exit(1);
  }
  return times;
}

void calls(House& house, Table& table) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  std::thread echoing([fd = mine.get()] { echo(fd); });
  const Times raw = times_in(cold_python(std::string(timed) + raw_round_trip, theirs.get()));
  theirs.reset();
  echoing.join();
  table.add("floor: Python ↔ C++ round trip on a socket", raw);

  (void)write_file_atomically(house.workspace() + "/small", std::string(4096, 'x'), 0644, Durable::no);
  RpcClient socket = house.connect();
  const auto inside = [&](const std::string& call, int count) {
    const std::string code =
        "import hermes_tools\n" + std::string(timed) + "timed(lambda: " + call + ", " + std::to_string(count) + ")\n";
    return times_in(text_or(run_code(socket, house, code), "output"));
  };
  const Times nothing = inside("hermes_tools._call('nothing')", 2000);
  table.add("a tool call that does nothing, from a script", nothing,
            "≤ 1.5 × floor = " + number(1.5 * raw.median, " ms"), nothing.median <= 1.5 * raw.median);
  const Times reading = inside("hermes_tools.read_file('small')", 2000);
  table.add("read_file 4 KB, from a script", reading, "≤ 0.2 ms", reading.median <= 0.2);
}

void parallel_runs(House& house, Table& table) {
  const std::string work = "n = 0\nfor i in range(3000000): n += i\nprint(n)";
  RpcClient one = house.connect();
  const Times alone = measure(3, [&] { run_code(one, house, work); });
  const Times eight = measure(2, [&] {
    std::vector<std::thread> threads;
    std::vector<RpcClient> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(house.connect());
    for (RpcClient& client : clients) {
      threads.emplace_back([&client, &house, &work] { run_code(client, house, work); });
    }
    for (std::thread& thread : threads) thread.join();
  });
  table.add("a script that computes", alone);
  table.add("eight of them at once", eight, "≤ 5 × one (two cores) = " + number(5 * alone.median, " ms"),
            eight.median <= 5 * alone.median);
}

int run() {
  House house;
  house.run({"config", "set", "code_execution.max_tool_calls", "1000000"});
  Table table;
  starts(house, table);
  calls(house, table);
  parallel_runs(house, table);
  table.print();
  return 0;
}

}  // namespace
}  // namespace talaria

int main() { return talaria::run(); }
