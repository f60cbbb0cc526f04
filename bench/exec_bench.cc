// What running a command through Talaria costs, beside the floors: posix_spawn, bash -c, cat > file.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <thread>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"
#include "table.h"

extern char** environ;

namespace talaria {
namespace {

void spawn_and_wait(std::vector<const char*> argv) {
  argv.push_back(nullptr);
  pid_t pid;
  if (::posix_spawn(&pid, argv[0], nullptr, nullptr, const_cast<char**>(argv.data()), environ) == 0) {
    ::waitpid(pid, nullptr, 0);
  }
}

std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", value, unit);
  return text;
}

JsonObject call_params(House& house, const std::string& command, bool background = false) {
  return {{"name", "exec"},
          {"arguments", JsonObject{{"command", command}, {"background", background}}},
          {"session", JsonObject{{"cwd", house.workspace()}}}};
}

void short_commands(House& house, Table& table) {
  RpcClient socket = house.connect();
  const auto through_socket = [&](const char* command) {
    return [&socket, &house, command] { (void)socket.call_object("tools/call", call_params(house, command)); };
  };
  const std::vector<Times> t = measure_together(200, {[] { spawn_and_wait({"/bin/true"}); },
                                                      [] {
                                                        spawn_and_wait({"/bin/bash", "-c", "true"});
                                                      },
                                                      [] {
                                                        spawn_and_wait({"/bin/bash", "-c", "echo hi > /dev/null"});
                                                      },
                                                      through_socket("true"), through_socket("echo hi"),
                                                      [&] {
                                                        house.run({"exec", "true"});
                                                      },
                                                      [&] {
                                                        house.run({"exec", "echo hi"});
                                                      }});
  table.add("floor: posix_spawn /bin/true", t[0]);
  table.add("floor: bash -c true", t[1]);
  table.add("floor: bash -c 'echo hi'", t[2]);
  const double socket_goal = 1.5 * t[1].median + 1;
  table.add("exec true, socket", t[3], "≤ 1.5 × bash -c true + 1 = " + number(socket_goal, " ms"),
            t[3].median <= socket_goal);
  table.add("exec 'echo hi', socket", t[4]);
  table.add("talaria exec true, CLI", t[5], "≤ bash -c true + 8 = " + number(t[1].median + 8, " ms"),
            t[5].median <= t[1].median + 8);
  table.add("talaria exec 'echo hi', CLI", t[6]);
  table.add("background start, socket",
            measure(50, [&] { (void)socket.call_object("tools/call", call_params(house, "true", true)); }));
}

void concurrent(House& house, Table& table) {
  std::vector<RpcClient> sockets;
  for (int i = 0; i < 64; ++i) sockets.push_back(house.connect());
  const Times times = measure(10, [&] {
    for (RpcClient& socket : sockets) (void)socket.send("tools/call", call_params(house, "true"));
    for (RpcClient& socket : sockets) (void)socket.wait();
  });
  const Times floor = measure(10, [] {
    std::vector<pid_t> pids(64);
    const char* argv[] = {"/bin/bash", "-c", "true", nullptr};
    for (pid_t& pid : pids) (void)::posix_spawn(&pid, argv[0], nullptr, nullptr, const_cast<char**>(argv), environ);
    for (pid_t pid : pids) ::waitpid(pid, nullptr, 0);
  });
  table.add("floor: 64 × bash -c true at once", floor);
  table.add("64 × exec true at once", times, "≤ 150 ms", times.median <= 150);
}

void much_output(House& house, Table& table) {
  const std::string big = house.workspace() + "/big", copy = house.workspace() + "/copy";
  spawn_and_wait(
      {"/bin/bash", "-c", ("yes 'a line of some output, forty characters!' | head -c 104857600 > " + big).c_str()});
  RpcClient socket = house.connect();
  const std::string plain = "cat " + big + " > " + copy, captured = "cat " + big;
  const std::vector<Times> t =
      measure_together(5, {[&] {
                             spawn_and_wait({"/bin/bash", "-c", plain.c_str()});
                           },
                           [&] { (void)socket.call_object("tools/call", call_params(house, captured)); }});
  table.add("floor: 100 MB, cat > file", t[0]);
  table.add("100 MB captured", t[1], "≥ 0.5 × the speed of cat > file: ≤ " + number(2 * t[0].median, " ms"),
            t[1].median <= 2 * t[0].median);
  (void)remove_tree(big);
  (void)remove_tree(copy);
}

void idle_memory(House& house, Table& table) {
  const pid_t gateway = house.gateway_pid(), keeper = house.keeper_pid();
  const auto resident = [](pid_t pid) {
    const std::string status = *read_file("/proc/" + std::to_string(pid) + "/status");
    return std::atof(status.c_str() + status.find("VmRSS:") + 6) / 1024;
  };
  double total = resident(gateway) + resident(keeper);
  for (pid_t pid : descendants_of(keeper)) total += resident(pid);
  table.note("gateway + keeper (+ spawner) idle, resident", number(total, " MB"), "≤ 20 MB", total <= 20);
}

void thousand_jobs(House& house, Table& table) {
  RpcClient socket = house.connect();
  const pid_t keeper = house.keeper_pid();
  const auto keepers_memory = [&] {  // the keeper and its supervisors, not what the jobs themselves need
    size_t bytes = *private_bytes(keeper);
    for (pid_t pid : descendants_of(keeper)) {
      if (parent_of(pid) == keeper) bytes += private_bytes(pid).value_or(0);
    }
    return static_cast<double>(bytes);
  };
  const double before = keepers_memory();
  for (int i = 0; i < 1000; ++i)
    (void)socket.call_object("tools/call", call_params(house, "echo hi; exec sleep 600", true));
  await("all to be running", [&] { return descendants_of(keeper).size() >= 2001; });
  const double each = (keepers_memory() - before) / 1000 / 1024;
  table.note("1,000 live jobs: private memory each", number(each, " KB"), "≤ 64 KB", each <= 64);
  table.add("1,000 live jobs: list", measure(20, [&] {
              (void)socket.call_object("jobs/process", {{"arguments", JsonObject{{"action", "list"}}}});
            }));
  table.add("1,000 live jobs: exec true, socket",
            measure(50, [&] { (void)socket.call_object("tools/call", call_params(house, "true")); }));
}

void cold_start(House& house, Table& table) {
  const Times bash = measure(20, [] { spawn_and_wait({"/bin/bash", "-c", "true"}); });
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    house.run({"serve", "--stop", "--end-jobs"});
    const auto begin = Clock::now();
    house.run({"exec", "true"});
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  const Times cold = summary(times);
  table.add("first command with nothing running, CLI", cold, "≤ bash -c true + 40 = " + number(bash.median + 40, " ms"),
            cold.median <= bash.median + 40);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  using namespace talaria;
  Table table;
  {
    PlainHouse house;
    house.run({"exec", "true"});  // takes the snapshot of the login environment once
    idle_memory(house, table);
    short_commands(house, table);
    concurrent(house, table);
    much_output(house, table);
    cold_start(house, table);
    thousand_jobs(house, table);
  }
  table.print();
  return 0;
}
