// Runs `exec` at a steady rate for a while, and prints every ten seconds what grows: the database, its log, the memory.
//
//   build/release/bin/steady_load [minutes] [execs a second] [exec.job_ttl in seconds]      10 400 60
//
// No benchmark: it takes as long as it is told to, so `./dev bench` does not run it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

constexpr int clients = 8;

struct Load {
  std::atomic<bool> over = false;
  std::atomic<int64_t> asked = 0;
  std::atomic<int64_t> right = 0;
  std::atomic<int64_t> wrong = 0;
};

// One connection: takes the next moment that is due, waits for it, runs a command.
void work(House& house, Load& load, Clock::time_point begin, double rate) {
  RpcClient client = house.connect();
  while (!load.over) {
    const int64_t number = load.asked++;
    std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(
                                              std::chrono::duration<double>(static_cast<double>(number) / rate)));
    const Result<JsonObject> result =
        client.call_object("tools/call", {{"name", "exec"},
                                          {"arguments", JsonObject{{"command", "echo " + std::to_string(number)}}},
                                          {"session", JsonObject{{"cwd", house.workspace()}}}});
    const bool good = result && text_of(*result).starts_with(std::to_string(number));
    ++(good ? load.right : load.wrong);
  }
}

double megabytes_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<double>(info.st_size) / 1048576 : 0;
}

double resident_megabytes(pid_t pid) {
  const Result<std::string> status = read_file("/proc/" + std::to_string(pid) + "/status");
  const size_t place = status ? status->find("VmRSS:") : std::string::npos;
  return place == std::string::npos ? 0 : std::atof(status->c_str() + place + 6) / 1024;
}

void print_line(House& house, RpcClient& client, const Load& load, double seconds) {
  const Result<JsonObject> status = client.call_object("gateway/status", {});
  const int64_t kept = status ? integer_or(status->at("jobs").as_object(), "finished") : -1;
  const std::string database = house.home().database();
  std::printf(
      "%7.0f s %10ld right %6ld wrong %8ld kept  database %7.2f MB  log %7.2f MB  gateway %6.2f MB  keeper %6.2f MB\n",
      seconds, load.right.load(), load.wrong.load(), kept, megabytes_of(database), megabytes_of(database + "-wal"),
      resident_megabytes(house.gateway_pid()), resident_megabytes(house.keeper_pid()));
  std::fflush(stdout);
}

void run(double minutes, double rate, const std::string& ttl) {
  PlainHouse house;
  house.run({"config", "set", "exec.job_ttl", ttl});
  house.run({"exec", "true"});
  RpcClient client = house.connect();
  Load load;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(minutes * 60));
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) threads.emplace_back([&] { work(house, load, begin, rate); });
  for (auto next = begin + 10s; next < end + 1s; next += 10s) {
    std::this_thread::sleep_until(std::min(next, end));
    print_line(house, client, load, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  load.over = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  talaria::run(argc > 1 ? std::atof(argv[1]) : 10, argc > 2 ? std::atof(argv[2]) : 400, argc > 3 ? argv[3] : "60");
  return 0;
}
