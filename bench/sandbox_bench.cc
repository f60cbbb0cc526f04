// What the sandbox costs: a command in a session that has one, a session's first command, many of them, and what stays.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <thread>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"
#include "table.h"

extern char** environ;

namespace talaria {
namespace {

void bash_true() {
  const char* argv[] = {"/bin/bash", "-c", "true", nullptr};
  pid_t pid;
  if (::posix_spawn(&pid, argv[0], nullptr, nullptr, const_cast<char**>(argv), environ) == 0)
    ::waitpid(pid, nullptr, 0);
}

std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", value, unit);
  return text;
}

size_t open_fds(pid_t pid) {
  const Result<std::vector<std::string>> fds = list_directory("/proc/" + std::to_string(pid) + "/fd");
  return fds ? fds->size() : 0;
}

// `exec true` in the session of that name; false when it did not work.
bool exec_true(RpcClient& socket, House& house, const std::string& session, const char* host = "sandbox") {
  const Result<JsonObject> result =
      socket.call_object("tools/call", {{"name", "exec"},
                                        {"arguments", JsonObject{{"command", "true"}, {"host", host}}},
                                        {"session", JsonObject{{"cwd", house.workspace()}, {"name", session}}}});
  return result && status_of(*result) == "completed";
}

void one_command(House& house, Table& table) {
  RpcClient socket = house.connect();
  int fresh = 0, failed = 0;
  const std::vector<Times> t =
      measure_together(200, {bash_true, [&] { failed += !exec_true(socket, house, "live", "gateway"); },
                             [&] { failed += !exec_true(socket, house, "live"); },
                             [&] { failed += !exec_true(socket, house, "plain" + std::to_string(fresh++), "gateway"); },
                             [&] { failed += !exec_true(socket, house, "fresh" + std::to_string(fresh++)); },
                             [&] {
                               failed += house.run({"exec", "--session", "live", "true"}).code != 0;
                             }});
  const double goal = 1.5 * t[0].median + 1;
  table.add("floor: bash -c true", t[0]);
  table.add("exec true on the plain host, socket", t[1]);
  table.add("exec true in a live sandbox, socket", t[2], "≤ 1.5 × bash -c true + 1 = " + number(goal, " ms"),
            t[2].median <= goal);
  table.add("exec true in a new session on the plain host, socket", t[3]);
  table.add("exec true in a new session in the sandbox, socket", t[4]);
  // A session costs its row in the database either way.
  const double made = (t[4].median - t[2].median) - (t[3].median - t[1].median);
  table.note("so a fresh session sandbox takes", number(made, " ms"), "≤ 5 ms", made <= 5);
  table.add("talaria exec true, CLI", t[5], "≤ bash -c true + 8 = " + number(t[0].median + 8, " ms"),
            t[5].median <= t[0].median + 8);
  table.note("of these failed", std::to_string(failed), "0", failed == 0);
}

void many_sandboxes(House& house, Table& table) {
  constexpr int clients = 4, each = 75;
  std::vector<std::thread> threads;
  const auto begun = Clock::now();
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&house, client] {
      RpcClient socket = house.connect();
      for (int i = 0; i < each; ++i) {
        (void)exec_true(socket, house, "many" + std::to_string(client) + "-" + std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  const double rate = clients * each / seconds;
  table.note("fresh sandboxes, each with a command", number(rate, " a second"), "≥ 150 a second", rate >= 150);
}

void growth(House& house, Table& table) {
  const pid_t gateway = house.gateway_pid(), keeper = house.keeper_pid();
  const auto commands = [&](int clients, int each) {
    std::vector<std::thread> threads;
    for (int client = 0; client < clients; ++client) {
      threads.emplace_back([&house, each] {
        RpcClient socket = house.connect();
        for (int i = 0; i < each; ++i) (void)exec_true(socket, house, "live");
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
  commands(4, 500);
  const auto before = private_bytes(gateway).value_or(0) + private_bytes(keeper).value_or(0);
  const size_t fds = open_fds(gateway) + open_fds(keeper), processes = descendants_of(keeper).size();
  commands(4, 2500);
  const auto after = private_bytes(gateway).value_or(0) + private_bytes(keeper).value_or(0);
  const auto grown = static_cast<double>(after) - static_cast<double>(before);
  table.note("10,000 commands later: private memory", number(grown / 1024, " KiB more"), "none to speak of",
             grown < (4 << 20));
  table.note(
      "fds and processes",
      std::to_string(open_fds(gateway) + open_fds(keeper)) + " and " + std::to_string(descendants_of(keeper).size()),
      std::to_string(fds) + " and " + std::to_string(processes) + ", as before");
}

int run() {
  Table table;
  {
    House house;
    one_command(house, table);
  }
  {
    House house;
    many_sandboxes(house, table);
  }
  {
    House house;
    growth(house, table);
  }
  table.print();
  return 0;
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return talaria::run();
}
